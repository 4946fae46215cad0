// Rules with values and what comes of them. The evaluator is tested with them, and so is a real API server: each case is a
// claim about it, so that the two cannot drift apart.
import type { Json, JsonObject } from "../../../../src/core/json/json.ts";
import type { Schema } from "../../schema.ts";

export type RuleCase = {
  readonly rule: string;
  readonly value: JsonObject;
  readonly old?: JsonObject;
  /** "refused" when the rule cannot be installed; other words are the error of the evaluation. */
  readonly gives: "holds" | "breaks" | "refused" | string;
};

const text: Schema = { type: "string", maxLength: 64 };

/** What `self` is in every case; lengths are bounded, or the real server would find the rules too costly. */
export const selfSchema: Schema = {
  type: "object",
  properties: {
    low: { type: "integer" },
    high: { type: "integer" },
    big: { type: "integer", format: "int64" },
    ratio: { type: "number" },
    flag: { type: "boolean" },
    name: text,
    note: { ...text, nullable: true },
    when: { type: "string", format: "date-time" },
    share: { "x-kubernetes-int-or-string": true },
    tags: { type: "array", maxItems: 8, items: text },
    numbers: { type: "array", maxItems: 8, items: { type: "integer" } },
    parts: {
      type: "array",
      maxItems: 8,
      items: { type: "object", properties: { key: text, count: { type: "integer" } } },
    },
    labels: { type: "object", maxProperties: 8, additionalProperties: text },
    sub: { type: "object", properties: { a: { type: "integer" }, "a-b": text, namespace: text } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

const full: JsonObject = {
  low: 1,
  high: 4,
  big: 9007199254740993n,
  ratio: 1.5,
  flag: true,
  name: "abc",
  share: "30%",
  tags: ["a", "b"],
  numbers: [1, 2, 3],
  parts: [
    { key: "x", count: 1 },
    { key: "y", count: 2 },
  ],
  labels: { x: "1", yy: "2" },
  sub: { a: 2, "a-b": "dashed", namespace: "ns" },
  free: { any: 1 },
};

const holding = (...rules: readonly string[]) => rules.map((rule): RuleCase => ({ rule, value: full, gives: "holds" }));
const breaking = (...rules: readonly string[]) =>
  rules.map((rule): RuleCase => ({ rule, value: full, gives: "breaks" }));
const refused = (...rules: readonly string[]) =>
  rules.map((rule): RuleCase => ({ rule, value: full, gives: "refused" }));
const failing = (rule: string, gives: string): RuleCase => ({ rule, value: full, gives });
const given = (rule: string, value: { readonly [key: string]: Json }, gives: string): RuleCase => ({
  rule,
  value,
  gives,
});

export const ruleCases: readonly RuleCase[] = [
  ...holding(
    "self.low <= self.high",
    "!has(self.low) || !has(self.high) || self.low <= self.high",
    "self.low < 2 && self.high > 3",
    "self.low + self.high * 2 == 9",
    "7 / -2 == -3 && -7 % 3 == -1",
    "self.big == 9007199254740993 && self.big > 9007199254740992",
    "self.big - 9007199254740992 == 1",
    "self.ratio > 1 && self.ratio < 2.0 && self.ratio * 2.0 == 3.0",
    "self.ratio + 0.5 == 2.0 && self.ratio - 0.5 == 1.0 && self.ratio / 0.5 == 3.0",
    "self.flag ? self.name == 'abc' : false",
    "size(self.name) == 3 && self.name.size() == 3",
    "self.name + 'd' == \"abcd\"",
    "self.name < 'abd' && 'B' < 'a'",
    "self.name.matches('^[a-z]+$') && self.name.matches('b')",
    "self.name.matches('(?i)ABC')",
    "self.name.startsWith('ab') && self.name.endsWith('c') && self.name.contains('b')",
    "self.tags == ['a', 'b'] && self.tags + ['c'] == ['a', 'b', 'c']",
    "'a' in self.tags && !('z' in self.tags)",
    "'x' in self.labels && self.labels['x'] == '1' && self.labels.yy == '2'",
    "self.low in [1, 2]",
    "self.tags[0] == 'a' && self.numbers[2] == 3",
    "self.tags.all(t, t.size() == 1) && self.tags.exists(t, t == 'b') && self.tags.exists_one(t, t == 'b')",
    "self.tags.filter(t, t != 'a') == ['b'] && self.numbers.map(n, n * 2) == [2, 4, 6]",
    "self.labels.all(key, key.startsWith('x') || key == 'yy')",
    "self.parts.all(p, self.parts.exists_one(q, q.key == p.key))",
    "self.parts.map(p, p.count).all(n, n > 0)",
    "self.sub.a__dash__b == 'dashed' && self.sub.__namespace__ == 'ns' && has(self.sub.a)",
    "type(self.share) == string && self.share.endsWith('%')",
    "type(self.share) == int ? self.share >= 0 : self.share.matches('^[0-9]+%$')",
    "string(self.low) == '1' && int('12') == 12 && int(1.9) == 1 && string(true) == 'true' && string('a') == 'a'",
    "self.labels['nope'] == '1' || true",
    "!(self.labels['nope'] == '1' && false)",
    "self.tags.exists(t, self.labels[t] == '1' || t == 'a')",
    "self.name != '\\u0061' && 'a\\tb'.size() == 3 && r'a\\tb'.size() == 4",
    "size('\u00e9\ud83d\ude00') == 2",
    "- self.low == -1 && !(!self.flag)",
    "[].size() == 0 && [[1]] == [[1]]",
    "0x10 == 16 && 1e3 == 1000.0 // a remark",
    "self == self && self.sub == self.sub && self.parts[0] != self.parts[1]",
  ),
  ...breaking(
    "self.low > self.high",
    "self.name.matches('^b')",
    "self.tags.all(t, t == 'a')",
    "self.tags.exists_one(t, t != 'z')",
    "self.flag ? false : true",
    "has(self.note)",
  ),
  ...refused(
    "self.lwo <= 1",
    "has(self.none)",
    "self.name == 1",
    "self.low == 1.0",
    "self.low + 1.0 > 2.0",
    "self.name && true",
    "self.name",
    "self.tags.all(t, t)",
    "self.tags.all(t, t > 1)",
    "self.name.matches('(')",
    "self.free.any == 1",
    "nobody == 1",
    "self.low <",
    "(self.low == 1",
    "'b' in self.name",
    "[1, 'a'].size() == 2",
    "self.low.startsWith('1')",
    "self.none.startsWith('1')",
    "self.flag ? 1 : 'a'",
    "twice(self.low) == 2",
    "has(self)",
    "self.name[0] == 'a'",
    "self.tags['a'] == 'a'",
    "self.labels[0] == 'a'",
    "self.name.contains('a', 'b')",
    "self.name.contains()",
    "contains(self.name)",
    "size() == 0",
    "self.tags.all(t) ",
    "-self.name == 'a'",
    "!self.low",
    "'a' - 'b' == 'c'",
    "self.tags < self.tags",
    "1 in self.tags",
    "self.name == 'a\\q'",
  ),
  failing("self.labels['nope'] == '1'", "no such key: nope"),
  failing("self.tags[5] == 'a'", "index out of bounds: 5"),
  failing("self.low / (self.low - 1) == 1", "division by zero"),
  failing("self.low % (self.low - 1) == 1", "modulus by zero"),
  failing("self.big * self.big > 0", "integer overflow"),
  failing("self.share > 3", "no such overload"),
  failing("int(self.name) == 1", "type conversion error from 'string' to 'int'"),
  given("self.low == 1", { high: 1 }, "no such key: low"),
  given("has(self.note) && self.note == null", { note: null }, "refused"),
  given("!has(self.note)", { note: null }, "holds"),
  given("self.note == 'x'", { note: null }, "no such key: note"),
  given("self.share <= 100", { share: 30 }, "holds"),
  given("self.ratio == 2.0 && self.ratio / 4.0 == 0.5", { ratio: 2 }, "holds"),
  given("self.tags.all(t, false)", { tags: [] }, "holds"),
  { rule: "self.low >= oldSelf.low", value: { low: 2 }, old: { low: 1 }, gives: "holds" },
  { rule: "self.low >= oldSelf.low", value: { low: 1 }, old: { low: 2 }, gives: "breaks" },
  { rule: "self == oldSelf", value: { low: 1 }, old: { low: 2 }, gives: "breaks" },
  { rule: "self == oldSelf", value: { low: 1, tags: ["a"] }, old: { tags: ["a"], low: 1 }, gives: "holds" },
  { rule: "self.low > oldSelf.low", value: { low: 1 }, gives: "holds" },
];
