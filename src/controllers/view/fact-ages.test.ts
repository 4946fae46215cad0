import { expect, test } from "vitest";
import { type NodeFacts, parseNodeFacts } from "../../core/node/node-facts.ts";
import type { Change } from "../../kube/cache/store.ts";
import { FactAges, LABEL_AGES_MAX } from "./fact-ages.ts";

const aNode = (labels: object, kernelVersion = "5.14.0-1") =>
  parseNodeFacts({ metadata: { name: "a", labels }, status: { nodeInfo: { kernelVersion } } });

/** A node that changes each second from the first on. */
function ages(...versions: readonly NodeFacts[]) {
  let nowMs = 0;
  let tell: (change: Change<NodeFacts>) => void = () => undefined;
  const memory = new FactAges(
    {
      changes: (listener) => {
        tell = listener;
        return () => undefined;
      },
    },
    { wallMs: () => nowMs },
  );
  versions.forEach((now, index) => {
    nowMs = index * 1_000;
    if (index > 0) tell({ key: "a", was: versions[index - 1], now, initial: false });
  });
  return { memory, lose: (was: NodeFacts) => tell({ key: "a", was, now: undefined, initial: false }) };
}

test("a label that somebody changes again and again is young, and the others are as old as they were", () => {
  const { memory } = ages(aNode({}), aNode({ pool: "gpu" }), aNode({ pool: "gpu", tick: "1" }), aNode({ pool: "gpu" }));
  expect([memory.sinceMs("a", ["tick"]), memory.sinceMs("a", ["pool"]), memory.sinceMs("a", ["zone"])]).toEqual([
    ...[3_000, 1_000, 0],
  ]);
  expect(memory.sinceMs("a", ["pool", "tick"])).toBe(3_000);
});

test("another system makes every label young, a node that came anew too", () => {
  const { memory, lose } = ages(aNode({}), aNode({ pool: "gpu" }), aNode({ pool: "gpu" }, "6.1.0-1"));
  expect([memory.sinceMs("a", ["pool"]), memory.sinceMs("a", [])]).toEqual([2_000, 2_000]);
  lose(aNode({}));
  expect(memory.sinceMs("a", ["pool"])).toBe(0);
});

test("of more labels than are told apart the oldest count for all, so that none looks older than it is", () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`l${at}`, "x"]));
  const { memory } = ages(aNode({}), aNode(many(1)), aNode(many(1 + LABEL_AGES_MAX)));
  expect([memory.sinceMs("a", ["l0"]), memory.sinceMs("a", ["l9"]), memory.sinceMs("a", ["zone"])]).toEqual([
    ...[1_000, 2_000, 1_000],
  ]);
});

test("a label counts as changed only if that was seen: a node that joins has never been anything else", () => {
  const { memory } = ages(aNode({}), aNode({ pool: "gpu" }), aNode({ pool: "gpu" }, "6.1.0-1"));
  expect([
    memory.relabelledMs("a", ["pool"]),
    memory.relabelledMs("a", ["zone"]),
    memory.relabelledMs("b", []),
  ]).toEqual([...[1_000, 0, 0]]);
});
