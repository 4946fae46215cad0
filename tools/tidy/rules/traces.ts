// The repository carries no trace of the machine it was written on: no registry host, no absolute path of somebody's disk.
import { type Finding, type Rule, stop } from "../source-file.ts";

// The names are put together here, since this file is read by its own rule.
const registryHosts = [
  ["registry", "npmjs"],
  ["npmmirror", "com"],
  ["yarnpkg", "com"],
  ["pkg", "github", "com"],
  ["jfrog", "io"],
  ["goproxy", "(io|cn)"],
  ["proxy", "golang"],
  ["sum", "golang"],
  ["pypi", "(org|python)"],
  ["pythonhosted", "org"],
  ["rubygems", "org"],
  ["crates", "io"],
  ["deb", "debian"],
  ["archive", "ubuntu"],
  ["alpinelinux", "org"],
].map((parts) => parts.join("\\."));
const registryHost = new RegExp(`\\b(${registryHosts.join("|")})`, "i");
/** Settings and lock files that name a registry, whatever its host is. */
const registrySetting = /^([^\n#;]*:)?registry\s*=/m;
const resolvedByHost = /"resolved":\s*"(https?|git\+)/;

/** Folders that are somebody's as a whole, and folders in which each entry is somebody's. */
const ownFolders = ["work", "farm", "root"].join("|");
const sharedFolders = ["home", "Users", "tmp", "var/folders", "private"].join("|");
/** Paths inside container images that manifests must name. */
const containerPaths = /^\/home\/user\/\.local\/share\/(buildkit|containers)/;
const rest = "[^\\s\"'`)]*";
const localPath = new RegExp(
  `(?:(?<=file://)|(?<![\\w.\\-/$}*+]))/(?:(?:${ownFolders})(?![\\w-])${rest}|(?:${sharedFolders})/[\\w.$~*{<-]${rest})`,
  "g",
);

/** No registry host stands in the file. */
export const noRegistryHosts: Rule = (file) => {
  const named = [registryHost, ...settingsOf(file.path)].map((pattern) => pattern.exec(file.text));
  return named
    .filter((match) => match !== null)
    .map(({ index, 0: host }) =>
      stop(file, index, "registry-host", `names a registry host (${host}…); name packages, not hosts`),
    );
};

function settingsOf(path: string): readonly RegExp[] {
  if (path.endsWith(".npmrc")) return [registrySetting];
  return path.endsWith("package-lock.json") ? [resolvedByHost] : [];
}

/** No absolute path of a machine stands in the file. */
export const noMachinePaths: Rule = (file) =>
  [...file.text.matchAll(localPath)]
    .filter(([path]) => !containerPaths.test(path))
    .map(
      (match): Finding =>
        stop(file, match.index, "machine-path", `names ${match[0]}, a path of one machine; use a relative one`),
    );
