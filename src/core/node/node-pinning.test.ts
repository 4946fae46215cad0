import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json } from "../json/json.ts";
import { pinToNode, targetNodeName } from "./node-pinning.ts";
import pins from "./vectors/replace-node-name-node-affinity.json" with { type: "json" };
import targets from "./vectors/target-node-name.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(pins)("$affinity pinned to $nodeName", ({ affinity, nodeName, expected }) => {
    expect(pinToNode(affinity, nodeName)).toEqual(expected);
  });
  test.each(targets)("the target of $podSpec is $nodeName", ({ podSpec, nodeName, error }) => {
    const target = targetNodeName(podSpec);
    expect(target.ok).toBe(error !== true);
    if (target.ok) expect(target.value).toBe(nodeName);
  });
});

test("pinning leaves its argument alone", () => {
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
  const before = structuredClone(affinity);
  pinToNode(affinity, "w-1");
  expect(affinity).toEqual(before);
});

test.each([["a text"], [7], [[]], [{ nodeAffinity: [] }], [null]])(
  "%j as affinity is replaced where it is no object",
  (affinity) => {
    const pinned = pinToNode(affinity, "w-1");
    expect(targetNodeName({ affinity: pinned })).toEqual({ ok: true, value: "w-1" });
  },
);

test("no pod spec has a target by accident, whatever its shape", () => {
  for (const spec of [undefined, null, [], "x", { affinity: { nodeAffinity: 5 } }, { nodeName: 5 }]) {
    expect(targetNodeName(spec).ok).toBe(false);
  }
});

test("a pinned pod is read back as made for its node, whatever its affinity was", () => {
  const json: fc.Arbitrary<Json> = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
  const affinity = fc.oneof(json, fc.record({ nodeAffinity: json, podAffinity: json }));
  fc.assert(
    fc.property(affinity, fc.string({ minLength: 1 }), (before, nodeName) => {
      const pinned = pinToNode(before, nodeName);
      expect(targetNodeName({ affinity: pinned })).toEqual({ ok: true, value: nodeName });
      if (isJsonObject(before) && Object.hasOwn(before, "podAffinity"))
        expect(pinned.podAffinity).toEqual(before.podAffinity);
    }),
  );
});
