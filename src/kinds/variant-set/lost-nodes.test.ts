// A variant whose pods take their nodes down: at most one budget of nodes is lost, and the status says so.
import { expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { aNodeObject, aSetObject, aVariant, PaperSet } from "./testing/paper-set.ts";

const names = Array.from({ length: 30 }, (_, index) => `n${index + 10}`);
const notReady = { isReady: false, taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] };
const withImage = (tag: string): JsonObject => ({
  variants: [{ ...aVariant("all", { kernel: ">=5.4" }), images: { agent: image(tag) } }],
});
const image = (tag: string) => `registry.example.com/agent:${tag}`;

const settled = () =>
  new PaperSet(
    names.map((name) => aNodeObject(name)),
    aSetObject(withImage("1")),
  ).settle();

function lose(set: PaperSet, lost: Iterable<string>): void {
  const names = new Set(lost);
  for (const name of names) set.change(name, notReady);
  for (const pod of set.cluster.pods.objects()) {
    if (!names.has(String(Object(pod.spec).nodeName))) continue;
    const conditions = [{ type: "Ready", status: "False" }];
    set.cluster.put({ ...pod, status: { ...Object(pod.status), conditions } });
  }
}

function conditions(set: PaperSet): Readonly<Record<string, string>> {
  const all: readonly Record<string, string>[] = Object(set.status).conditions;
  return Object.fromEntries(all.map(({ type, status, reason }) => [type ?? "", `${status} ${reason}`]));
}

const nodesWith = (set: PaperSet, tag: string) =>
  set.running().flatMap((line) => (line.endsWith(`:${tag}`) ? [line.split(" ")[0] ?? ""] : []));

test("a variant that takes its nodes down costs one budget of nodes", () => {
  const set = settled();
  set.edit(withImage("deadly"));
  const dead = new Set<string>();
  for (let round = 0; round < 80; round++) {
    set.act();
    set.follow();
    for (const name of nodesWith(set, "deadly")) dead.add(name);
    lose(set, dead);
  }
  set.act();
  expect(dead.size).toBe(1);
  expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
  expect(set.status.problems).toMatchObject([
    { reason: "NodeNotReady", nodes: 1, examples: [...dead] },
    { reason: "BudgetSpent", nodes: 29 },
  ]);
  lose(set, names);
  set.act();
  set.act();
  expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False RolloutInProgress" });
});

test("nodes that were lost before the edit block nobody, and are updated when they are back", () => {
  const set = settled();
  const early = names.slice(0, 15);
  lose(set, early);
  set.edit(withImage("2"));
  for (let round = 0; round < 150; round++) {
    set.act();
    set.follow();
    lose(set, early);
  }
  expect(nodesWith(set, "2")).toEqual(names.slice(15));
  expect(conditions(set)).toMatchObject({ Ready: "False NodeNotReady", RolledOut: "False NodeNotReady" });
  for (const name of early) set.change(name, {});
  set.settle();
  expect(nodesWith(set, "2")).toEqual(names);
  expect(conditions(set)).toMatchObject({ Ready: "True AllNodesFitted", RolledOut: "True RolloutComplete" });
});
