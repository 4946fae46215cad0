import { expect, test } from "vitest";
import type { NodeFacts } from "../core/node-facts.ts";
import type { Refusal } from "../core/snapshot.ts";
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

const contested: Refusal = { reason: "LabelContested", because: "somebody holds it" };
const trouble: Refusal = { reason: "ApiTrouble", because: "nobody answers" };

test("a node resists one object and no other, until a write succeeds; only the first time is news", () => {
  const { memory } = aMemory();
  const news = [memory.note("a", "n1", trouble), memory.note("a", "n1", contested), memory.note("b", "n2", undefined)];
  expect(news).toEqual([true, false, false]);
  expect([memory.get("a", "n1"), memory.get("b", "n1"), memory.get("a", "n2")]).toEqual([
    ...[contested, undefined, undefined],
  ]);
  memory.note("a", "n1", undefined);
  expect([memory.get("a", "n1"), memory.note("a", "n1", trouble)]).toEqual([undefined, true]);
});

test("a node that is gone is forgotten, and its namesakes are not", () => {
  const { memory, lose } = aMemory();
  for (const node of ["n1", "n11"]) memory.note("a", node, trouble);
  lose("n1");
  expect([memory.get("a", "n1"), memory.get("a", "n11")]).toEqual([undefined, trouble]);
});

test("the oldest is forgotten beyond the limit", () => {
  const { memory } = aMemory();
  for (let place = 0; place <= RESISTING_MAX; place++) memory.note("a", `n${place}`, trouble);
  expect([memory.get("a", "n0"), memory.get("a", "n1"), memory.get("a", `n${RESISTING_MAX}`)]).toEqual([
    ...[undefined, trouble, trouble],
  ]);
});
