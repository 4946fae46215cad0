// How a foreign text appears inside our sentences: bare when it reads well, else quoted, escaped and cut, so that a hostile
// value can neither flood a line of the log nor forge one.
import { quoted } from "./problem.ts";

const BARE_LENGTH_MAX = 80;
const READS_WELL = /^[\w.+~:@/<>=*-]+$/;

/** Returns the text as it can stand in a sentence. */
export function shown(text: string): string {
  const isBare = text.length <= BARE_LENGTH_MAX && READS_WELL.test(text);
  return isBare ? text : quoted(text);
}

const PATTERN_LENGTH_MAX = 200;
/** Controls, invisible marks, line breaks of any kind, and halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Returns a regular expression between slashes: its backslashes stay single, since JSON's would make it another one. */
export function shownPattern(pattern: string): string {
  const printable = pattern.slice(0, PATTERN_LENGTH_MAX).replace(UNPRINTABLE, "\ufffd");
  return pattern.length > PATTERN_LENGTH_MAX ? `/${printable}…/` : `/${printable}/`;
}
