// Nodes, pods and revisions as nobody should write them, by the numbers of the list of bad inputs (149, 154, 155 and 183–195): what a
// set decides about them, and that its other nodes go on.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { mergeObject } from "../../core/strategic-merge/merge-patch.ts";
import { REVISION_HASH } from "./pods/pod-keys.ts";
import { aNode, image, never, nodes, rolling, running, SetOnPaper } from "./testing/set-on-paper.ts";

const placesOf = (set: SetOnPaper) => set.pods.map(({ node }) => node).sort();
const twoBudget = rolling({ maxUnavailable: 2 });

test("149 a pause in the middle of a step stops the next one, and what was begun ends", () => {
  const set = running(rolling({ maxUnavailable: 1 }), nodes(3));
  set.edit(image("2"));
  expect(set.look().deleted).toHaveLength(1);
  set.edit(rolling({ maxUnavailable: 1, paused: true }));
  set.settle();
  expect(set.status).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 3 });
  set.edit(rolling({ maxUnavailable: 1, paused: false }));
  expect(set.settle().status).toMatchObject({ updatedNumberScheduled: 3 });
});

test("154 what a revision said that is gone is said anew: it is an edit as any other", () => {
  const set = running({ revisionHistoryLimit: 0, ...twoBudget }, nodes(2));
  const first = set.status.updateRevision;
  set.edit(image("2"));
  set.settle();
  set.edit(image("1.0"));
  expect(set.settle().status).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 2 });
  expect(set.status.updateRevision).toBe(first);
});

test("155 a way back to what is there does nothing", () => {
  const set = running({}, nodes(2));
  set.edit(image("1.0"));
  expect(set.settle().pods.map(({ uid }) => uid)).toHaveLength(2);
  expect(set.look()).toMatchObject({ created: [], deleted: [] });
});

test.each<[string, JsonObject, readonly string[]]>([
  ["183 without any information about it", { status: null }, ["n0", "odd"]],
  [
    "184 with two conditions of one type",
    {
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { type: "Ready", status: "True" },
        ],
      },
    },
    ["n0", "odd"],
  ],
  [
    "185 cordoned, and emptied by a taint",
    { spec: { unschedulable: true, taints: [{ key: "drain", effect: "NoExecute" }] } },
    ["n0"],
  ],
  [
    "185 cordoned alone",
    { spec: { unschedulable: true, taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] } },
    ["n0", "odd"],
  ],
  ["186 that is being deleted", { metadata: { deletionTimestamp: "2026-03-01T11:00:00Z" } }, ["n0"]],
])("a node %s", (_about, more, places) => {
  const set = new SetOnPaper({}, [aNode("n0"), aNode("odd", {}, more)]).settle();
  expect(placesOf(set)).toEqual(places);
});

test("187 a pod with two controllers is counted by the one with our UID, and is not written to twice", () => {
  const set = running({}, nodes(2));
  const [pod = never()] = set.pods;
  const owners = [{ apiVersion: "v1", kind: "Other", name: "x", uid: "other", controller: true }];
  set.change(pod, { metadata: { ownerReferences: [...(ownersOf(set, pod.node) ?? []), ...owners] } });
  const { created, deleted } = set.look();
  expect([created.length, deleted.length].every((count) => count <= 1)).toBe(true);
  expect(placesOf(set.settle())).toEqual(["n0", "n1"]);
});

test("188 a pod of ours that has lost its labels is let go, and its node gets another", () => {
  const set = running({}, nodes(2));
  const [pod = never()] = set.pods;
  set.change(pod, { metadata: { labels: { app: null, [REVISION_HASH]: null } } });
  set.settle();
  expect(placesOf(set)).toEqual(["n0", "n1"]);
  expect(set.pods.map(({ uid }) => uid)).not.toContain(pod.uid);
});

test.each(["Unknown", "", "Napping"])("189 a pod of phase %j lives, and its node gets no second one", (phase) => {
  const set = running({}, nodes(2));
  set.change(set.pods[0] ?? never(), { status: { phase } });
  expect(set.look()).toMatchObject({ created: [], deleted: [] });
});

test.each<[string, JsonObject]>([
  ["190 no statuses of containers", { containerStatuses: null }],
  [
    "190 statuses of containers that it does not have",
    { containerStatuses: [{ name: "ghost", ready: true, image: "x" }, { name: "agent" }] },
  ],
  ["191 an empty image ID", { containerStatuses: [{ name: "agent", image: "", imageID: "" }] }],
  [
    "191 an image ID in Docker's form",
    { containerStatuses: [{ name: "agent", image: "a", imageID: "docker-pullable://a@sha256:00" }] },
  ],
  ["193 restarts below zero", { containerStatuses: [{ name: "agent", restartCount: -5 }] }],
  ["193 restarts beyond counting", { containerStatuses: [{ name: "agent", restartCount: 2 ** 53 }] }],
])("a pod with %s is updated in place as others are", (_about, status) => {
  const set = running(rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 }), nodes(2));
  const before = set.pods.map(({ uid }) => uid).sort();
  set.change(set.pods[0] ?? never(), { status });
  set.edit(image("2"));
  expect(set.settle().status).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 2 });
  expect(set.pods.map(({ uid }) => uid).sort()).toEqual(before);
});

test("192 a pod that is ready from tomorrow on does not serve today, and is looked at again", () => {
  const set = running({ minReadySeconds: 10, ...rolling({ maxUnavailable: 1 }) }, nodes(2));
  set.nowMs += 60_000;
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-03-02T12:00:00Z" }];
  set.change(set.pods[0] ?? never(), { status: { conditions } });
  set.edit(image("2"));
  const { deleted, plan } = set.look();
  expect(deleted.length).toBeLessThanOrEqual(1);
  expect(plan.lookAgainAtMs).toBeDefined();
});

test.each<[string, JsonObject]>([
  ["no data", { data: null }],
  ["data of another kind", { data: { spec: { template: "none" } } }],
  ["a number in words", { revision: "first" }],
])("194 a revision with %s is left alone, and nobody is restarted for it", (_about, garbage) => {
  const set = running({}, nodes(2));
  const [revision = {}] = set.cluster.objects().filter(({ kind }) => kind === "ControllerRevision");
  const metadata = { name: "agent-garbage", uid: "garbage", labels: { [REVISION_HASH]: "garbage" } };
  set.cluster.put(mergeObject(mergeObject(revision, { metadata }), garbage));
  expect(set.look()).toMatchObject({ created: [], deleted: [] });
});

test("195 of two revisions that say the same one counts, and no pod is restarted", () => {
  const set = running({}, nodes(2));
  const [revision = {}] = set.cluster.objects().filter(({ kind }) => kind === "ControllerRevision");
  const metadata = { name: "agent-twin", uid: "twin", labels: { [REVISION_HASH]: "twin" } };
  set.cluster.put(mergeObject(revision, { metadata, revision: 7 }));
  const before = set.pods.map(({ uid }) => uid).sort();
  expect(
    set
      .settle()
      .pods.map(({ uid }) => uid)
      .sort(),
  ).toEqual(before);
});

function ownersOf(set: SetOnPaper, node: string): readonly JsonObject[] | undefined {
  const { metadata } = set.podOn(node);
  return mergeObject({}, metadata as JsonObject).ownerReferences as readonly JsonObject[] | undefined;
}
