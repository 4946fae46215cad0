// Regular expressions with the meaning that Go's `regexp.MatchString` gives them: RE2 syntax, unanchored unless the author
// anchors them, and time in proportion to the text. Rules that name one compile it once, at the door.
import { RE2JS } from "re2js";
import type { Parsed } from "../decision/problem.ts";
import { withoutGroupNames } from "./go-regexp-group-names.ts";
import { estimateProgramSize } from "./go-regexp-size.ts";
import { printable, quoted } from "./shown.ts";

export const PATTERN_LENGTH_MAX = 1024;
/** Instructions of the compiled program. A match costs at most this many steps per character. */
export const PROGRAM_SIZE_MAX = 2048;
/** Longer texts match nothing; all that we match (kernels, OS images) is far shorter. */
export const SUBJECT_LENGTH_MAX = 1024;

export type GoRegexp = {
  /** The pattern as its author wrote it. */
  readonly pattern: string;
  readonly program: RE2JS;
};

/** Compiles a Go pattern, or says what Go would say about it and what to write instead; never throws. */
export function compileGoRegexp(pattern: string, path = "regexp"): Parsed<GoRegexp> {
  const refuse = (message: string): Parsed<GoRegexp> => {
    return { ok: false, problems: [{ path, message: `regular expression ${quoted(pattern)} ${message}` }] };
  };
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return refuse(
      `has ${pattern.length} characters; at most ${PATTERN_LENGTH_MAX} are allowed: split it into several rules`,
    );
  }
  // The compiler has no limit of its own below a million instructions, and takes most of a second to get there.
  if (estimateProgramSize(pattern) > 2 * PROGRAM_SIZE_MAX) return refuse(TOO_LARGE);
  try {
    const program = compileProgram(wellFormed(pattern));
    return program.programSize() > PROGRAM_SIZE_MAX ? refuse(TOO_LARGE) : { ok: true, value: { pattern, program } };
  } catch (error) {
    const complaint = complaintOf(error);
    return refuse(`is not valid in Go (RE2): ${printable(complaint)}; ${remedyFor(complaint)}`);
  }
}

function compileProgram(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!complaintOf(error).startsWith("duplicate capture group name")) throw error;
    return RE2JS.compile(withoutGroupNames(pattern));
  }
}

/** True if the expression is found anywhere in the text; a text beyond the limit is never matched. */
export function matchesGoRegexp(regexp: GoRegexp, text: string): boolean {
  return text.length <= SUBJECT_LENGTH_MAX && regexp.program.test(wellFormed(text));
}

const TOO_LARGE = "grows too large when its repetitions are written out; use smaller counts or * and +";

/** Go's JSON decoder has no lone surrogates: it reads each as U+FFFD, and so must we before we compare. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function complaintOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^error parsing regexp: /, "");
}

function remedyFor(complaint: string): string {
  if (complaint.startsWith("invalid or unsupported Perl syntax")) {
    return "look-around and back-references do not exist there: list the alternatives with |";
  }
  if (complaint.startsWith("invalid escape sequence")) return "a backslash that is meant itself is written \\\\";
  if (complaint.startsWith("invalid repeat count")) return "repeat at most 1000 times, nested repetitions multiplied";
  if (complaint.startsWith("invalid nested repetition")) return "put the inner repetition into ( )";
  return "put a backslash before a character that is meant itself";
}
