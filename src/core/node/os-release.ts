// The operating system behind `status.nodeInfo.osImage`: free text such as "Ubuntu 22.04.4 LTS", read by a table of the
// names that distributions print. A name that is not in the table is Unknown, never its first word.
import { type Fact, unknownFact } from "../decision/fact.ts";
import { type NumericParts, scanParts } from "../kernel/numeric-parts.ts";
import { quoted } from "../values/shown.ts";
import { OS_NAMES, type OsName } from "./os-names.ts";

export const OS_IMAGE_LENGTH_MAX = 512;

export type OsVersion = {
  /** As the distribution writes it: `22.04`, `15.3`. */
  readonly text: string;
  readonly parts: NumericParts;
};

export type OsRelease = {
  /** The whole text, letter by letter. */
  readonly raw: string;
  /** The distribution's id as in its os-release file: `ubuntu`, `sles`, `rhcos`. */
  readonly id: string;
  /** Its version, as precise as the distribution's own VERSION_ID; for rhcos that of the RHEL below it. */
  readonly version: Fact<OsVersion>;
  /** The OpenShift version that an rhcos image names, if it does. */
  readonly openshift: OsVersion | undefined;
};

/** Returns the operating system, or Unknown with the reason; never throws. */
export function parseOsRelease(raw: string): Fact<OsRelease> {
  if (raw === "") return unknownFact("the node reports no OS image");
  if (raw.length > OS_IMAGE_LENGTH_MAX) {
    return unknownFact(`${raw.length} characters are more than an OS image name has (${OS_IMAGE_LENGTH_MAX})`, raw);
  }
  const lower = raw.toLowerCase();
  const name = OS_NAMES.find((candidate) => startsWithName(lower, candidate.prefix));
  if (name === undefined) {
    return unknownFact(`OS image ${quoted(raw)} is no name that Farrier knows; match osImage or a node label`, raw);
  }
  const rest = raw.slice(name.prefix.length);
  if (name.id === "rhcos") return { raw, id: name.id, ...rhcosVersion(rest, raw) };
  return { raw, id: name.id, version: versionOf(rest, name, raw), openshift: undefined };
}

/** A name ends where its last letter does: "SUSE Linux Enterprise Server" is not the start of "…Serverless". */
function startsWithName(lower: string, prefix: string): boolean {
  return lower.startsWith(prefix) && !/^[a-z]/.test(lower.slice(prefix.length));
}

function versionOf(rest: string, name: OsName, raw: string): Fact<OsVersion> {
  const start = rest.search(/\d/);
  if (start === -1) return unknownFact(`OS image ${quoted(raw)} names no version`, raw);
  const scanned = scanParts(rest, start);
  if ("error" in scanned) return unknownFact(`OS image ${quoted(raw)}: ${scanned.error}`, raw);
  const servicePack = /^[ -]SP(\d{1,3})\b/i.exec(rest.slice(scanned.end))?.[1];
  const words = rest.slice(start, scanned.end).split(".");
  return versionFrom([...words, ...(servicePack === undefined ? [] : [servicePack])].slice(0, name.versionParts));
}

function versionFrom(words: readonly string[]): OsVersion {
  return { text: words.join("."), parts: words.map(Number) };
}

/**
 * Up to 4.18 an rhcos image is `<openshift>.<rhel>.<build>` without inner dots (46.82.2021… is OpenShift 4.6 on RHEL 8.2);
 * later ones start with the RHEL version itself (9.6.2025…).
 */
function rhcosVersion(rest: string, raw: string): Pick<OsRelease, "version" | "openshift"> {
  const packed = /^ (\d)(\d{1,2})\.(\d)(\d{1,2})\.\d/.exec(rest);
  if (packed !== null) {
    return { version: versionFrom(packed.slice(3)), openshift: versionFrom(packed.slice(1, 3)) };
  }
  return { version: versionOf(rest, { prefix: "", id: "rhcos", versionParts: 2 }, raw), openshift: undefined };
}
