// What one bare word of a kernel rule means: a line of kernels (`5.4`, `5.x`), a range (`4.18-5.3`), a release or the start
// of one. Words that look like something else are refused with what to write instead, never matched by accident.
import { exactTerm, type KernelTerm } from "./kernel-rule.ts";
import { compareParts, parseParts, scanParts } from "./numeric-parts.ts";
import { afterLine, lineInterval } from "./part-interval.ts";
import { quoted, shown } from "./shown.ts";

const WILDCARD = /^(\d+(?:\.\d+)*)\.[xX*]$/;
const INNER_WILDCARD = /^\d+(?:\.\d+)*\.[xX*]/;
const RANGE = /^(\d+(?:\.\d+)*)-(\d+(?:\.\d+)*)$/;
const RELEASE = /^[A-Za-z0-9][\w.+~-]*$/;
const REGEXP_SIGNS = /[\^$\\()[\]{}|?]/;

/** A release starts with three numbers since Linux 3.0, so a number of at most two before a hyphen starts a range. */
const RANGE_START_PARTS_MAX = 2;

/** Returns the condition that the word stands for, or what is wrong with it. */
export function parseRuleWord(word: string): KernelTerm | string {
  if (word === "*") return { kind: "prefix", text: "*", start: "" };
  const line = parseParts(WILDCARD.exec(word)?.[1] ?? word);
  if (line !== undefined) return { kind: "numbers", text: word, form: "line", interval: lineInterval(line) };
  const numberFault = faultOfNumber(word);
  if (numberFault !== undefined) return `${quoted(word)}: ${numberFault}`;
  const [, from = "", to = ""] = RANGE.exec(word) ?? [];
  if (to === "") return parseText(word);
  const startParts = parseParts(from)?.length ?? 0;
  if (startParts <= RANGE_START_PARTS_MAX) return parseRange(word, from, to);
  const readings = `"${word}" in quotes, ${word}-* for releases that start so, or >=${from} <=${to}`;
  return `${quoted(word)} could be a release, a part of one, or a range: write ${readings}`;
}

/** Returns the range from one number to another, both included as far as they are written. */
export function parseRange(text: string, from: string, to: string): KernelTerm | string {
  const [low, last] = [parseParts(from), parseParts(to)];
  if (low === undefined || last === undefined) return `${quoted(text)} is no range of two numbers such as 4.18-5.3`;
  const high = afterLine(last);
  if (compareParts(low, high) >= 0)
    return `${quoted(text)} is empty: write the lower number first, as in ${to}-${from}`;
  return { kind: "numbers", text, form: "bound", interval: { low, high } };
}

/** Says what is wrong with the dotted number that a word is or starts with, if it cannot be compared. */
export function faultOfNumber(word: string): string | undefined {
  const scanned = scanParts(word, 0);
  return "error" in scanned ? scanned.error : undefined;
}

function parseText(word: string): KernelTerm | string {
  const number = word.slice(0, -1);
  if (word.endsWith("*") && parseParts(number) !== undefined) {
    return `${quoted(word)} would match ${number}0 and ${number}.0 alike: write ${number}.* for the line ${number}`;
  }
  if (/^[vV]\d/.test(word)) return `${quoted(word)}: a kernel release has no leading v: write ${word.slice(1)}`;
  if (/^~\d/.test(word)) return `${quoted(word)}: there is no ~: write ${word.slice(1)} for that line and its updates`;
  if (INNER_WILDCARD.test(word)) return `${quoted(word)}: x and * stand only at the end, as in 5.x`;
  if (/^[\w.,;|-]*[,;|]/.test(word)) {
    return `${quoted(word)}: separate alternatives with ||, and conditions that must all hold with a space`;
  }
  if (REGEXP_SIGNS.test(word)) return `${quoted(word)} looks like a regular expression: put it between slashes`;
  return parseReleaseOrStart(word);
}

function parseReleaseOrStart(word: string): KernelTerm | string {
  const start = word.endsWith("*") ? word.slice(0, -1) : word;
  if (start.includes("*")) return `${quoted(word)}: * stands only at the end, as in 5.4.0-66-*`;
  if (!RELEASE.test(start)) {
    return `${quoted(word)} is no kernel release: put it in quotes if a kernel is really named so`;
  }
  if (start !== word) return { kind: "prefix", text: shown(word), start };
  if (/\d/.test(word)) return exactTerm(word);
  return `${quoted(word)} names no kernel: write a number (5.4), a line (5.x), a bound (>=5.4), a release, or default`;
}
