import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, printEscapedJson, printJson } from "./json-text.ts";

const rounded = (_key: string, part: unknown) => (typeof part === "bigint" ? Number(part) : part);

describe("integers keep every digit", () => {
  test.each([
    ["2^53 - 1 stays a number", "9007199254740991", 9007199254740991],
    ["2^53 + 1 becomes a bigint", "9007199254740993", 9007199254740993n],
    ["the smallest int64", "-9223372036854775808", -9223372036854775808n],
    ["the largest int64", "9223372036854775807", 9223372036854775807n],
    ["a long fraction stays a number", "0.12345678901234567890", 0.12345678901234568],
    ["an exponent stays a number", "1.2345678901234567e300", 1.2345678901234567e300],
    ["digits in a string are text", '"9007199254740993"', "9007199254740993"],
  ])("%s", (_what, text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  test("an object with long numbers is written back as it came", () => {
    const text = '{"a":9223372036854775807,"b":[1,-9007199254740993,{"c":"9007199254740993"}],"d":null}';
    expect(printJson(parseJson(text))).toBe(text);
  });

  test("any int64 survives reading and writing, at any depth", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (number) => {
        const text = `{"list":[{"number":${number}}]}`;
        return printJson(parseJson(text)) === text;
      }),
    );
  });
});

test("any JSON value is read as the plain parser reads it when its numbers fit", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      // The long number beside it sends the text the exact way.
      const [value] = parseJson(`[${text}, 9007199254740993]`) as [unknown];
      expect(JSON.stringify(value, rounded)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["quotes and backslashes", JSON.stringify({ 'a\\"': "\\", b: '\\"', c: '{["9007199254740993' })],
  ["the last of two equal keys", '{"a":1,"a":9007199254740993}'],
  ["space around everything", ' { "a" : [ 9007199254740993 , true , null ] } \n'],
  ["an empty key", '{"":{"":9007199254740993}}'],
])("the exact way reads %s", (_what, text) => {
  expect(JSON.stringify(parseJson(text), rounded)).toBe(JSON.stringify(JSON.parse(text)));
});

test.each([
  [String.raw`{"\ud800":"\udfff"}`, { "\ufffd": "\ufffd" }],
  [String.raw`["\ud83d\ude00","\\ud800"]`, ["\u{1f600}", String.raw`\ud800`]],
])("halves of characters in %s are read as U+FFFD, as Go reads them", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

// The engine's parser of Node 24 and 26 keeps a key that ends in a backslash, and takes later keys with an escape for it.
test.each([
  ["plain", String.raw`"\\"`],
  ["with a blank", String.raw`"\\" `],
  ["as a code", String.raw`"\u005c"`],
  ["as a code in capitals", String.raw`"\u005C"`],
])("a key that ends in a backslash, %s, does not spoil later ones", (first, key) => {
  expect(parseJson(`{"${first}":1,${key}:1}`)).toEqual({ [first]: 1, "\\": 1 });
  expect(parseJson(String.raw`{"${first}":1,"\n":2}`)).toEqual({ [first]: 1, "\n": 2 });
  expect(() => parseJson(`{"${first}":1,${key}:1`)).toThrow(SyntaxError);
});

test("a value nested 10,000 deep keeps its digits", () => {
  const depth = 10_000;
  let value = parseJson(`${'{"a":['.repeat(depth)}9007199254740993${"]}".repeat(depth)}`);
  for (let level = 0; level < depth; level++) value = (value as { a: unknown[] }).a[0];
  expect(value).toBe(9007199254740993n);
});

test.each([
  ["without long numbers", '{"__proto__":{"polluted":1}}'],
  ["with long numbers", '{"__proto__":{"polluted":9007199254740993}}'],
])("__proto__ is data, %s", (_what, text) => {
  const value = parseJson(text);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(printJson(value)).toBe(text);
  expect("polluted" in {}).toBe(false);
});

test("text that is not JSON throws a SyntaxError", () => {
  expect(() => parseJson("<html>")).toThrow(SyntaxError);
  expect(() => parseJson('{"a":9007199254740993')).toThrow(SyntaxError);
});

test("a circle cannot be written", () => {
  const circle: Record<string, unknown> = { big: 1n };
  circle.self = circle;
  expect(() => printJson(circle)).toThrow(TypeError);
});

test("what is sent has the escapes that Go writes, and reads the same", () => {
  const value = { "a&b": "x <y> \u2028\u2029 é", plain: ["/", "=", "'"] };
  const text = printEscapedJson(value);
  expect(text).toBe(String.raw`{"a\u0026b":"x \u003cy\u003e \u2028\u2029 é","plain":["/","=","'"]}`);
  expect(JSON.parse(text)).toEqual(value);
});
