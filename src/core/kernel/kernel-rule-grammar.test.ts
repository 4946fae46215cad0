import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDefaultRule } from "./kernel-rule.ts";
import { parseKernelRule, RULE_LENGTH_MAX } from "./kernel-rule-grammar.ts";

/** The rule in short: intervals as [low,high), texts by their kind. */
function inShort(text: string): string {
  const parsed = parseKernelRule(text);
  if (!parsed.ok) return parsed.problems.map((problem) => problem.message).join("\n");
  const clauses = parsed.value.clauses.map((clause) =>
    clause
      .map((term) => {
        if (term.kind !== "numbers") return `${term.kind} ${term.text}`;
        const { low, high } = term.interval;
        return `[${low.join(".")},${high?.join(".") ?? ""})`;
      })
      .join(" & "),
  );
  return clauses.join(" | ");
}

describe("parseKernelRule() reads", () => {
  test.each([
    ["5", "[5,6)"],
    ["5.x", "[5,6)"],
    ["5.*", "[5,6)"],
    ["5.4.X", "[5.4,5.5)"],
    ["=5.4", "[5.4,5.5)"],
    [">=5.4", "[5.4,)"],
    [">  5.4", "[5.5,)"],
    ["<6", "[,6)"],
    ["<=5.3", "[,5.4)"],
    ["4.18-5.3", "[4.18,5.4)"],
    [" 4.18  -  5.3 ", "[4.18,5.4)"],
    ["4-5.3.18", "[4,5.3.19)"],
    ["4.18.0 - 5.3.18", "[4.18.0,5.3.19)"],
    [">=5.14 <6", "[5.14,) & [,6)"],
    [">=5.14<6||5.4||/x||y/", "[5.14,) & [,6) | [5.4,5.5) | regexp /x||y/"],
    ["4.18.0-193.41.1.el8_2.x86_64", "exact 4.18.0-193.41.1.el8_2.x86_64"],
    ["6.8.0+", "exact 6.8.0+"],
    ["6.9.0-rc1~bpo12+1", "exact 6.9.0-rc1~bpo12+1"],
    ["kwok-0.8.0", "exact kwok-0.8.0"],
    ['"5.4.0-66"', "exact 5.4.0-66"],
    ['"a b || c"', 'exact "a b || c"'],
    ["5.4.0-66-*", "prefix 5.4.0-66-*"],
    ["kwok-*", "prefix kwok-*"],
    ["*", "prefix *"],
    [String.raw`/^5\.14\/x/`, String.raw`regexp /^5\.14\/x/`],
    ["/a b/ >=5", "regexp /a b/ & [5,)"],
    ["5.4.0-66-generic >=5", "exact 5.4.0-66-generic & [5,)"],
  ])("%s as %s", (text, expected) => {
    expect(inShort(text)).toBe(expected);
  });

  test("default as the rule that matches nothing by itself", () => {
    const parsed = parseKernelRule(" default ");
    expect(parsed.ok && isDefaultRule(parsed.value)).toBe(true);
  });
});

