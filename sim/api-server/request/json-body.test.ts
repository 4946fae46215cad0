// Bodies: what is refused in which words, and which fields stand twice.
import { expect, test } from "vitest";
import { BODY_BYTES_MAX, bodyText, duplicateFields, readJson } from "./json-body.ts";

test.each([
  ["{", "unexpected end of JSON input"],
  ["", "unexpected end of JSON input"],
  ['{"a":x}', "invalid character 'x' looking for beginning of value"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["{} {}", "invalid character '{' after top-level value"],
  ["\u009e", "invalid character '\\u009e' looking for beginning of value"],
  ["[1e400]", "json: cannot unmarshal number 1e400 into Go value of type float64"],
  [`${"[".repeat(10_001)}${"]".repeat(10_001)}`, "invalid character '[' exceeded max depth"],
])("%j is refused in Go's words", (text, because) => {
  expect(readJson(text)).toEqual({ ok: false, because });
});

test("64-bit integers keep all their digits", () => {
  expect(readJson('{"a":9007199254740993}')).toEqual({ ok: true, value: { a: 9007199254740993n }, fields: 1 });
  expect(readJson("-9007199254740993")).toEqual({ ok: true, value: -9007199254740993n, fields: 0 });
  expect(readJson(`[${"1,".repeat(11_000)}{"a":[9007199254740993]}]`)).toMatchObject({ ok: true });
});

test("a body of 3 MiB is read, one byte more is not", () => {
  expect(bodyText("x".repeat(BODY_BYTES_MAX))).toHaveLength(BODY_BYTES_MAX);
  expect(() => bodyText("x".repeat(BODY_BYTES_MAX + 1))).toThrow("limit is 3145728");
  expect(() => bodyText("é".repeat(BODY_BYTES_MAX / 2 + 1))).toThrow("limit is 3145728");
});

test.each([
  ['{"a":1,"b":{"c":2,"d":3}}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"a" :1,"a":2}', ["a"]],
  ['{"a":[{"b":1},{"b":1,"c":2,"b":3}]}', ["a[1].b"]],
  ['{"a":"x\\":","b":":"}', []],
  ['{"a\\\\":1,"a\\\\":2}', ["a\\"]],
  ['{"\\u0061":1,"a":2}', ["a"]],
  ['{"a":{"b":{"c":1,"c":1}},"a":1}', ["a.b.c", "a"]],
  ['{"k:{\\"name\\":\\"a\\"}":1,"b":2}', []],
  ['{"k:{\\"n\\":1}":1,"k:{\\"n\\":1}":2}', ['k:{"n":1}']],
])("%s holds %j twice", (text, paths) => {
  const read = readJson(text);
  if (!read.ok) throw new Error(read.because);
  expect(duplicateFields(text, read.fields)).toEqual(paths);
});
