import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { HttpRequest } from "../../../src/kube/transport.ts";
import type { Commit, State } from "../commit.ts";
import { atMostOne } from "./at-most-one.ts";
import { deletesCarryUid } from "./deletes-carry-uid.ts";
import { observedGenerationRises } from "./observed-generation.ts";
import { LEASES, onlyHolderSends } from "./only-holder-sends.ts";

const commit = (more: Partial<Commit>): Commit => ({
  ...{ table: "pods", key: "default/a", revision: 2, by: "operator.1", before: undefined, after: {} },
  ...more,
});
const stateWith = (...objects: readonly JsonObject[]): State => ({
  object: () => objects[0],
  objects: () => objects,
});

describe("AtMostOne", () => {
  const aPod = (
    name: string,
    more: { meta?: JsonObject; spec?: JsonObject; status?: JsonObject } = {},
  ): JsonObject => ({
    metadata: { name, ownerReferences: [{ uid: "set-1", controller: true }], ...more.meta },
    spec: { nodeName: "n", ...more.spec },
    status: more.status ?? {},
  });
  const toNode = (name: string): JsonObject => {
    const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }];
    const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
    return { nodeName: "", affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } };
  };
  const other = { ownerReferences: [{ uid: "set-2", controller: true }] };

  test.each([
    ["two of one set on one node", aPod("b"), true],
    ["one that is only meant for the node yet", aPod("b", { spec: toNode("n") }), true],
    ["one that is meant for another node", aPod("b", { spec: toNode("m") }), false],
    ["one on another node", aPod("b", { spec: { nodeName: "m" } }), false],
    ["one of another set", aPod("b", { meta: other }), false],
    ["one without a controller", aPod("b", { meta: { ownerReferences: [{ uid: "set-1" }] } }), false],
    ["one that ends", aPod("b", { meta: { deletionTimestamp: "2026-01-01T00:00:00Z" } }), false],
    ["one that has failed", aPod("b", { status: { phase: "Failed" } }), false],
  ])("beside a pod, %s: broken %s", (_, second, isBroken) => {
    const first = aPod("a");
    const wrong = atMostOne().check(commit({ after: first }), stateWith(first, second));
    expect(wrong === undefined).toBe(!isBroken);
  });

  test("only controllers of the kind that is named count", () => {
    const owned = { ownerReferences: [{ kind: "Set", uid: "set-1", controller: true }] };
    const twins = [aPod("a", { meta: owned }), aPod("b", { meta: owned })];
    const check = (kind: string) => atMostOne(kind).check(commit({ after: twins[0] }), stateWith(...twins));
    expect([check("Set"), check("DaemonSet")]).toEqual([expect.stringContaining("2 pods"), undefined]);
  });

  test("a removal, or a write to something else, breaks nothing", () => {
    const twins = stateWith(aPod("a"), aPod("b"));
    expect(atMostOne().check(commit({ before: aPod("c"), after: undefined }), twins)).toBeUndefined();
    expect(atMostOne().check(commit({ table: "nodes", after: aPod("a") }), twins)).toBeUndefined();
  });
});

describe("ObservedGeneration", () => {
  const seen = (observedGeneration: number, uid = "u", generation = 5): JsonObject => ({
    metadata: { uid, generation },
    status: { observedGeneration },
  });
  test.each([
    ["rises", seen(3), seen(4), false],
    ["stays", seen(4), seen(4), false],
    ["falls", seen(4), seen(3), true],
    ["is ahead of the generation", seen(4), seen(6), true],
    ["begins anew in another object", seen(4), seen(1, "v"), false],
    ["is set for the first time", undefined, seen(5), false],
  ])("%s: broken %s", (_, before, after, isBroken) => {
    const wrong = observedGenerationRises.check(commit({ before, after }), stateWith());
    expect(wrong === undefined).toBe(!isBroken);
  });
});

const request = (method: HttpRequest["method"], more: Partial<HttpRequest> = {}): HttpRequest => ({
  ...{ method, path: "/x", headers: {}, lane: "calls" },
  ...more,
});

describe("DeletesCarryUid", () => {
  const rule = deletesCarryUid("operator");
  test.each([
    [request("DELETE"), true],
    [request("DELETE", { body: "{}" }), true],
    [request("DELETE", { body: '{"preconditions":{"resourceVersion":"1"}}' }), true],
    [request("DELETE", { body: '{"preconditions":{"uid":"u"}}' }), false],
    [request("POST"), false],
  ])("%j: broken %s", (sent, isBroken) => {
    expect(rule.check({ request: sent, by: "operator.1" }, stateWith()) === undefined).toBe(!isBroken);
  });
});

describe("OnlyHolderSends", () => {
  const rule = onlyHolderSends(["operator"], "default/lease");
  const heldBy = (holderIdentity: string): State => ({
    object: (table, key) => (table === LEASES && key === "default/lease" ? { spec: { holderIdentity } } : undefined),
    objects: () => [],
  });
  test.each([
    ["a write by the holder", request("POST"), "operator.1", false],
    ["a write while another holds it", request("POST"), "operator.2", true],
    ["a write while nobody holds it", request("DELETE"), "", true],
    ["a read", request("GET"), "operator.2", false],
    ["a renewal", request("PUT", { lane: "lease" }), "operator.2", false],
  ])("%s: broken %s", (_, sent, holder, isBroken) => {
    expect(rule.check({ request: sent, by: "operator.1" }, heldBy(holder)) === undefined).toBe(!isBroken);
  });
});
