// A kernel release as `uname -r` prints it (`5.14.0-427.13.1.el9_4.x86_64`), parsed once per distinct text at the door.
// Rules compare its numeric parts as integers; everything behind them is the distribution's and only described.
import { type Fact, isUnknown, unknownFact } from "../decision/fact.ts";
import { quoted } from "../values/shown.ts";
import { type KernelSuffix, parseKernelSuffix } from "./kernel-suffix.ts";
import { compareParts, type NumericParts, scanParts } from "./numeric-parts.ts";

/** Linux itself stops at 64; the rest is room for other systems that fill the same field. */
export const RELEASE_LENGTH_MAX = 256;

export type KernelRelease = KernelSuffix & {
  /** The whole text, letter by letter. */
  readonly raw: string;
  /** The dotted number at its start, as written: `5.14.0`. */
  readonly version: string;
  /** The same as integers; at least two of them. */
  readonly parts: NumericParts;
};

/** Returns the parsed release, or Unknown with the reason; never throws. */
export function parseKernelRelease(raw: string): Fact<KernelRelease> {
  if (raw === "") return unknownFact("the node reports no kernel release");
  if (raw.length > RELEASE_LENGTH_MAX) {
    return unknownFact(`${raw.length} characters are more than a kernel release has (${RELEASE_LENGTH_MAX})`, raw);
  }
  const head = scanParts(raw, 0);
  if ("error" in head) return unknownFact(`kernel release ${quoted(raw)}: ${head.error}`, raw);
  if (head.parts.length < 2) {
    return unknownFact(`kernel release ${quoted(raw)} does not start with two numbers, as in 5.14`, raw);
  }
  // A dot that no part follows (`5.4..1`, `5.4.`) means that a part was lost, and nobody knows which.
  if (/^\.(?:\.|$)/.test(raw.slice(head.end))) {
    return unknownFact(`kernel release ${quoted(raw)} has an empty part after ${raw.slice(0, head.end)}`, raw);
  }
  return {
    raw,
    version: raw.slice(0, head.end),
    parts: head.parts,
    ...parseKernelSuffix(raw.slice(head.end)),
  };
}

/** Returns the sign of `a - b` by their numeric parts, or undefined if either is Unknown. */
export function compareKernelReleases(a: Fact<KernelRelease>, b: Fact<KernelRelease>): -1 | 0 | 1 | undefined {
  if (isUnknown(a) || isUnknown(b)) return undefined;
  return compareParts(a.parts, b.parts);
}
