import { describe, expect, test } from "vitest";
import { JSON_DEPTH_MAX } from "./canonical-json.ts";
import { parseJson } from "./parse-json.ts";

test.each([
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -9223372036854775808n],
  ["9223372036854775808", 2 ** 63],
  ["12345678901234567.5", Number("12345678901234567.5")],
  ["10000000000000000e3", 1e19],
  ['"9007199254740993"', "9007199254740993"],
  ['[9007199254740993, {"a": [-9007199254740993]}]', [9007199254740993n, { a: [-9007199254740993n] }]],
])("%s keeps what Kubernetes would keep of it", (text, value) => {
  expect(parseJson(text)).toEqual({ ok: true, value });
});

test("a member named __proto__ is a plain member on both ways of reading", () => {
  for (const text of ['{"__proto__": {"a": 1}}', '{"__proto__": {"a": 1}, "n": 9007199254740993}']) {
    const parsed = parseJson(text);
    expect(parsed.ok && Object.keys(Object(parsed.value))).toContain("__proto__");
    expect(parsed.ok && Object.getPrototypeOf(parsed.value)).toBe(Object.prototype);
  }
});

test.each([
  [String.raw`"\ud800"`, "\ufffd"],
  [String.raw`"\uDFFFa\ud83d\ude00"`, "\ufffda\u{1f600}"],
  ['"\ud800"', "\ufffd"],
  [String.raw`{"\ud800":1,"\ud801":2}`, { "\ufffd": 2 }],
  [String.raw`{"a":"\\ud800"}`, { a: String.raw`\ud800` }],
])("halves of characters in %s are read as U+FFFD, as Go reads them", (text, value) => {
  expect(parseJson(text)).toEqual({ ok: true, value });
});

// The engine's parser of Node 24 and 26 keeps a key that ends in a backslash, and takes later keys with an escape for it.
test.each([
  ["plain", String.raw`"\\"`],
  ["with a blank", String.raw`"\\" `],
  ["as a code", String.raw`"\u005c"`],
  ["as a code in capitals", String.raw`"\u005C"`],
])("a key that ends in a backslash, %s, does not spoil later ones", (first, key) => {
  expect(parseJson(`{"${first}":1,${key}:1}`)).toEqual({ ok: true, value: { [first]: 1, "\\": 1 } });
  expect(parseJson(String.raw`{"${first}":1,"\n":2}`)).toEqual({ ok: true, value: { [first]: 1, "\n": 2 } });
});

describe("broken text is answered with its position and what is missing", () => {
  test.each([
    ["", "the end at line 1, column 1 where a value is needed"],
    ["{", "the end at line 1, column 2 where a key in double quotes is needed"],
    ['{"a" 1}', "\"1}\" at line 1, column 6 where ':' is needed"],
    ['{"a": x}', '"x}" at line 1, column 7 where a value is needed'],
    ['{"a": 1,}', '"}" at line 1, column 9 where a key in double quotes is needed'],
    ["{a: 1}", '"a: 1}" at line 1, column 2 where a key in double quotes is needed'],
    ["[1 2]", "\"2]\" at line 1, column 4 where ',' or ']' is needed"],
    ["[1,\n 2,\n ]", '"]" at line 3, column 2 where a value is needed'],
    ["01", '"1" at line 1, column 2 where the end is needed'],
    ["[1e400]", '"1e400]" at line 1, column 2 where a value is needed'],
    [`-${"9".repeat(400)}`, '"-9999999999999999999" at line 1, column 1 where a value is needed'],
    ["1.", "the end at line 1, column 3 where a value is needed"],
    ["-", "the end at line 1, column 2 where a value is needed"],
    ["1e+", "the end at line 1, column 4 where a value is needed"],
    ['"a', "the end at line 1, column 3 where a value is needed"],
    ['"\\x"', '"\\\\x\\"" at line 1, column 2 where a value is needed'],
    ['"\\u12g4"', '"\\\\u12g4\\"" at line 1, column 2 where a value is needed'],
    ["NaN", '"NaN" at line 1, column 1 where a value is needed'],
    ["nul", '"nul" at line 1, column 1 where a value is needed'],
  ])("%j", (text, what) => {
    expect(parseJson(text, "data")).toEqual({
      ok: false,
      problems: [{ path: "data", message: `is no JSON: has ${what}` }],
    });
  });
});

test("nesting is read up to the limit and refused beyond it, with long numbers and without", () => {
  for (const core of ["", "9007199254740993"]) {
    const deep = (levels: number) => `${"[".repeat(levels)}${core}${"]".repeat(levels)}`;
    expect(parseJson(deep(JSON_DEPTH_MAX)).ok).toBe(true);
    expect(parseJson(deep(JSON_DEPTH_MAX + 1))).toEqual({
      ok: false,
      problems: [{ path: "text", message: "nests deeper than 10000 levels; flatten it" }],
    });
  }
  expect(parseJson(JSON.stringify(`\\"${"[".repeat(JSON_DEPTH_MAX + 1)}`)).ok).toBe(true);
});