describe("parseKernelRule() names text, position and remedy", () => {
  test.each([
    ["", 'kernel rule "", character 1: a condition is missing; write one such as 5.x or >=5.4'],
    ["5.4 ||", 'kernel rule "5.4 ||", character 7: a condition is missing; write one such as 5.x or >=5.4'],
    ["|| 5.4", 'kernel rule "|| 5.4", character 1: a condition is missing; write one such as 5.x or >=5.4'],
    [
      "6 || 5.4*",
      'kernel rule "6 || 5.4*", character 6: "5.4*" would match 5.40 and 5.4.0 alike: write 5.4.* for the line 5.4',
    ],
    ["v5.4", 'kernel rule "v5.4", character 1: "v5.4": a kernel release has no leading v: write 5.4'],
    [
      ">=v5.4",
      'kernel rule ">=v5.4", character 1: "v5.4" is no plain number, and only numbers have an order: write >=5.4',
    ],
    [">=5.x", 'kernel rule ">=5.x", character 1: "5.x" is no plain number, and only numbers have an order: write >=5'],
    [
      ">=5.4.0-66",
      'kernel rule ">=5.4.0-66", character 1: "5.4.0-66" is no plain number, and only numbers have an order: write >=5.4.0',
    ],
    [
      ">=x",
      'kernel rule ">=x", character 1: "x" is no plain number, and only numbers have an order: write a number such as 5.4',
    ],
    [">=", 'kernel rule ">=", character 1: a number such as 5.4 must follow >='],
    [">= || 5", 'kernel rule ">= || 5", character 1: a number such as 5.4 must follow >='],
    ["=>5", 'kernel rule "=>5", character 1: there is no =>: use >=, >, <, <= or ='],
    ["!=5", 'kernel rule "!=5", character 1: there is no !=: use >=, >, <, <= or ='],
    ["<0", 'kernel rule "<0", character 1: no kernel is below 0'],
    ["<0.0", 'kernel rule "<0.0", character 1: no kernel is below 0'],
    [
      "5.14.0-427.13.1",
      'kernel rule "5.14.0-427.13.1", character 1: "5.14.0-427.13.1" could be a release or a part of one: write "5.14.0-427.13.1" in quotes, 5.14.0-427.13.1-* for releases that start so, or 5.14.0 for the whole line',
    ],
    [
      "5.4.0-66",
      'kernel rule "5.4.0-66", character 1: "5.4.0-66" could be a release or a part of one: write "5.4.0-66" in quotes, 5.4.0-66-* for releases that start so, or 5.4.0 for the whole line',
    ],
    [
      "5.4.0-5.10.3",
      'kernel rule "5.4.0-5.10.3", character 1: "5.4.0-5.10.3" could be a range, a release, or a part of one: write 5.4.0 - 5.10.3 with spaces, "5.4.0-5.10.3" in quotes, or 5.4.0-5.10.3-* for releases that start so',
    ],
    [
      "4.18-5.3.x",
      'kernel rule "4.18-5.3.x", character 1: "4.18-5.3.x": a range includes the lines of both its numbers: write 4.18 - 5.3',
    ],
    [
      "4.18.x-5.*",
      'kernel rule "4.18.x-5.*", character 1: "4.18.x-5.*": a range includes the lines of both its numbers: write 4.18 - 5',
    ],
    [
      "5.14.0-427.x",
      'kernel rule "5.14.0-427.x", character 1: "5.14.0-427.x": write 5.14.0-427.* for releases that start so',
    ],
    ["5.", 'kernel rule "5.", character 1: "5.": a dot stands between two numbers: write 5'],
    ["5..4", 'kernel rule "5..4", character 1: "5..4": a dot stands between two numbers: write 5.4'],
    ["5.4.", 'kernel rule "5.4.", character 1: "5.4.": a dot stands between two numbers: write 5.4'],
    ["5..x", 'kernel rule "5..x", character 1: "5..x": a dot stands between two numbers: write 5'],
    [">=5.", 'kernel rule ">=5.", character 1: "5.": a dot stands between two numbers: write 5'],
    [
      "5.4.-generic",
      'kernel rule "5.4.-generic", character 1: "5.4.-generic": a dot stands between two numbers: write 5.4',
    ],
    [
      "5-generic",
      'kernel rule "5-generic", character 1: "5-generic" is no kernel release: put it in quotes if a kernel is really named so',
    ],
    ["'5.4'", `kernel rule "'5.4'", character 1: "'5.4'": only double quotes hold a release: write "5.4"`],
    [
      ">=5.4,<6",
      'kernel rule ">=5.4,<6", character 1: "5.4,": separate alternatives with ||, and conditions that must all hold with a space',
    ],
    [
      ">=5.4 && <6",
      'kernel rule ">=5.4 && <6", character 7: "&&": separate alternatives with ||, and conditions that must all hold with a space',
    ],
    [
      "5.3-4.18",
      'kernel rule "5.3-4.18", character 1: "5.3-4.18" is empty: write the lower number first, as in 4.18-5.3',
    ],
    ["5.4 - ", 'kernel rule "5.4 - ", character 1: "5.4 - " is no range of two numbers such as 4.18-5.3'],
    ["5.4 6.1", 'kernel rule "5.4 6.1", character 1: no kernel is 5.4 and 6.1 at once: put || between alternatives'],
    [
      "5 || >=6 <5",
      'kernel rule "5 || >=6 <5", character 6: no kernel is >=6 and <5 at once: put || between alternatives',
    ],
    [
      "6.8.0+ 6.9.0+",
      'kernel rule "6.8.0+ 6.9.0+", character 1: no kernel is 6.8.0+ and 6.9.0+ at once: put || between alternatives',
    ],
    [
      "6.8.0+ <6",
      'kernel rule "6.8.0+ <6", character 1: no kernel is 6.8.0+ and <6 at once: put || between alternatives',
    ],
    ["5.x.3", 'kernel rule "5.x.3", character 1: "5.x.3": x and * stand only at the end, as in 5.x'],
    ["5.x-generic", 'kernel rule "5.x-generic", character 1: "5.x-generic": x and * stand only at the end, as in 5.x'],
    [
      "5.4.0-*-generic",
      'kernel rule "5.4.0-*-generic", character 1: "5.4.0-*-generic": * stands only at the end, as in 5.4.0-66-*',
    ],
    ["~5.4", 'kernel rule "~5.4", character 1: "~5.4": there is no ~: write 5.4 for that line and its updates'],
    [
      "^5\\.14",
      'kernel rule "^5\\\\.14", character 1: "^5\\\\.14" looks like a regular expression: put it between slashes',
    ],
    [
      "5.4, 6.1",
      'kernel rule "5.4, 6.1", character 1: "5.4,": separate alternatives with ||, and conditions that must all hold with a space',
    ],
    [
      "5.4|6.1",
      'kernel rule "5.4|6.1", character 1: "5.4|6.1": separate alternatives with ||, and conditions that must all hold with a space',
    ],
    ["/a", 'kernel rule "/a", character 1: the regular expression has no closing /; a slash inside it is written \\/'],
    ["//", 'kernel rule "//", character 1: between / and / stands no regular expression; * matches every kernel'],
    ['5 || "a', 'kernel rule "5 || \\"a", character 6: the quoted release has no closing "'],
    ['""', 'kernel rule "\\"\\"", character 1: between " and " stands no release'],
    [
      "defualt",
      'kernel rule "defualt", character 1: "defualt" names no kernel: write a number (5.4), a line (5.x), a bound (>=5.4), a release, or default',
    ],
    [
      "default || 5",
      'kernel rule "default || 5", character 1: "default" names no kernel: write a number (5.4), a line (5.x), a bound (>=5.4), a release, or default',
    ],
    [
      "ü5.4",
      'kernel rule "ü5.4", character 1: "ü5.4" is no kernel release: put it in quotes if a kernel is really named so',
    ],
    [
      "5.99999999999999999999",
      'kernel rule "5.99999999999999999999", character 1: "5.99999999999999999999": part 2 has 20 digits; at most 15 compare',
    ],
    [
      "1.2.3.4.5.6.7.8.9.*",
      'kernel rule "1.2.3.4.5.6.7.8.9.*", character 1: "1.2.3.4.5.6.7.8.9.*": more than 8 numeric parts',
    ],
    [
      "/(/",
      'kernel rule "/(/", character 1: regular expression "(" is not valid in Go (RE2): missing closing ): `(`; put a backslash before a character that is meant itself',
    ],
  ])("%s", (text, message) => {
    expect(inShort(text)).toBe(message);
  });

  test("at the path of the rule", () => {
    expect(parseKernelRule("v5", "spec.variants[2].kernel")).toMatchObject({
      ok: false,
      problems: [{ path: "spec.variants[2].kernel" }],
    });
  });
});

