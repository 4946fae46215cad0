// Which changes of nodes make somebody look at a set: what its decisions read of them, and nothing else. And which changes of a set
// ask for other pods.
import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { parseNodeFacts } from "../../core/node/node-facts.ts";
import { mergeObject } from "../../core/strategic-merge/merge-patch.ts";
import { createDaemonSetKind } from "./daemon-set-kind.ts";
import { aDaemonSet } from "./testing/cases.ts";
import { aNode, rolling } from "./testing/set-on-paper.ts";

const patches = [{ selector: { matchLabels: { disk: "ssd" } }, patch: { metadata: { annotations: { disk: "ssd" } } } }];
const spec: JsonObject = {
  patches,
  ...rolling({ maxUnavailable: 1, selector: { matchLabels: { canary: "yes" } } }),
  template: {
    metadata: { labels: { app: "agent" } },
    spec: { nodeSelector: { pool: "storage" }, containers: [{ name: "agent", image: "registry.example.com/agent:1" }] },
  },
};
const object = mergeObject(aDaemonSet(spec), { metadata: { uid: "set-uid", generation: 1 } });
const stored = { ...objectIdentity(object), object };
const before = aNode("w-1", { pool: "storage" });
const conditions = (...types: readonly string[]) => ({
  status: { conditions: types.map((type) => ({ type, status: "True", lastHeartbeatTime: "2026-03-01T12:00:00Z" })) },
});

function isConcerned(was: JsonObject | undefined, now: JsonObject | undefined): boolean {
  const facts = (node: JsonObject | undefined) => node && parseNodeFacts(node);
  return createDaemonSetKind().concerns(stored, facts(was), facts(now));
}

describe("a change of a node", () => {
  test.each<[string, JsonObject]>([
    ["nothing", {}],
    ["another version of the same", { metadata: { resourceVersion: "2" } }],
    ["a heartbeat", conditions("Ready")],
    ["another condition that no decision reads", conditions("Ready", "DiskPressure")],
    ["a label that nobody asks for", { metadata: { labels: { rack: "7" } } }],
    [
      "a taint that is tolerated",
      { spec: { taints: [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }] } },
    ],
  ])("is nothing to a set: %s", (_about, change) => {
    expect(isConcerned(before, mergeObject(before, change))).toBe(false);
  });

  test.each<[string, JsonObject]>([
    ["it should run the pod no more", { metadata: { labels: { pool: "compute" } } }],
    ["it must not keep the pod", { spec: { taints: [{ key: "broken", effect: "NoExecute" }] } }],
    ["it should not get a pod", { spec: { taints: [{ key: "reserved", effect: "NoSchedule" }] } }],
    ["the update may take it", { metadata: { labels: { canary: "yes" } } }],
    ["another patch applies", { metadata: { labels: { disk: "ssd" } } }],
    ["it is not ready", { status: { conditions: [{ type: "Ready", status: "False" }] } }],
    ["it is being deleted", { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } }],
    ["it is another machine of the same name", { metadata: { uid: "uid-2" } }],
  ])("is looked at, there and back: %s", (_about, change) => {
    const after = mergeObject(before, change);
    expect([isConcerned(before, after), isConcerned(after, before)]).toEqual([true, true]);
  });

  test("is looked at when it comes and when it goes", () => {
    expect([isConcerned(undefined, before), isConcerned(before, undefined)]).toEqual([true, true]);
  });
});

describe("an edit of a set", () => {
  const asksForSame = (was: JsonObject, now: JsonObject) => {
    const storedAs = (each: JsonObject) => ({ ...objectIdentity(each), object: each });
    return createDaemonSetKind().isSameWish?.(storedAs(was), storedAs(now));
  };
  const [patch = {}] = patches;

  test.each<[string, JsonObject]>([
    ["another budget", { spec: rolling({ maxUnavailable: 5 }) }],
    ["another strategy", { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } }],
    ["a partition and a pause", { spec: rolling({ partition: 3, paused: true }) }],
    ["what says when a pod serves, and how much is kept", { spec: { minReadySeconds: 9, revisionHistoryLimit: 1 } }],
    ["labels of the set itself", { metadata: { labels: { team: "a" }, annotations: { note: "b" } } }],
    ["its status", { status: { desiredNumberScheduled: 7 } }],
    ["a priority of none, spelt out", { spec: { patches: [{ ...patch, priority: 0 }] } }],
  ])("asks for the same pods: %s", (_about, change) => {
    expect(asksForSame(object, mergeObject(object, change))).toBe(true);
  });

  test.each<[string, JsonObject]>([
    ["another image", { spec: { template: { spec: { containers: [{ name: "agent", image: "other" }] } } } }],
    ["another label of pods", { spec: { template: { metadata: { labels: { tier: "b" } } } } }],
    ["no patches", { spec: { patches: null } }],
    ["one more patch", { spec: { patches: [patch, patch] } }],
    ["a patch for other nodes", { spec: { patches: [{ ...patch, selector: { matchLabels: { disk: "hdd" } } }] } }],
    ["a patch of another priority", { spec: { patches: [{ ...patch, priority: 5 }] } }],
    ["pods that come beside others", { spec: rolling({ maxSurge: 1, maxUnavailable: 0 }) }],
    ["a template that nobody can read", { spec: { template: "none" } }],
  ])("may ask for others, there and back: %s", (_about, change) => {
    const after = mergeObject(object, change);
    expect([asksForSame(object, after), asksForSame(after, object)]).toEqual([false, false]);
  });

  test("may ask for others where nobody could read it before nor can now", () => {
    const unreadable = mergeObject(object, { spec: { template: "none" } });
    expect(asksForSame(unreadable, unreadable)).toBe(false);
  });
});
