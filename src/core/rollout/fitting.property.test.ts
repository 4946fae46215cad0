import fc from "fast-check";
import { expect, test } from "vitest";
import type { Berth, FamilyWorkload, Wish } from "./berth.ts";
import { fitNodes } from "./fitting.ts";

const NOW = 1_000_000;
const there: FamilyWorkload = { exists: true, isOpen: false, wait: undefined };
const wants = (key: string): Wish => ({ kind: "workload", key });
const count = (limit: number) => ({ kind: "count" as const, count: limit });

/** A cluster with a native controller, in one value per node: what fitting decides is done to it, and the controller follows. */
type Machine = {
  wish: Wish;
  boundTo: string | undefined;
  pods: { key: string; age: number; isLeaving: boolean; isCurrent: boolean }[];
};
const READY_AGE = 2;

const stepArbitrary = fc.oneof(
  fc.record({ does: fc.constant("tick" as const), node: fc.nat(4), key: fc.constantFrom("x", "y", "z") }),
  fc.record({ does: fc.constant("want" as const), node: fc.nat(4), key: fc.constantFrom("x", "y", "z", "") }),
  fc.record({ does: fc.constant("kill" as const), node: fc.nat(4), key: fc.constant("") }),
  fc.record({ does: fc.constant("edit" as const), node: fc.nat(4), key: fc.constantFrom("x", "y", "z") }),
);

test("whatever happens, a node has pods of one workload, we never disrupt beyond the budget, and in the end all nodes have what they want", () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 40 }), fc.integer({ min: 1, max: 2 }), (story, limit) => {
      const machines: Machine[] = Array.from({ length: 5 }, () => ({ wish: wants("x"), boundTo: undefined, pods: [] }));
      for (const step of story) {
        happen(machines, step);
        decideOnce(machines, limit);
        expectOneWorkloadEach(machines);
      }
      for (let round = 0; round < 80; round++) decideOnce(machines, limit);
      for (const { wish, boundTo, pods } of machines) {
        const key = wish.kind === "workload" ? wish.key : undefined;
        expect([boundTo, pods.map((pod) => pod.key)]).toEqual([key, key === undefined ? [] : [key]]);
      }
    }),
    { numRuns: 300 },
  );
});

function happen(machines: Machine[], { does, node, key }: { does: string; node: number; key: string }): void {
  const machine = machines[node];
  if (machine === undefined) return;
  if (does === "want") machine.wish = key === "" ? { kind: "nothing" } : wants(key);
  if (does === "kill") for (const pod of machine.pods) pod.isLeaving = true;
  if (does === "edit")
    for (const each of machines) for (const pod of each.pods) if (pod.key === key) pod.isCurrent = false;
}

const isServing = ({ wish, boundTo, pods }: Machine) =>
  wish.kind !== "workload" || pods.some((pod) => pod.key === boundTo && pod.age >= READY_AGE && !pod.isLeaving);

function decideOnce(machines: Machine[], limit: number): void {
  const berths = machines.map(
    (machine, index): Berth<number> => ({
      ...{ node: `${index}`, wish: machine.wish, boundTo: machine.boundTo, wishSinceMs: 0, isNodeReady: true },
      areSomeUnseen: false,
      pods: machine.pods.map(({ key, age, isLeaving, isCurrent }, pod) => ({
        ...{ pod, key, isCurrent, isLeaving, availableFromMs: age >= READY_AGE ? 0 : undefined },
      })),
    }),
  );
  const strategy = { maxUnavailable: count(limit), maxParallel: count(limit), isPaused: false };
  const workloads = new Map(["x", "y", "z"].map((key) => [key, there]));
  const { binds, unbinds, deletes } = fitNodes(berths, { workloads, nodeCount: 5, strategy }, NOW);
  const before = machines.filter((machine) => !isServing(machine)).length;
  const wereServing = machines.map(isServing);
  for (const { node, key } of binds) Object.assign(machines[Number(node)] ?? {}, { boundTo: key });
  for (const { node } of unbinds) Object.assign(machines[Number(node)] ?? {}, { boundTo: undefined });
  for (const { node, pod } of deletes) Object.assign(machines[Number(node)]?.pods[pod] ?? {}, { isLeaving: true });
  const disrupted = machines.filter((machine, index) => wereServing[index] && !isServing(machine)).length;
  if (disrupted > 0) expect(before + disrupted).toBeLessThanOrEqual(limit);
  for (const machine of machines) follow(machine);
}

/** One round of the native controller and the kubelet. */
function follow(machine: Machine): void {
  machine.pods = machine.pods.filter(({ isLeaving }) => !isLeaving);
  for (const pod of machine.pods) {
    pod.age += 1;
    if (pod.key !== machine.boundTo) pod.isLeaving = true;
  }
  const { boundTo, pods } = machine;
  if (boundTo !== undefined && !pods.some(({ key }) => key === boundTo)) {
    pods.push({ key: boundTo, age: 0, isLeaving: false, isCurrent: true });
  }
}

function expectOneWorkloadEach(machines: readonly Machine[]): void {
  for (const { pods } of machines) expect(new Set(pods.map(({ key }) => key)).size).toBeLessThanOrEqual(1);
}
