// The repository carries no trace of the machine it was written on: no registry host, no absolute path of somebody's disk.
import { type Finding, type Rule, stop } from "../source-file.ts";

// The names are put together here, since this file is read by its own rule.
const registryHosts = [
  ["registry", "npmjs"],
  ["registry", "yarnpkg"],
  ["proxy", "golang"],
  ["sum", "golang"],
  ["deb", "debian"],
].map((parts) => parts.join("."));

const homeFolders = ["work", "farm", "root", "home", "Users"];
/** Paths inside container images that manifests must name. */
const containerPaths = /^\/home\/user\/\.local\/share\/(buildkit|containers)/;
const localPath = new RegExp(`(?<![A-Za-z0-9_.\\-/$}*])/(${homeFolders.join("|")})/[a-z.][^\\s"'\`)]*`, "g");

/** No registry host stands in the file. */
export const noRegistryHosts: Rule = (file) =>
  registryHosts.flatMap((host) => {
    const at = file.text.indexOf(host);
    return at === -1
      ? []
      : [stop(file, at, "registry-host", `names the registry host ${host}…; name packages, not hosts`)];
  });

/** No absolute path of a machine stands in the file. */
export const noMachinePaths: Rule = (file) =>
  [...file.text.matchAll(localPath)]
    .filter(([path]) => !containerPaths.test(path))
    .map(
      (match): Finding =>
        stop(file, match.index, "machine-path", `names ${match[0]}, a path of one machine; use a relative one`),
    );
