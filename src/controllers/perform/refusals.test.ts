import { expect, test } from "vitest";
import type { Refusal } from "../../core/decision/snapshot.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { Change } from "../../kube/cache/store.ts";
import { REFUSALS_MAX, Refusals } from "./refusals.ts";

/** What the cache of nodes tells; only that a node is gone matters. */
function aMemory() {
  let tell: (change: Change<NodeFacts>) => void = () => undefined;
  const memory = new Refusals({
    changes: (listener) => {
      tell = listener;
      return () => undefined;
    },
  });
  return { memory, lose: (key: string) => tell({ key, was: undefined, now: undefined, initial: false }) };
}

const node = (name: string) => ({ kind: "Node" as const, name });
const contested: Refusal = { reason: "LabelContested", because: "somebody holds it" };
const trouble: Refusal = { reason: "ApiTrouble", because: "nobody answers" };

test("a node resists one object and no other, until a write succeeds; only the first time is news", () => {
  const { memory } = aMemory();
  const news = [
    memory.note("a", node("n1"), trouble),
    memory.note("a", node("n1"), contested),
    memory.note("b", node("n2"), undefined),
  ];
  expect(news).toEqual([true, false, false]);
  expect([memory.get("a", "Node", "n1"), memory.get("b", "Node", "n1"), memory.get("a", "Node", "n2")]).toEqual([
    ...[contested, undefined, undefined],
  ]);
  memory.note("a", node("n1"), undefined);
  expect([memory.get("a", "Node", "n1"), memory.note("a", node("n1"), trouble)]).toEqual([undefined, true]);
});

test("a node that is gone is forgotten, and its namesakes are not", () => {
  const { memory, lose } = aMemory();
  for (const name of ["n1", "n11"]) memory.note("a", node(name), trouble);
  lose("n1");
  expect([memory.get("a", "Node", "n1"), memory.get("a", "Node", "n11")]).toEqual([undefined, trouble]);
});

test("the oldest is forgotten beyond the limit", () => {
  const { memory } = aMemory();
  for (let place = 0; place <= REFUSALS_MAX; place++) memory.note("a", node(`n${place}`), trouble);
  expect([
    memory.get("a", "Node", "n0"),
    memory.get("a", "Node", "n1"),
    memory.get("a", "Node", `n${REFUSALS_MAX}`),
  ]).toEqual([...[undefined, trouble, trouble]]);
});

test("a DaemonSet of a node's name is another one, and stays when the node goes", () => {
  const { memory, lose } = aMemory();
  memory.note("a", { kind: "DaemonSet", name: "n1" }, contested);
  expect([memory.get("a", "Node", "n1"), memory.note("a", node("n1"), trouble)]).toEqual([undefined, true]);
  lose("n1");
  expect([memory.get("a", "Node", "n1"), memory.get("a", "DaemonSet", "n1")]).toEqual([undefined, contested]);
});
