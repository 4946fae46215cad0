// What people read when a patch cannot be applied: the place, the thing, and what to do.
import { describe, expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { strategicMerge } from "./strategic-merge.ts";

const template: Json = {
  metadata: { labels: { a: "1" }, finalizers: ["f"] },
  spec: {
    nodeSelector: { odd: { a: "1" } },
    containers: [{ name: "a", ports: [{ containerPort: 80 }], resources: ["r"], unknown: {} }],
    tolerations: [{ key: "k" }],
    volumes: [],
    hostAliases: [null],
  },
};

const inContainer = (patch: Json): Json => ({ spec: { containers: [{ name: "a", ...Object(patch) }] } });

describe("a StrategicMergeError", () => {
  test.each<[string, string, Json, RegExp]>([
    ["badDocument", "", ["x"], /^pod template: the patch is a list of 1; give an object$/],
    ["badPatchType", "metadata.labels", { metadata: { labels: { $patch: "purge" } } }, /"\$patch" is "purge"; use/],
    ["badPatchType", "spec.containers", { spec: { containers: [{ name: "a", $patch: 1 }] } }, /1.*; use "delete"/],
    ["mergeDirectiveInList", "spec.containers", { spec: { containers: [{ $patch: "merge" }] } }, /leave it out/],
    [
      "noMergeKey",
      "spec.containers",
      { spec: { containers: [{ image: "x" }] } },
      /\{image\} lacks the merge key "name"/,
    ],
    [
      "noMergeKey",
      "spec.containers[name=a].ports",
      inContainer({ ports: [{}] }),
      /lacks the merge key "containerPort"/,
    ],
    ["noMergeKeyForList", "spec.tolerations", { spec: { "$deleteFromPrimitiveList/tolerations": [{}] } }, /told apart/],
    [
      "mixedElementTypes",
      "metadata.finalizers",
      { metadata: { finalizers: [1] } },
      /string and integer; make them alike/,
    ],
    ["listOfLists", "spec.volumes", { spec: { volumes: [[]] } }, /itself a list; give a flat list/],
    ["goPanic", "spec.hostAliases", { spec: { hostAliases: [] } }, /is null; remove it/],
    ["noElements", "spec.volumes", { spec: { "$setElementOrder/volumes": [] } }, /no elements to order; leave/],
    ["notAMap", "spec.containers", { spec: { "$setElementOrder/containers": ["x"] } }, /holds "x" at 0; give objects/],
    [
      "badArgType",
      "spec.containers",
      { spec: { "$setElementOrder/containers": [], containers: 1 } },
      /this is 1; give/,
    ],
    ["badRetainKeys", "spec", { spec: { $retainKeys: ["a"], b: 1 } }, /does not list "b".*; list all fields/],
    ["badRetainKeys", "spec", { spec: { $retainKeys: "a" } }, /is "a", which is no list/],
    ["goPanic", "spec", { spec: { $retainKeys: [{}] } }, /holds an object or a list; give names/],
    ["badPrimitiveList", "spec", { spec: { $deleteFromPrimitiveList: [] } }, /names no field; write/],
    ["badSetElementOrder", "spec", { spec: { $setElementOrder: [] } }, /names no field; write/],
    [
      "orderMismatch",
      "spec.containers",
      { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "a" }] } },
      /\{name\} is not in "\$setElementOrder".*; list all elements/,
    ],
    [
      "unknownField",
      "spec.containers[name=a].unknown",
      inContainer({ unknown: {} }),
      /Container has no field of this name/,
    ],
    ["notStruct", "spec.nodeSelector.odd", { spec: { nodeSelector: { odd: {} } } }, /no nested fields; replace/],
    ["expectedSlice", "spec.containers[name=a].resources", inContainer({ resources: [] }), /takes no list; give/],
  ])("of kind %s at %s says what to do", (kind, path, patch, message) => {
    expect(() => strategicMerge(template, patch)).toThrow(
      expect.objectContaining({ kind, path, message: expect.stringMatching(message), name: "StrategicMergeError" }),
    );
  });

  test.each<[string, Json]>([
    ["a key", { spec: { containers: [{ "x\nE0101 forged": 1 }] } }],
    ["a merge key", { spec: { containers: [{ name: "a\nb\u2028c", unknown: {} }] } }],
    ["a field", { spec: { securityContext: { "a\u2028b": {} }, nodeSelector: { "a\n\u2028b": {} } } }],
    ["a value", { spec: { $patch: "x\u2029\u202ey\n" } }],
  ])("is one printable line whatever %s holds", (_, patch) => {
    const start = {
      spec: { nodeSelector: { "a\n\u2028b": {} }, containers: [{ name: "a" }, { name: "a\nb\u2028c", unknown: {} }] },
    };
    expect(() => strategicMerge(start, patch)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u) }),
    );
  });

  test("names the template when that is no object", () => {
    expect(() => strategicMerge("x", {})).toThrow(/the pod template is "x"; give an object/);
  });
});
