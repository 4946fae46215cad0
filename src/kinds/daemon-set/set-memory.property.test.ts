// What the kind remembers saves time and changes nothing: after whatever happened, a kind that has seen all of it decides as one
// that has seen nothing.
import fc from "fast-check";
import { expect, test } from "vitest";
import { timestamp } from "../../core/decision/conditions.ts";
import type { Plan } from "../../core/decision/plan.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import { keyOf } from "../forecast/paper-shelf.ts";
import { createDaemonSetKind } from "./daemon-set-kind.ts";
import { decideSet } from "./decide.ts";
import { observeSet } from "./observe.ts";
import { LIFECYCLE_STATE } from "./pods/lifecycle.ts";
import { RENDERED_HASH, REVISION_HASH } from "./pods/pod-keys.ts";
import { createSetMemory } from "./set-memory.ts";
import { aNode, image, rolling, SetOnPaper } from "./testing/set-on-paper.ts";

const NODES = 5;
const sizes = ["small", "large", "huge"];
const patchFor = (size: string): JsonObject => ({
  selector: { matchLabels: { size } },
  patch: { spec: { containers: [{ name: "agent", env: [{ name: "SIZE", value: size }] }] } },
});
/** It makes a node's pod match the selector of the set no more, so that nothing can be rendered. */
const badPatch: JsonObject = {
  selector: { matchLabels: { size: "huge" } },
  patch: { metadata: { labels: { app: "other" } } },
};
/** Every field is named, since an edit is a merge. */
const whole = (fields: JsonObject) =>
  rolling({
    ...{ rollingUpdateType: "Standard", maxUnavailable: 0, maxSurge: 0, partition: 0, paused: false, selector: null },
    ...fields,
  });
const strategies: readonly JsonObject[] = [
  ...[whole({ maxUnavailable: 1 }), whole({ maxUnavailable: "50%", partition: 1 }), whole({ maxSurge: 2 })],
  ...[{ updateStrategy: { type: "OnDelete" } }, whole({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 2 })],
  ...[whole({ maxUnavailable: 1, paused: true }), whole({ maxUnavailable: 1, strictAvailability: false })],
  whole({ maxUnavailable: 2, selector: { matchLabels: { size: "large" } } }),
];

type Move = (set: SetOnPaper) => void;

const aPlace = fc.nat({ max: NODES - 1 });
const aSize = fc.constantFrom(...sizes);
const nameAt = (place: number) => `n${place}`;
const putNode = (set: SetOnPaper, place: number, size: string, more: JsonObject = {}) => {
  set.cluster.join(aNode(nameAt(place), { size }, more));
};
const onNode = (more: JsonObject) =>
  fc.tuple(aPlace, aSize).map(
    ([place, size]): Move =>
      (set) =>
        putNode(set, place, size, more),
  );

const nodeMoves: readonly fc.Arbitrary<Move>[] = [
  fc.tuple(aPlace, aSize).map(
    ([place, size]): Move =>
      (set) => {
        putNode(set, place, size);
        set.relabelledMs.set(nameAt(place), set.nowMs);
      },
  ),
  aPlace.map(
    (place): Move =>
      (set) =>
        set.cluster.lose(nameAt(place)),
  ),
  onNode({ status: { conditions: [{ type: "Ready", status: "False" }] } }),
  onNode({ spec: { taints: [{ key: "away", effect: "NoExecute" }] } }),
  onNode({ spec: { taints: [{ key: "closed", effect: "NoSchedule" }] } }),
  onNode({ metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } }),
];

/** Something that happens to one of the pods, whichever is at that place. */
const onPod = (change: (set: SetOnPaper, pod: DaemonPod) => void) =>
  fc.nat({ max: 2 * NODES }).map(
    (place): Move =>
      (set) => {
        const pod = set.pods[place % Math.max(1, set.pods.length)];
        if (pod !== undefined) change(set, pod);
      },
  );
const patchPod = (patch: JsonObject) => onPod((set, pod) => set.change(pod, patch));
const readiness = (isReady: boolean) =>
  onPod((set, pod) => void set.ready(isReady, ({ name, phase }) => name === pod.name && phase !== "Failed"));

