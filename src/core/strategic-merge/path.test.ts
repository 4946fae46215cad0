import { describe, expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { elementAt, type FieldPath, fieldAt, pathText } from "./path.ts";

type Step = string | { readonly key: string; readonly is: Json };

function pathOf(...steps: readonly Step[]): FieldPath {
  let path: FieldPath;
  for (const step of steps) path = typeof step === "string" ? fieldAt(path, step) : elementAt(path, step.key, step.is);
  return path;
}

describe("pathText()", () => {
  test.each<[string, readonly Step[]]>([
    ["", []],
    ["spec", ["spec"]],
    ["spec.containers[name=a].ports", ["spec", "containers", { key: "name", is: "a" }, "ports"]],
    ["spec.hostAliases[ip=10.0.0.1]", ["spec", "hostAliases", { key: "ip", is: "10.0.0.1" }]],
    ["ports[containerPort=80]", ["ports", { key: "containerPort", is: 80 }]],
    ['ports[containerPort="80"]', ["ports", { key: "containerPort", is: "80" }]],
    ["x[name=null]", ["x", { key: "name", is: null }]],
    ['x[name="null"]', ["x", { key: "name", is: "null" }]],
    ['x[name=""]', ["x", { key: "name", is: "" }]],
    ['x[name="a]b"]', ["x", { key: "name", is: "a]b" }]],
    ["x[name=9007199254740993]", ["x", { key: "name", is: 9007199254740993n }]],
    ["volumeMounts[mountPath=/lib/modules]", ["volumeMounts", { key: "mountPath", is: "/lib/modules" }]],
    ['metadata.labels["app.kubernetes.io/name"]', ["metadata", "labels", "app.kubernetes.io/name"]],
    ['["a.b"]', ["a.b"]],
    ['metadata.labels[""]', ["metadata", "labels", ""]],
    ['metadata.labels["\\ud800"]', ["metadata", "labels", "\ud800"]],
  ])("writes %s", (text, steps) => {
    expect(pathText(pathOf(...steps))).toBe(text);
  });
});
