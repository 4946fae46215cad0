// What one bare word of a kernel rule means: a line of kernels (`5.4`, `5.x`), a range (`4.18-5.3`), a release or the start
// of one. Words that look like something else are refused with what to write instead, never matched by accident.
import { isUnknown } from "../decision/fact.ts";
import { quoted, shown } from "../values/shown.ts";
import { parseKernelRelease } from "./kernel-release.ts";
import { exactTerm, type KernelTerm } from "./kernel-rule.ts";
import { compareParts, parseParts, scanParts } from "./numeric-parts.ts";
import { afterLine, lineInterval } from "./part-interval.ts";

const WILDCARD = /^(\d+(?:\.\d+)*)\.[xX*]$/;
const INNER_WILDCARD = /^\d+(?:\.\d+)*\.[xX*]/;
const RANGE = /^(\d+(?:\.\d+)*)-(\d+(?:\.\d+)*)$/;
/** A range with a wildcard at one of its ends or both. */
const WILDCARD_RANGE = /^(\d+(?:\.\d+)*)(?:\.[xX*])?-(\d+(?:\.\d+)*)(?:\.[xX*])?$/;
/** A number with a dot that no digit follows; what letters stand behind a dot (`.el8`) is left alone. */
const LOOSE_DOT = /^[\d.]*\.(?:\.|[^\w*]|$)/;
const SEPARATOR = /^[\w.,;|&-]*[,;|&]/;
const RELEASE = /^[A-Za-z0-9][\w.+~-]*$/;
const REGEXP_SIGNS = /[\^$\\()[\]{}|?]/;

/** A release starts with three numbers since Linux 3.0, so a number of at most two before a hyphen starts a range. */
const RANGE_START_PARTS_MAX = 2;
/** Linux has gone up by six major versions in thirty years: what is further apart are no two ends of a range. */
const RANGE_MAJORS_MAX = 10;

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
  return startParts <= RANGE_START_PARTS_MAX ? parseRange(word, from, to) : ambiguityOf(word, from, to);
}

/** Says how to write what `5.4.0-66` may mean; a range is among it only if both numbers could be kernels. */
function ambiguityOf(word: string, from: string, to: string): string {
  const [low = [], last = []] = [parseParts(from), parseParts(to)];
  const majors = (last[0] ?? 0) - (low[0] ?? 0);
  const isRange = last.length > 1 && compareParts(low, last) < 0 && majors < RANGE_MAJORS_MAX;
  const release = `"${word}" in quotes`;
  const start = `${word}-* for releases that start so`;
  return isRange
    ? `${quoted(word)} could be a range, a release, or a part of one: write ${from} - ${to} with spaces, ${release}, or ${start}`
    : `${quoted(word)} could be a release or a part of one: write ${release}, ${start}, or ${from} for the whole line`;
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

/** Says what is wrong with the dotted number that a word is or starts with, or with what separates it from the next. */
export function faultOfNumber(word: string): string | undefined {
  const scanned = scanParts(word, 0);
  if ("error" in scanned) return scanned.error;
  if (SEPARATOR.test(word)) return "separate alternatives with ||, and conditions that must all hold with a space";
  if (!LOOSE_DOT.test(word)) return undefined;
  const numbers = /^[\d.]*/.exec(word)?.[0].split(".") ?? [];
  const meant = numbers.filter((part) => part !== "").join(".");
  return `a dot stands between two numbers: write ${meant === "" ? "a number such as 5.4" : meant}`;
}

function parseText(word: string): KernelTerm | string {
  const number = word.slice(0, -1);
  if (word.endsWith("*") && parseParts(number) !== undefined) {
    return `${quoted(word)} would match ${number}0 and ${number}.0 alike: write ${number}.* for the line ${number}`;
  }
  if (/^[vV]\d/.test(word)) return `${quoted(word)}: a kernel release has no leading v: write ${shown(word.slice(1))}`;
  if (/^~\d/.test(word))
    return `${quoted(word)}: there is no ~: write ${shown(word.slice(1))} for that line and its updates`;
  const rangeFault = faultOfWildcardRange(word);
  if (rangeFault !== undefined) return `${quoted(word)}: ${rangeFault}`;
  if (word.startsWith("'")) {
    return `${quoted(word)}: only double quotes hold a release: write ${quoted(word.replaceAll("'", ""))}`;
  }
  if (INNER_WILDCARD.test(word)) return `${quoted(word)}: x and * stand only at the end, as in 5.x`;
  if (REGEXP_SIGNS.test(word)) return `${quoted(word)} looks like a regular expression: put it between slashes`;
  return parseReleaseOrStart(word);
}

/** Behind three numbers stands the rest of a release, of which * leaves the end open. */
function faultOfWildcardRange(word: string): string | undefined {
  const [, from = "", to = ""] = WILDCARD_RANGE.exec(word) ?? [];
  if (to === "") return undefined;
  const isRange = (parseParts(from)?.length ?? 0) <= RANGE_START_PARTS_MAX;
  if (isRange) return `a range includes the lines of both its numbers: write ${from} - ${to}`;
  return /[xX]$/.test(word) ? `write ${word.slice(0, -1)}* for releases that start so` : undefined;
}

function parseReleaseOrStart(word: string): KernelTerm | string {
  const start = word.endsWith("*") ? word.slice(0, -1) : word;
  if (start.includes("*")) return `${quoted(word)}: * stands only at the end, as in 5.4.0-66-*`;
  const isNumberAlone = start === word && /^\d/.test(word) && isUnknown(parseKernelRelease(word));
  if (isNumberAlone || !RELEASE.test(start)) {
    return `${quoted(word)} is no kernel release: put it in quotes if a kernel is really named so`;
  }
  if (start !== word) return { kind: "prefix", text: shown(word), start };
  if (/\d/.test(word)) return exactTerm(word);
  return `${quoted(word)} names no kernel: write a number (5.4), a line (5.x), a bound (>=5.4), a release, or default`;
}
