// A check that cannot fail is worse than none: each invariant of Modules is shown a write that breaks it, and one that does not.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { HttpRequest } from "../../../src/kube/transport.ts";
import { metaOf } from "../../api-server/api-object.ts";
import type { Commit, Invariant, State } from "../../simulator/commit.ts";
import { writesAreFenced } from "../fenced-writes.ts";
import { buildInvariants } from "./build-invariants.ts";
import { ModelRegistry } from "./model-registry.ts";
import { moduleInvariants } from "./module-invariants.ts";
import { unsettled } from "./module-settled.ts";
import { anUnreadableModule, aSimulatedModule, EL9, MODULES, SCOPE, UBUNTU } from "./simulated-module.ts";

const BINDING = "module.farrier.dev/default.driver";
const FIT = "module.farrier.dev/fit";
const SETS = "daemonsets.apps";
const controlledBy = (kind: string, uid: string) => [{ kind, name: "owner", uid, controller: true }];

const aModule = (): JsonObject => {
  const { metadata, ...rest } = aSimulatedModule("v1");
  return { ...rest, metadata: { ...metadata, uid: "module", generation: 1 } };
};
const aNode = (name: string, kernelVersion = EL9, labels: JsonObject = {}): JsonObject => ({
  metadata: { name, labels: { [SCOPE]: "yes", ...labels } },
  status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kernelVersion } },
});
const aSet = (fit = EL9, meta: JsonObject = {}): JsonObject => ({
  metadata: {
    ...{
      name: `set-${fit}`,
      namespace: "default",
      uid: `uid-${fit}`,
      ownerReferences: controlledBy("Module", "module"),
    },
    ...{ labels: { [FIT]: fit }, annotations: { "module.farrier.dev/kernel": fit }, ...meta },
  },
  spec: {
    selector: { matchLabels: { [FIT]: fit } },
    template: { spec: { nodeSelector: { [BINDING]: fit }, containers: [{ image: "registry.example.com/driver:v1" }] } },
  },
});
const aPod = (name: string, node: string, fit = EL9, meta: JsonObject = {}): JsonObject => ({
  metadata: {
    ...{ name, namespace: "default", uid: `uid-of-${name}`, labels: { [FIT]: fit } },
    ...{ ownerReferences: controlledBy("DaemonSet", `uid-${fit}`), ...meta },
  },
  spec: { nodeName: node },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});
const aJob = (name: string): JsonObject => ({
  metadata: {
    ...{ name, namespace: "default", uid: name, ownerReferences: controlledBy("Module", "module") },
    annotations: { "module.farrier.dev/image": "registry.example.com/driver:v1" },
  },
  spec: { suspend: false },
});

type Objects = Readonly<Record<string, readonly JsonObject[]>>;
const keyOf = (object: JsonObject) => {
  const { namespace, name } = metaOf(object);
  return namespace === undefined ? `${name}` : `${namespace}/${name}`;
};
const stateOf = (objects: Objects): State => ({
  objects: (table) => objects[table] ?? [],
  object: (table, key) => objects[table]?.find((object) => keyOf(object) === key),
});
/** A write by the operator, as the store took it. */
const written = (
  table: string,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  by = "operator.1",
): Commit => ({
  ...{ table, key: keyOf(after ?? before ?? {}), revision: 1, before, after, by },
});

/** A fresh set of invariants: some remember. */
function theOne(name: string): Invariant {
  const all = [
    ...moduleInvariants(["operator"], () => 0, { nativeTwins: false }),
    ...buildInvariants(() => new ModelRegistry()),
  ];
  const [found] = all.filter((invariant) => invariant.name === name);
  if (found === undefined) throw new Error(`there is no invariant ${name}`);
  return found;
}

const leaving = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const world: Objects = { [MODULES]: [aModule()], nodes: [aNode("a"), aNode("b")], [SETS]: [aSet(), aSet(UBUNTU)] };
const two = [aPod("p", "a"), aPod("q", "b")];
const remade = (times: number): readonly Commit[] =>
  Array.from({ length: times }, () => written(SETS, undefined, aSet()));

