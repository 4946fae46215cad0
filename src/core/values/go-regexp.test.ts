import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileGoRegexp,
  matchesGoRegexp,
  PATTERN_LENGTH_MAX,
  PROGRAM_SIZE_MAX,
  SUBJECT_LENGTH_MAX,
} from "./go-regexp.ts";
import { estimateProgramSize } from "./go-regexp-size.ts";

/** Go's answer in our words: whether it matches, or the complaint. */
function ask(pattern: string, text: string): boolean | string {
  const compiled = compileGoRegexp(pattern, "mapping[0].regexp");
  return compiled.ok ? matchesGoRegexp(compiled.value, text) : (compiled.problems[0]?.message ?? "");
}

describe("matchesGoRegexp() matches as Go does", () => {
  test.each([
    ["el9", "5.14.0-427.el9_4", true],
    ["^el9", "5.14.0-427.el9_4", false],
    ["5.14", "15.14.2-test", true],
    ["^.+$", "x", true],
    ["", "", true],
    ["(?i)EL9", "el9", true],
    ["(?P<minor>1[0-9])", "5.14", true],
    // Go takes a name that is used twice.
    ["^(?P<n>5)(?<n>6)$", "56", true],
    ["^(?P<n>5)(?P<n>6)[(?P<n>]$", "56P", true],
    ["[[:alpha:]]", "é", false],
    ["\\pL", "é", true],
    ["^\\Qa.b\\E$", "a.b", true],
    ["a$", "a\n", false],
    ["(?m)a$", "a\n", true],
    ["^.$", "\u{1F600}", true],
    ["a\\z", "a", true],
    ["(?i)k", "\u212a", true],
    // Go reads a lone surrogate as U+FFFD: its JSON decoder cannot make one.
    ["^\\x{FFFD}$", "\ud800", true],
    ["^\ud800$", "\udc00", true],
    ["^..$", "\ud800\ud800", true],
  ])("%j in %j: %s", (pattern, text, expected) => {
    expect(ask(pattern, text)).toBe(expected);
  });
});

describe("compileGoRegexp() refuses what Go refuses", () => {
  test.each([
    ["(", "missing closing ): `(`; put a backslash before a character that is meant itself"],
    [
      "(?=a)",
      "invalid or unsupported Perl syntax: `(?=`; look-around and back-references do not exist there: list the alternatives with |",
    ],
    ["(a)\\1", "invalid escape sequence: `\\1`; a backslash that is meant itself is written \\\\"],
    ["a**", "invalid nested repetition operator: `**`; put the inner repetition into ( )"],
    ["x{1001}", "invalid repeat count: `{1001}`; repeat at most 1000 times, nested repetitions multiplied"],
    ["[z-a]", "invalid character class range: `z-a`; put a backslash before a character that is meant itself"],
  ])("%s", (pattern, complaint) => {
    expect(compileGoRegexp(pattern, "mapping[0].regexp")).toEqual({
      ok: false,
      problems: [
        {
          path: "mapping[0].regexp",
          message: `regular expression ${JSON.stringify(pattern)} is not valid in Go (RE2): ${complaint}`,
        },
      ],
    });
  });
});

describe("the cost of a regular expression is bounded", () => {
  test("by the length of its pattern", () => {
    expect(ask("a".repeat(PATTERN_LENGTH_MAX), "a".repeat(PATTERN_LENGTH_MAX))).toBe(true);
    expect(ask("a".repeat(1 << 20), "a")).toMatch(/^regular expression "a{80}…" has 1048576 characters; at most 1024/);
  });

  test.each([
    ["a thousand times a thousand", `(${"a".repeat(1000)}){1000}`],
    ["counts in counts", "((a{10}){10}){9}b{1000}"],
    ["large classes", `(${String.raw`\pL`.repeat(300)}){1000}`],
    ["nothing, a thousand times", "(|a){1000}"],
  ])("by the size of its program: %s", (_, pattern) => {
    expect(ask(pattern, "a")).toMatch(/grows too large when its repetitions are written out/);
  });

  test("by the length of the text", () => {
    expect(ask("a", "a".repeat(SUBJECT_LENGTH_MAX))).toBe(true);
    expect(ask("a", "a".repeat(1 << 20))).toBe(false);
  });

  test.each(["^(a+)+$", "(a|a)*b", "(.*)*$", "((a*)*)*b", "(a?){300}a{300}", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "by the text alone: %s ends",
    (pattern) => {
      expect(ask(pattern, `${"a".repeat(SUBJECT_LENGTH_MAX - 1)}!`)).toBeTypeOf("boolean");
    },
  );
});

describe("estimateProgramSize()", () => {
  test.each([
    "^(a+)+$",
    "((a{10}){10}){10}",
    "(\\pL{500}){2}",
    "[]({1000}]x{900}",
    "\\Q(((\\E{5}",
    "[[:alpha:]]{1000}",
    "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
    "^5\\.14\\.0-427(\\.\\d+)*\\.el9_4\\.(x86_64|aarch64)$",
  ])("is within a factor of two of the program of %s", (pattern) => {
    const compiled = compileGoRegexp(pattern);
    const size = compiled.ok ? compiled.value.program.programSize() : Number.NaN;
    expect(estimateProgramSize(pattern)).toBeLessThanOrEqual(2 * size);
    expect(estimateProgramSize(pattern)).toBeGreaterThanOrEqual(size / 2);
    expect(size).toBeLessThanOrEqual(PROGRAM_SIZE_MAX);
  });
});

test("compileGoRegexp() and matchesGoRegexp() never throw", () => {
  const piece = fc.constantFrom(
    "a",
    "(",
    ")",
    "[",
    "]",
    "{2}",
    "{1000}",
    "*",
    "+",
    "?",
    "|",
    "\\",
    "^",
    "$",
    ".",
    "(?",
    "\\p",
    "\\Q",
    "\\x{",
    "-",
    "\ud800",
    "\u0000",
    "é",
  );
  const pattern = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const text = fc.array(fc.nat(0xffff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(pattern, text, (source, subject) => {
      expect(["boolean", "string"]).toContain(typeof ask(source, subject));
    }),
    { numRuns: 500 },
  );
});
