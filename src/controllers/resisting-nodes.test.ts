import { expect, test } from "vitest";
import type { NodeFacts } from "../core/node-facts.ts";
import type { Change } from "../kube/store.ts";
import { RESISTING_MAX, ResistingNodes } from "./resisting-nodes.ts";

/** What the cache of nodes tells; only that a node is gone matters. */
function aMemory() {
  let tell: (change: Change<NodeFacts>) => void = () => undefined;
  const memory = new ResistingNodes({
    changes: (listener) => {
      tell = listener;
      return () => undefined;
    },
  });
  return { memory, lose: (key: string) => tell({ key, was: undefined, now: undefined, initial: false }) };
}

test("a node resists one object and no other, until a write succeeds; only the first time is news", () => {
  const { memory } = aMemory();
  expect([memory.note("a", "n1", true), memory.note("a", "n1", true), memory.note("b", "n2", false)]).toEqual([
    ...[true, false, false],
  ]);
  expect([memory.has("a", "n1"), memory.has("b", "n1"), memory.has("a", "n2")]).toEqual([true, false, false]);
  memory.note("a", "n1", false);
  expect([memory.has("a", "n1"), memory.note("a", "n1", true)]).toEqual([false, true]);
});

test("a node that is gone is forgotten, and its namesakes are not", () => {
  const { memory, lose } = aMemory();
  for (const node of ["n1", "n11"]) memory.note("a", node, true);
  lose("n1");
  expect([memory.has("a", "n1"), memory.has("a", "n11")]).toEqual([false, true]);
});

test("the oldest is forgotten beyond the limit", () => {
  const { memory } = aMemory();
  for (let place = 0; place <= RESISTING_MAX; place++) memory.note("a", `n${place}`, true);
  expect([memory.has("a", "n0"), memory.has("a", "n1"), memory.has("a", `n${RESISTING_MAX}`)]).toEqual([
    ...[false, true, true],
  ]);
});
