// One line per field gives a parser and a structural schema that say the same.
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { Json } from "../../core/json/json.ts";
import { durationMs, durationSchema } from "./duration-schema.ts";
import { kubeSchema } from "./kube-schema.ts";
import { labelSelectorSchema, parseLabelSelector } from "./label-selector-schema.ts";
import { schemaProblems } from "./schema-problems.ts";
import { structuralSchema } from "./structural-schema.ts";

function problemsOf(schema: z.ZodType, value: Json | undefined): readonly string[] {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? []
    : schemaProblems(parsed.error.issues, value, "spec").map((each) => `${each.path} ${each.message}`);
}

const text = kubeSchema.text("A name.", { max: 3, min: 1, pattern: /^[a-z]+$/, form: "small letters" });
const count = kubeSchema.wholeNumber("A count.", { min: 0, max: 9 });
const share = kubeSchema.intOrPercent("A share.");
const names = kubeSchema.list("Names.", text, { max: 2, type: "set" });
const texts = kubeSchema.textMap("Texts.", { max: 2, keyMax: 4, valueMax: 3 });
const pair = kubeSchema.ruled(kubeSchema.shape("A pair.", { a: count.optional(), b: count.optional() }), [
  {
    cel: "!has(self.a) || has(self.b)",
    holds: ({ a, b }) => a === undefined || b !== undefined,
    message: "needs b",
    at: "a",
  },
]);

describe("a structural schema", () => {
  test.each<[string, z.ZodType, object]>([
    ["a text", text, { type: "string", description: "A name.", minLength: 1, maxLength: 3, pattern: "^[a-z]+$" }],
    [
      "a text without a lower limit",
      kubeSchema.text("A.", { max: 3 }),
      { type: "string", description: "A.", maxLength: 3 },
    ],
    ["a count", count, { type: "integer", format: "int32", description: "A count.", minimum: 0, maximum: 9 }],
    [
      "a flag with a default",
      kubeSchema.flag("A flag.").default(true),
      { type: "boolean", description: "A flag.", default: true },
    ],
    [
      "a choice",
      kubeSchema.choice("A word.", ["A", "B"]),
      { type: "string", description: "A word.", enum: ["A", "B"] },
    ],
    [
      "a map of texts",
      texts,
      {
        type: "object",
        description: "Texts.",
        maxProperties: 2,
        additionalProperties: { type: "string", maxLength: 3 },
      },
    ],
    [
      "an opaque object",
      kubeSchema.opaque("A pod."),
      { type: "object", description: "A pod.", "x-kubernetes-preserve-unknown-fields": true },
    ],
  ])("of %s", (_name, schema, expected) => {
    expect(structuralSchema(schema)).toEqual(expected);
  });

  test("of a list has its type, and the keys of a list that is a map", () => {
    const item = kubeSchema.shape("An item.", { name: text });
    const list = kubeSchema.list("Items.", item, { max: 5, type: "map", keys: ["name"] });
    expect(structuralSchema(list)).toMatchObject({
      ...{ type: "array", maxItems: 5, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    });
  });

  test("of a share is an integer or a text, and names no other type", () => {
    expect(structuralSchema(share)).toMatchObject({ "x-kubernetes-int-or-string": true, minimum: 0 });
    expect(structuralSchema(share)).not.toHaveProperty("type");
  });

  test("of a shape requires what has neither default nor the word optional, and carries its rules", () => {
    const schema = structuralSchema(
      kubeSchema.shape("All.", { text, count: count.default(1), flag: kubeSchema.flag("F.").optional() }),
    );
    expect(schema).toMatchObject({ type: "object", required: ["text"] });
    expect(structuralSchema(pair)).toMatchObject({
      "x-kubernetes-validations": [{ rule: "!has(self.a) || has(self.b)", message: "needs b", fieldPath: ".a" }],
    });
  });
});

describe("a problem names the field, the value and the remedy", () => {
  const spec = kubeSchema.shape("All.", {
    text: text.optional(),
    count: count.optional(),
    share: share.optional(),
    names: names.optional(),
    texts: texts.optional(),
    pair: pair.optional(),
    word: kubeSchema.choice("A word.", ["A", "B"]).optional(),
    needed: kubeSchema.flag("Needed.").optional(),
  });
  test.each<[Json, string]>([
    [{ text: 5 }, "spec.text must be a text, not the number 5"],
    [{ text: "Ab" }, 'spec.text must be small letters, not "Ab"'],
    [{ text: "abcd" }, 'spec.text "abcd" has 4 characters; at most 3 characters are allowed'],
    [{ text: null }, "spec.text must be a text, not nothing"],
    [{ count: 1.5 }, "spec.count must be a whole number, not the number 1.5"],
    [{ count: 10 }, "spec.count is the number 10; at most 9 is allowed"],
    [{ share: "110%" }, 'spec.share must not be greater than 100%, not "110%"; write a count such as 3 or "10%"'],
    [{ names: ["a", "b", "c"] }, "spec.names has 3 entries; at most 2 entries are allowed"],
    [{ names: ["a", "a"] }, "spec.names[1] stands twice in the list; keep one of the two"],
    [{ texts: { a: 1 } }, 'spec.texts entry "a" must be a text, not the number 1; put it in quotes'],
    [{ texts: { abcde: "a" } }, "spec.texts.abcde a key has at most 4 characters"],
    [{ pair: { a: 1 } }, "spec.pair.a needs b"],
    [{ word: "C" }, 'spec.word must be one of A, B, not "C"'],
    [[], "spec must be an object, not a list"],
  ])("%j: %s", (value, problem) => {
    expect(problemsOf(spec, value)).toContain(problem);
  });

  test("and a field that is missing", () => {
    expect(problemsOf(kubeSchema.shape("All.", { text }), {})).toEqual(["spec.text is required: give a text"]);
  });

  test("a key named __proto__ is an entry like any other", () => {
    expect(problemsOf(texts, JSON.parse('{"__proto__": "a"}'))).toEqual([
      "spec.__proto__ a key has at most 4 characters",
    ]);
  });
});

test.each([
  ["90s", 90_000],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["1h1s", 3_601_000],
])("the duration %s has %i ms", (written, ms) => {
  expect(durationSchema.of("A time.").safeParse(written).success).toBe(true);
  expect(durationMs(written)).toBe(ms);
});

test.each(["", "5", "1.5h", "-1s", "30m1h", "1d", "9999999s"])("%j is no duration", (written) => {
  expect(durationSchema.of("A time.").safeParse(written).success).toBe(false);
});

test("a selector has a limit on its entries", () => {
  const matchLabels = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, "v"]));
  const selector = { matchLabels };
  expect(labelSelectorSchema.over("Nodes.").safeParse(selector).success).toBe(true);
  expect(parseLabelSelector(selector, "spec.s")).toMatchObject({
    ok: false,
    problems: [{ path: "spec.s.matchLabels" }],
  });
});
