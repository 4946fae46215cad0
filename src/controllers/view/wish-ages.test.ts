import { expect, test } from "vitest";
import { toyKind } from "../../../sim/scenarios/operator/toy-kind.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { type DaemonPod, parseDaemonPod } from "../../core/pod/daemon-pod.ts";
import type { Change, Listener } from "../../kube/cache/store.ts";
import { storedObject } from "./cluster-caches.ts";
import { DEPARTURES_MAX, WishAges } from "./wish-ages.ts";

const anObject = (generation: number, version: number, image = `v${generation}`): StoredObject =>
  storedObject({ metadata: { name: "a", uid: "a-uid", generation, resourceVersion: `${version}` }, spec: { image } });

const aPod = (node: string, phase: string): DaemonPod => {
  const owner = { apiVersion: "toys.example.dev/v1", kind: "Toy", name: "a", uid: "a-uid", controller: true };
  const metadata = { name: `p-${node}`, ownerReferences: [owner] };
  return parseDaemonPod({ metadata, spec: { nodeName: node }, status: { phase } });
};

/** A replica that began at second 0, and what it is told in the seconds after. */
class Watched {
  nowMs = 0;
  readonly ages: WishAges;
  now: StoredObject | undefined;
  #tellObject: Listener<StoredObject> = () => undefined;
  #tellPod: Listener<DaemonPod | undefined> = () => undefined;

  constructor(podsVersion = "") {
    const isSameWish = ({ object: was }: StoredObject, { object: now }: StoredObject) =>
      JSON.stringify(was.spec) === JSON.stringify(now.spec);
    this.ages = new WishAges({
      objects: [
        [{ ...toyKind, isSameWish }, { changes: (listener) => this.#hear(() => (this.#tellObject = listener)) }],
      ],
      pods: { resourceVersion: podsVersion, changes: (listener) => this.#hear(() => (this.#tellPod = listener)) },
      clock: { wallMs: () => this.nowMs },
    });
  }

  sees(second: number, now: StoredObject | undefined): this {
    this.nowMs = second * 1_000;
    this.#tellObject({ key: "a", was: this.now, now, initial: false });
    this.now = now;
    return this;
  }

  podGoes(second: number, goneAt: number | undefined, { node = "n", phase = "Running" } = {}): this {
    this.nowMs = second * 1_000;
    const change: Change<DaemonPod> = { key: `p-${node}`, was: aPod(node, phase), now: undefined, initial: false };
    this.#tellPod(goneAt === undefined ? change : { ...change, goneAt: `${goneAt}` });
    return this;
  }

  leads(second: number): this {
    this.nowMs = second * 1_000;
    this.ages.excludeOthers();
    return this;
  }

  sinceSecond(relabelled = 0, node = "n"): number {
    if (this.now === undefined) throw new Error("there is no object");
    return this.ages.aloneSinceMs(this.now, node, relabelled * 1_000) / 1_000;
  }

  #hear(take: () => void): () => void {
    take();
    return () => undefined;
  }
}

const cases: readonly (readonly [about: string, story: (it: Watched) => Watched, since: number])[] = [
  ["one that was made before our eyes was never anything else", (it) => it.sees(5, anObject(1, 10)), 0],
  ["one that had been changed when it was first seen counts from then", (it) => it.sees(5, anObject(2, 10)), 5],
  ["an edit counts from when it was seen", (it) => it.sees(1, anObject(1, 10)).sees(7, anObject(2, 20)), 7],
  [
    "what others write to it, such as its status, changes no wish",
    (it) => it.sees(1, anObject(2, 10)).sees(7, anObject(2, 20)),
    1,
  ],
  [
    "nor does an edit that asks for the same on every node",
    (it) => it.sees(1, anObject(2, 10, "same")).sees(7, anObject(3, 20, "same")),
    1,
  ],
  [
    "a pod that went after the edit was there when it was made: who saw it go can know",
    (it) => it.sees(1, anObject(1, 10)).sees(7, anObject(2, 20)).podGoes(8, 21),
    0,
  ],
  [
    "one that went before the edit proves nothing, although its end was seen later",
    (it) => it.sees(1, anObject(1, 10)).sees(7, anObject(2, 20)).podGoes(8, 19),
    7,
  ],
  [
    "one that went after the edit does, although its end was seen earlier",
    (it) => it.sees(1, anObject(1, 10)).podGoes(6, 21).sees(7, anObject(2, 20)),
    0,
  ],
  [
    "nobody knows when it went if only a list tells",
    (it) => it.sees(1, anObject(1, 10)).sees(7, anObject(2, 20)).podGoes(8, undefined),
    7,
  ],
  [
    "a pod of another node proves nothing",
    (it) => it.sees(1, anObject(1, 10)).sees(7, anObject(2, 20)).podGoes(8, 21, { node: "m" }),
    7,
  ],
  [
    "after a pod that had ended, another replica may have made its successor under another name",
    (it) => it.sees(1, anObject(1, 10)).podGoes(8, 21, { phase: "Failed" }),
    8,
  ],
  [
    "one that is made anew begins anew",
    (it) => it.sees(1, anObject(3, 10)).sees(7, undefined).sees(8, anObject(1, 30)),
    0,
  ],
];
test.each(cases)("an object without a lease: %s", (_about, story, since) => {
  expect(story(new Watched()).sinceSecond()).toBe(since);
});

test("labels of the node count from their change, also where a pod went after the edit of the object", () => {
  const it = new Watched().sees(1, anObject(1, 10));
  expect([it.sinceSecond(4), it.sees(7, anObject(2, 20)).sinceSecond(4), it.podGoes(8, 21).sinceSecond(4)]).toEqual([
    ...[4, 7, 4],
  ]);
});

const termCases: readonly (readonly [about: string, story: (it: Watched) => Watched, since: number])[] = [
  ["one that was never changed waits for nobody", (it) => it.sees(1, anObject(1, 10)).leads(3), 0],
  ["one that was changed waits for what the last leader sent", (it) => it.sees(1, anObject(2, 10)).leads(3), 3],
  ["an edit in our own time waits for nobody else", (it) => it.leads(3).sees(9, anObject(2, 60)), 3],
  [
    "a pod that went in our own time went under our eyes",
    (it) => it.sees(1, anObject(2, 10)).leads(3).podGoes(4, 51),
    0,
  ],
  ["one that went before did not", (it) => it.sees(1, anObject(2, 10)).podGoes(2, 49).leads(3), 3],
];
test.each(termCases)("a leader alone: %s", (_about, story, since) => {
  expect(story(new Watched("50")).sinceSecond()).toBe(since);
});

test("of more departures than are kept the oldest are forgotten, which costs a wait and nothing else", () => {
  const it = new Watched().sees(1, anObject(2, 10));
  for (let at = 0; at <= DEPARTURES_MAX; at++) it.podGoes(2, 20 + at, { node: `n${at}` });
  expect([it.sinceSecond(0, "n0"), it.sinceSecond(0, "n1")]).toEqual([1, 0]);
});