const podMoves: readonly fc.Arbitrary<Move>[] = [
  ...[readiness(true), readiness(true), readiness(true), readiness(false)],
  onPod((set, pod) => set.cluster.remove(set.cluster.pods, keyOf(pod))),
  patchPod({ metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } }),
  patchPod({ status: { phase: "Failed", reason: "Evicted" } }),
  patchPod({ status: { phase: "Succeeded" } }),
  patchPod({ metadata: { labels: { [LIFECYCLE_STATE]: "PreparingDelete" } } }),
  patchPod({ metadata: { labels: { [REVISION_HASH]: "elsewhere" } } }),
  patchPod({ metadata: { labels: { [RENDERED_HASH]: "another" } } }),
  // A pod of Kruise: what it was made of is told by its revision alone.
  patchPod({ metadata: { labels: { [RENDERED_HASH]: null } } }),
  patchPod({ metadata: { labels: { app: "taken-away" } } }),
  patchPod({ metadata: { ownerReferences: null } }),
  patchPod({ metadata: { annotations: { note: "seen" } } }),
  // Two pods on one node, as nobody should make them.
  onPod((set, pod) => {
    const object = set.cluster.pods.object(keyOf(pod)) ?? {};
    set.cluster.put({
      ...object,
      metadata: {
        ...{ name: `${pod.name}-twin`, namespace: pod.namespace, uid: `${pod.uid}-twin`, labels: { ...pod.labels } },
        ...{ ownerReferences: [{ uid: "set-uid", controller: true }], creationTimestamp: timestamp(set.nowMs) },
      },
    });
  }),
];

const specs = fc.oneof(
  fc.constantFrom("1", "2", "3").map((tag) => image(tag)),
  fc.subarray(sizes).map((some): JsonObject => ({ patches: some.map(patchFor) })),
  fc.constant<JsonObject>({ patches: [badPatch] }),
  fc.constantFrom(...strategies),
  fc.constantFrom(0, 3, 60).map((minReadySeconds): JsonObject => ({ minReadySeconds })),
  fc.constantFrom(0, 10).map((revisionHistoryLimit): JsonObject => ({ revisionHistoryLimit })),
);

const otherMoves: readonly fc.Arbitrary<Move>[] = [
  specs.map(
    (spec): Move =>
      (set) =>
        set.edit(spec),
  ),
  // Without a lease an edit is young for a moment; the picture says since when, so that no kind has to remember it.
  specs.map(
    (spec): Move =>
      (set) => {
        set.edit(spec);
        set.aloneSinceMs = set.nowMs;
      },
  ),
  // The clock of a machine may be set back, too.
  fc.constantFrom(500, 3_000, 60_000, 1_200_000, -5_000).map(
    (passedMs): Move =>
      (set) => {
        set.nowMs += passedMs;
      },
  ),
  fc.constant<Move>((set) => set.kubelet()),
  fc.nat({ max: 3 }).map(
    (place): Move =>
      (set) => {
        const shelf = set.cluster.shelf("ControllerRevision");
        const revision = shelf.values()[place];
        if (revision !== undefined) shelf.remove(keyOf(revision));
      },
  ),
];
const looking = fc.constant<Move>((set) => void set.look());

const moves = fc.array(fc.oneof(...nodeMoves, ...podMoves, ...otherMoves, ...otherMoves, looking, looking, looking), {
  minLength: 1,
  maxLength: 25,
});

/** The plan of a decision that takes no node to be at rest. */
function decideRestlessly(set: SetOnPaper): Plan {
  const memory = createSetMemory({ arePatchesEnabled: true });
  const read = memory.read(set.stored);
  if (!read.ok) throw new Error(read.problems[0]?.message);
  const input = { snapshot: set.cluster, object: set.stored, ...read.value, memory, arePatchesEnabled: true };
  const observed = observeSet(input);
  const desired = observed.desired.map((view) => ({ ...view, rest: undefined }));
  return decideSet({ ...observed, desired }, set.nowMs, { binding: "scheduler", resizing: "growing" });
}

test("a kind that remembers decides as one that has seen nothing, and nodes at rest need no look", () => {
  fc.assert(
    fc.property(fc.constantFrom(...strategies), moves, (spec, story) => {
      const nodes = Array.from({ length: NODES }, (_, place) => aNode(nameAt(place), { size: sizes[place % 3] ?? "" }));
      const set = new SetOnPaper({ patches: sizes.map(patchFor) }, nodes);
      set.edit(spec);
      set.settle();
      for (const move of story) {
        move(set);
        const plan = set.decide();
        expect(plan).toEqual(set.decide(createDaemonSetKind()));
        expect(plan).toEqual(decideRestlessly(set));
      }
    }),
    { numRuns: 30 },
  );
});
