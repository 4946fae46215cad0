// The store's promises: one order of revisions, states of the past until compaction, and a log that misses nothing.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type Change, Store } from "./store.ts";

const TABLE = "things";
const other = "others";

type Step =
  | { readonly do: "put" | "remove" | "other"; readonly name: string }
  | { readonly do: "compact"; readonly back: number };

const names = fc.constantFrom("a/x", "a/y", "a-b/x", "b/x", "b/y", "c");
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("put", "remove", "other"), name: names }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("compact"), back: fc.nat({ max: 20 }) }) },
  ) as fc.Arbitrary<Step>,
  { maxLength: 60 },
);

const versioned = (store: Store): JsonObject => ({ metadata: { resourceVersion: `${store.nextRevision}` } });

/** Plays steps and remembers the state of the table after every revision. */
function play(list: readonly Step[]) {
  const store = new Store();
  const states = new Map<number, readonly string[]>([[store.revision, []]]);
  const current = new Map<string, number>();
  for (const step of list) {
    if (step.do === "compact") {
      store.compact(Math.max(store.compactedTo, store.revision - step.back));
      continue;
    }
    const table = step.do === "other" ? other : TABLE;
    const write = { table, key: step.name, object: versioned(store) };
    if (step.do !== "remove") store.put(write);
    else if (store.get(TABLE, step.name) === undefined) continue;
    else store.remove(write);
    if (step.do === "put") current.set(step.name, store.revision);
    if (step.do === "remove") current.delete(step.name);
    states.set(store.revision, stateOf(current));
  }
  return { store, states };
}

const stateOf = (current: ReadonlyMap<string, number>) =>
  [...current].map(([key, revision]) => `${key}@${revision}`).toSorted();

const listed = (store: Store, revision: number) =>
  [...store.list(TABLE, { revision, prefix: "" })].map((change) => `${change.key}@${change.revision}`);

function logFrom(store: Store, revision: number): readonly Change[] {
  const changes: Change[] = [];
  for (let at = store.positionBehind(TABLE, revision); ; at++) {
    const change = store.changeAt(TABLE, at);
    if (change === "gone") throw new Error(`the log is gone at ${at}`);
    if (change === undefined) return changes;
    changes.push(change);
  }
}

describe("Store", () => {
  test("shows the state of every revision that is not compacted, in the order of the keys", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { store, states } = play(list);
        for (const [revision, state] of states)
          if (revision >= store.compactedTo) expect(listed(store, revision).toSorted()).toEqual(state);
        const keys = listed(store, store.revision);
        expect(keys).toEqual(keys.toSorted());
      }),
    );
  });

  test("a log from any revision that is not compacted leads from its state to the present one, step by step", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { store, states } = play(list);
        for (const [revision, state] of states) {
          if (revision < store.compactedTo) continue;
          const replayed = new Map(state.map((text) => text.split("@") as [string, string]));
          for (const change of logFrom(store, revision)) {
            expect(change.revision).toBeGreaterThan(revision);
            expect(change.type === "ADDED").toBe(!replayed.has(change.key));
            if (change.type === "DELETED") replayed.delete(change.key);
            else replayed.set(change.key, `${change.revision}`);
          }
          expect([...replayed].map(([key, at]) => `${key}@${at}`).toSorted()).toEqual(states.get(store.revision));
        }
      }),
    );
  });

  test("a change knows the state that it replaced, also when that one's own past is compacted", () => {
    const store = new Store();
    store.put({ table: TABLE, key: "a", object: { n: 1 } });
    store.put({ table: TABLE, key: "a", object: { n: 2 } });
    store.compact(store.revision);
    const change = store.put({ table: TABLE, key: "a", object: { n: 3 } });
    expect(change.previous?.object).toEqual({ n: 2 });
    expect(change.previous?.previous).toBeUndefined();
  });

  test("what is compacted is gone from the log, unless a lagging reader still needs it", () => {
    const store = new Store();
    for (let n = 1; n <= 4; n++) store.put({ table: TABLE, key: "a", object: { n } });
    store.compact(4, 3);
    expect(store.compactedTo).toBe(4);
    expect(store.changeAt(TABLE, 1)).toBe("gone");
    expect(store.changeAt(TABLE, 2)).toMatchObject({ revision: 4 });
  });

  test("a key that was deleted and compacted can come again, and is then there once", () => {
    const store = new Store();
    const write = { table: TABLE, key: "a", object: {} };
    store.put(write);
    store.remove(write);
    store.compact(store.revision);
    store.put(write);
    expect(listed(store, store.revision)).toEqual(["a@4"]);
  });

  test("listeners hear of changes in order, also of those that they make themselves", () => {
    const store = new Store();
    const heard: number[] = [];
    store.onCommit((change) => {
      if (change.key === "cause") store.put({ table: TABLE, key: "effect", object: {} });
    });
    const stop = store.onCommit(({ revision }) => heard.push(revision));
    store.put({ table: TABLE, key: "cause", object: {} });
    stop();
    store.put({ table: TABLE, key: "later", object: {} });
    expect(heard).toEqual([2, 3]);
  });

  test("a prefix and a start narrow a list without looking at other keys' objects", () => {
    const store = new Store();
    for (const key of ["b/x", "a/y", "a-b/x", "a/x"]) store.put({ table: TABLE, key, object: {} });
    const keys = (prefix: string, from: string) =>
      [...store.list(TABLE, { revision: store.revision, prefix, from })].map((change) => change.key);
    expect(keys("", "")).toEqual(["a-b/x", "a/x", "a/y", "b/x"]);
    expect(keys("a/", "")).toEqual(["a/x", "a/y"]);
    expect(keys("a/", "a/x\u0000")).toEqual(["a/y"]);
  });
});
