// What Kubernetes gives for the same inputs, case by case; and that neither input is touched or copied without need.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { StrategicMergeError } from "./error.ts";
import { strategicMerge } from "./strategic-merge.ts";

type Vector = {
  readonly name: string;
  readonly original: Json;
  readonly patch: Json;
  readonly expected?: Json;
  readonly errorKind?: string;
};

function readVectors(file: string): readonly Vector[] {
  return JSON.parse(readFileSync(new URL(`./vectors/${file}`, import.meta.url), "utf8"));
}

function deepFreeze(value: Json): Json {
  if (typeof value === "object" && value !== null) for (const below of Object.values(value)) deepFreeze(below);
  return Object.freeze(value);
}

/** The result as text with sorted keys, or the kind of the error; as text, since fields called `constructor` exist. */
function outcome(original: Json, patch: Json): string {
  try {
    return sortedText(strategicMerge(original, patch));
  } catch (error) {
    if (error instanceof StrategicMergeError) return error.kind;
    throw error;
  }
}

function sortedText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`;
  if (!isJsonObject(value)) return String(JSON.stringify(value));
  const fields = Object.entries(value).map(([key, below]) => `${JSON.stringify(key)}:${sortedText(below)}`);
  return `{${fields.sort().join()}}`;
}

function field(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let at = value;
  for (const key of keys) at = isJsonObject(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined;
  return at;
}

describe.each([
  { file: "smp-vectors.json", count: 1101, source: "kubectl 1.32 and 1.33" },
  { file: "smp-quirks.json", count: 260, source: "k8s.io/apimachinery v0.35.4" },
])("strategicMerge() gives what $source gave", ({ file, count }) => {
  const vectors = readVectors(file);

  test(`in all ${count} cases of ${file}`, () => {
    expect(vectors).toHaveLength(count);
  });

  test.each(vectors)("$name", ({ original, patch, expected, errorKind }) => {
    expect(outcome(deepFreeze(original), deepFreeze(patch))).toBe(errorKind ?? sortedText(expected));
  });
});

describe("strategicMerge() shares what it does not change", () => {
  const template: JsonObject = {
    metadata: { labels: { app: "x" }, annotations: { note: "y" } },
    spec: {
      containers: [
        { name: "a", image: "a:1", env: [{ name: "X", value: "1" }], resources: { limits: { cpu: "1" } } },
        { name: "b", image: "b:1" },
      ],
      volumes: [{ name: "v", emptyDir: {} }],
      tolerations: [{ operator: "Exists" }],
    },
  };

  test("beside the path to a changed leaf, everything is the template's own", () => {
    const result = strategicMerge(template, { spec: { containers: [{ name: "a", image: "a:2" }] } });
    expect(field(result, "spec", "containers", "0", "image")).toBe("a:2");
    for (const path of [
      ["metadata"],
      ["spec", "volumes"],
      ["spec", "tolerations"],
      ["spec", "containers", "1"],
      ["spec", "containers", "0", "env"],
      ["spec", "containers", "0", "resources"],
    ])
      expect(field(result, ...path)).toBe(field(template, ...path));
  });

  test.each<[string, Json]>([
    ["an empty patch", {}],
    ["a null patch", null],
    ["a patch that sets what is there", { spec: { containers: [{ name: "a", image: "a:1" }] } }],
    [
      "a patch that deletes what is not there",
      { spec: { hostNetwork: null, containers: [{ name: "z", $patch: "delete" }] } },
    ],
    ["an empty list in a merged field", { spec: { containers: [], volumes: [] } }],
    ["an order that the list has already", { spec: { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] } }],
    [
      "an order that puts the elements back into their places",
      { spec: { "$setElementOrder/containers": [], containers: [{ name: "b" }, { name: "a" }] } },
    ],
    [
      "a delete-list that hits nothing",
      { spec: { containers: [{ name: "a", "$deleteFromPrimitiveList/args": ["x"] }] } },
    ],
    ["retained keys that are all there are", { $retainKeys: ["metadata", "spec"] }],
  ])("%s gives back the template itself", (_, patch) => {
    expect(strategicMerge(template, patch)).toBe(template);
  });
});
