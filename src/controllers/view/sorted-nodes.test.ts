import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { type NodeFacts, parseNodeFacts } from "../../core/node/node-facts.ts";
import type { Listener } from "../../kube/cache/store.ts";
import { Ledger } from "./ledger.ts";
import { SortedNodes } from "./sorted-nodes.ts";

const aNode = (name: string, uid: string) => parseNodeFacts({ metadata: { name, uid } });

/** A cache of nodes that is moved by hand, and the list over it. */
function aFleet() {
  const held = new Map<string, NodeFacts>();
  const listeners: Listener<NodeFacts>[] = [];
  const cache = {
    ...{ values: () => held.values(), get: (name: string) => held.get(name) },
    changes: (listener: Listener<NodeFacts>) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const ledger = new Ledger({
    ...{ clock: new VirtualClock(), versionOf: () => "", sightOf: (_resource, key) => held.get(key) },
  });
  const sorted = new SortedNodes({ resource: "nodes", cache, ledger });
  const set = (name: string, now: NodeFacts | undefined) => {
    const was = held.get(name);
    if (now === undefined) held.delete(name);
    else held.set(name, now);
    for (const listener of listeners) listener({ key: name, was, now, initial: false });
  };
  return { held, set, sorted, ledger };
}

const change = fc.record({
  name: fc.constantFrom("a", "b", "c", "d"),
  version: fc.nat({ max: 9 }),
  isGone: fc.boolean(),
});

test("after any changes, looked at in between or not, the list is the cache in the order of names", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(change, fc.boolean()), { maxLength: 30 }), (changes) => {
      const { held, set, sorted } = aFleet();
      for (const [{ name, version, isGone }, isRead] of changes) {
        set(name, isGone ? undefined : aNode(name, `${version}`));
        if (isRead) sorted.list();
      }
      expect(sorted.list()).toEqual([...held.keys()].sort().map((name) => held.get(name)));
      expect(sorted.list()).toBe(sorted.list());
    }),
    { numRuns: 300 },
  );
});

test("a list that was handed out does not change under its reader", () => {
  const { set, sorted } = aFleet();
  set("a", aNode("a", "1"));
  const before = sorted.list();
  set("a", aNode("a", "2"));
  const after = sorted.list();
  expect([before[0]?.uid, after[0]?.uid]).toEqual(["1", "2"]);
});

test("our own label is in the list while it is not in the cache", () => {
  const { set, sorted, ledger } = aFleet();
  set("a", aNode("a", "1"));
  sorted.list();
  const entry = ledger.sending(
    { resource: "nodes", key: "a", target: { apiVersion: "v1", kind: "Node", name: "a" }, onBehalfOf: "x" },
    { does: "label", uid: "1", labels: { k: "v" } },
  );
  expect(sorted.list()[0]?.labels).toEqual({ k: "v" });
  ledger.refused(entry);
  expect(sorted.list()[0]?.labels).toEqual({});
});