describe("parseKernelRule() has limits", () => {
  test("on its length, without repeating a megabyte", () => {
    const parsed = parseKernelRule("5".repeat(1 << 20));
    expect(parsed).toMatchObject({ ok: false });
    expect(inShort("5".repeat(1 << 20)).length).toBeLessThan(300);
    expect(inShort("5".padStart(RULE_LENGTH_MAX))).toBe("[5,6)");
    expect(inShort("5".padStart(RULE_LENGTH_MAX + 1))).toMatch(/has 2049 characters; at most 2048 are allowed$/);
    expect(inShort(`/${"a".repeat(1024)}/`)).toMatch(/^regexp /);
    expect(RULE_LENGTH_MAX).toBeGreaterThan(1024 + 2);
  });

  test.each([
    ["alternatives", Array(33).fill("5").join(" || "), /more than 32 alternatives/],
    ["conditions", Array(9).fill(">=5").join(" "), /more than 8 conditions/],
  ])("on the number of %s", (_, text, message) => {
    expect(inShort(text)).toMatch(message);
    expect(inShort(text.slice(0, text.lastIndexOf(text.includes("||") ? " || " : " ")))).not.toMatch(message);
  });

  test("never throws, and refuses with a message of bounded length", () => {
    const piece = fc.constantFrom(
      "5",
      "4",
      ".",
      "x",
      "*",
      "-",
      " ",
      "||",
      "|",
      "/",
      "\\",
      '"',
      ">=",
      "<",
      "=",
      "!",
      "~",
      "v",
      "(",
      "el9",
      "default",
      "\ud800",
      "\n",
      "9999999999999999",
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (rule) => {
        const parsed = parseKernelRule(rule);
        if (!parsed.ok) expect(parsed.problems[0]?.message.length).toBeLessThan(1000);
      }),
      { numRuns: 1000 },
    );
  });
});