type Row = {
  readonly good: readonly Commit[];
  readonly bad: readonly Commit[];
  readonly objects: Objects;
  /** Where the good writes need another world than the bad ones. */
  readonly innocent?: Objects;
};
const rows: Readonly<Record<string, Row>> = {
  "S1 AtMostOne": {
    good: [written("pods", undefined, aPod("p", "b"))],
    bad: [written("pods", undefined, aPod("p", "a", UBUNTU))],
    objects: { ...world, pods: [aPod("old", "a"), aPod("p", "a", UBUNTU), aPod("p", "b")] },
  },
  "S2 Budget": {
    good: [written("pods", two[0], aPod("p", "a", EL9, leaving))],
    bad: [written("pods", two[0], aPod("p", "a", EL9, leaving)), written("pods", two[1], aPod("q", "b", EL9, leaving))],
    objects: { ...world, pods: [] },
  },
  "S3 Owner": {
    good: [written(SETS, aSet(), aSet())],
    bad: [written(SETS, aSet(EL9, { ownerReferences: controlledBy("Deployment", "other") }), aSet())],
    objects: world,
  },
  "S5 KernelMatch": {
    good: [written(SETS, undefined, aSet()), written("nodes", aNode("a"), aNode("a", EL9, { [BINDING]: EL9 }))],
    bad: [written(SETS, undefined, aSet(UBUNTU)), written("nodes", aNode("a"), aNode("a", EL9, { [BINDING]: UBUNTU }))],
    objects: world,
  },
  "S6 Partition": {
    good: [written(SETS, undefined, aSet())],
    bad: [written(SETS, undefined, aSet(UBUNTU, { name: "twin" }))],
    objects: { ...world, [SETS]: [aSet(), aSet(UBUNTU), aSet(UBUNTU, { name: "twin" })] },
  },
  "S6 SelectorsStay": {
    good: [written(SETS, aSet(), aSet())],
    bad: [written(SETS, aSet(UBUNTU), aSet())],
    objects: world,
  },
  "S7 Foreign": {
    good: [written("nodes", aNode("a"), aNode("a", EL9, { [BINDING]: EL9 }))],
    bad: [written("nodes", aNode("a"), aNode("a", EL9, { [SCOPE]: "no" }))],
    objects: world,
  },
  "S10 BuildOnce": {
    good: [written("jobs.batch", undefined, aJob("one"))],
    innocent: { ...world, "jobs.batch": [aJob("one")] },
    bad: [written("jobs.batch", undefined, aJob("two"))],
    objects: { ...world, "jobs.batch": [aJob("one"), aJob("two")] },
  },
  "S10 ImageWasPushed": {
    good: [written(SETS, undefined, aSet(EL9, { labels: {} }))],
    bad: [written(SETS, undefined, aSet())],
    objects: world,
  },
  "S13 Quiet": { good: remade(3), bad: remade(4), objects: world },
  "S16 Finalize": {
    good: [written(SETS, aSet(), aSet(EL9, leaving))],
    bad: [written(SETS, aSet(), aSet(EL9, { finalizers: ["farrier.dev/wait"] }))],
    objects: world,
  },
  PrunedByProof: {
    good: [written(SETS, aSet(), undefined)],
    bad: [written(SETS, aSet(UBUNTU), undefined)],
    objects: { ...world, nodes: [aNode("a", UBUNTU, { [BINDING]: UBUNTU })] },
  },
};

describe("an invariant finds what breaks it, and nothing else", () => {
  test.each(Object.entries(rows))("%s", (name, { good, bad, objects, innocent = objects }) => {
    const told = (commits: readonly Commit[], state: State) => {
      const invariant = theOne(name);
      return commits.map((commit) => invariant.check(commit, state)).filter((message) => message !== undefined);
    };
    expect(told(good, stateOf(innocent))).toEqual([]);
    expect(told(bad, stateOf(objects))).toHaveLength(1);
  });

  test("S4 Fence", () => {
    const { check } = writesAreFenced("operator");
    const path = "/apis/batch/v1/namespaces/default/jobs/one";
    const patch = (body: JsonObject, more: Partial<HttpRequest> = {}) =>
      check(
        {
          by: "operator.1",
          request: { method: "PATCH", path, headers: {}, body: JSON.stringify(body), lane: "calls", ...more },
        },
        stateOf({}),
      );
    expect(patch({ metadata: { uid: "one" } })).toBeUndefined();
    expect(patch({ spec: {} })).toContain("neither a UID nor a version");
    expect(
      patch({}, { path: `${path}?force=true`, headers: { "content-type": "application/apply-patch+yaml" } }),
    ).toContain("by force");
  });

  test("S17 Isolation: an end in which the unreadable Module is silent, or the good one is held up, is none", () => {
    const settled = { observedGeneration: 1, nodes: { fitted: 0 } };
    const good = { ...aModule(), status: settled };
    const bad = anUnreadableModule();
    const stalled = { ...bad, status: { conditions: [{ type: "Stalled", status: "True" }] } };
    const state = (modules: readonly JsonObject[], nodes: readonly JsonObject[] = []) =>
      stateOf({ [MODULES]: modules, nodes });
    expect(unsettled(state([good, stalled]))).toBeUndefined();
    expect(unsettled(state([good, { ...bad, status: {} }]))).toContain("does not say so");
    expect(unsettled(state([good, stalled], [aNode("a")]))).toContain("DaemonSets for 1 kernels");
  });
});
