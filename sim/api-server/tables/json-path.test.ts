import { expect, test } from "vitest";
import { parseJsonPath, valuesAt } from "./json-path.ts";

const object = {
  metadata: { name: "a", labels: { "example.dev/tier": "gold" } },
  spec: {
    parts: [
      { n: 1, name: "x" },
      { n: 2, name: "y" },
      { n: 3, name: "z" },
    ],
    on: true,
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Degraded", status: "False" },
    ],
  },
};

test.each([
  [".metadata.name", ["a"]],
  [".", [object]],
  [".metadata.labels.example\\.dev/tier", ["gold"]],
  [".metadata.labels['example\\.dev/tier']", ["gold"]],
  ['.metadata.labels["example\\.dev/tier"]', ["gold"]],
  [".metadata.labels['example.dev/tier']", []],
  [".metadata['labels.example\\.dev/tier']", ["gold"]],
  [".spec.parts[0].name", ["x"]],
  [".spec.parts[-1].name", ["z"]],
  [".spec.parts[-2].name", ["y"]],
  [".spec.parts[1:].n", [2, 3]],
  [".spec.parts[:2].n", [1, 2]],
  [".spec.parts[*].n", [1, 2, 3]],
  [".metadata.labels.*", ["gold"]],
  [".spec.parts[?(@.n>=2)].name", ["y", "z"]],
  [".spec.parts[?(@.n<2)].name", ["x"]],
  [".spec.parts[?(@.name!='y')].n", [1, 3]],
  [".spec.parts[?(@.other)].n", []],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type == 'Degraded')].status", ["False"]],
  [".status.conditions[?(@.type==1)].status", []],
  [".spec.parts.name", []],
  [".spec.none.at.all", []],
  [".spec.parts[9].name", []],
  [".constructor", []],
])("%s finds %j", (text, values) => {
  const path = parseJsonPath(text);
  expect(path && valuesAt(object, path)).toEqual(values);
});

test.each(["..name", ".spec[", "spec.parts", ".a[?(name)]", ".a[?(@.b==c)]", ".a['x','y']"])(
  "%s cannot be read",
  (text) => {
    expect(parseJsonPath(text)).toBeUndefined();
  },
);
