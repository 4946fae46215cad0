import { describe, expect, test } from "vitest";
import { aToy, IMAGE, labelOf, toyKind, WANTED } from "../../../sim/scenarios/operator/toy-kind.ts";
import { stepId, targetOf } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { createKinds } from "../all-kinds.ts";
import type { Kind } from "../kind.ts";
import { type ForecastInput, forecast } from "./forecast.ts";
import { PaperCluster } from "./paper-cluster.ts";
import { settlePaper } from "./paper-controllers.ts";

const nowMs = Date.parse("2026-01-01T00:00:00Z");
const present = () => ({ is: "present", digest: "", askedMs: 0 }) as const;
const aNode = (name: string, wanted = "yes"): JsonObject => ({
  ...{ apiVersion: "v1", kind: "Node", metadata: { name, uid: `u-${name}`, labels: { [WANTED]: wanted } } },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const nodes = ["a", "b", "c"].map((name) => aNode(name));
const toy = (image: string): JsonObject => {
  const { metadata, ...rest } = aToy("a", image);
  return { ...rest, metadata: { name: metadata.name, namespace: "default", uid: "toy", generation: 1 } };
};
const ask = (objects: readonly JsonObject[], object: JsonObject, more: Partial<ForecastInput> = {}) =>
  forecast({ kind: toyKind, objects, object, image: present, nowMs, ...more });

/** The toy without its DaemonSet: each node has one pod. */
const podsAlone: Kind = {
  ...toyKind,
  observe: (snapshot, object) => ({
    explain: () => undefined,
    decide: (atMs) => {
      const { plan, asks } = toyKind.observe(snapshot, object).decide(atMs);
      return { plan: { ...plan, steps: plan.steps.filter((step) => targetOf(step).kind === "Pod") }, asks };
    },
  }),
};

/** The cluster as it is once the operator has done all that there is to do. */
function settled(objects: readonly JsonObject[], object: JsonObject, kind = toyKind): readonly JsonObject[] {
  const cluster = new PaperCluster([...objects, object], { image: present, isOurLabel: () => false });
  for (const { step } of ask(objects, object, { kind }).writes) {
    cluster.perform(step, nowMs);
    settlePaper(cluster, nowMs);
  }
  return cluster.objects();
}

describe("a forecast", () => {
  test("of a new object names what is made, in the order in which the operator would", () => {
    const { writes, gained, replaced, lost, unavailableMax, isSettled } = ask(nodes, toy("v1"));
    expect(writes.map(({ round, step }) => `${round} ${stepId(step)}`.replace(/a-[0-9a-z]+$/, "a-…"))).toEqual([
      "0 apply apps/v1 DaemonSet default/a",
      "0 apply v1 Node a",
      "0 apply v1 Node b",
      "0 apply v1 Node c",
      ...["a", "b", "c"].map(() => "0 create v1 Pod default/a-…"),
    ]);
    expect({ gained, replaced, lost, unavailableMax, isSettled }).toEqual({
      ...{ gained: ["a", "b", "c"], replaced: [], lost: [], unavailableMax: 0, isSettled: true },
    });
  });

  test("of what is there already is empty", () => {
    const { writes, untouched, isSettled } = ask(settled(nodes, toy("v1")), toy("v1"));
    expect([writes, untouched, isSettled]).toEqual([[], 3, true]);
  });

  test("of another image tells who is replaced, in which order, and how many at a time", () => {
    const before = settled(nodes, toy("v1"), podsAlone);
    const { replaced, gained, untouched, unavailableMax } = ask(before, toy("v2"), { kind: podsAlone });
    expect(replaced.toSorted()).toEqual(["a", "b", "c"]);
    expect([gained, untouched, unavailableMax]).toEqual([[], 0, 1]);
  });

  test("of a node that is not wanted any more tells who loses its pod, which is no outage", () => {
    const before = settled(nodes, toy("v1")).map((object) => (isNamed(object, "b") ? unwanted(object) : object));
    const { lost, untouched, unavailableMax, writes } = ask(before, toy("v1"));
    expect([lost, untouched, unavailableMax]).toEqual([["b"], 2, 0]);
    expect(writes.map(({ step }) => stepId(step)).filter((id) => id.includes("Node"))).toEqual(["apply v1 Node b"]);
  });

  test("of a patch of annotations tells whose pods are changed in place; a label of the operator's that is put right is no change", () => {
    const kind = createKinds().find((each) => each.kind === "DaemonSet") ?? toyKind;
    const labels = { app: "agent" };
    const set = (zone: string): JsonObject => ({
      ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet" },
      metadata: { name: "agent", namespace: "default", uid: "u-agent", generation: 1 },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "agent:1" }] } },
        patches: [{ selector: { matchLabels: { zone: "a" } }, patch: { metadata: { annotations: { zone } } } }],
        updateStrategy: { rollingUpdate: { rollingUpdateType: "InPlaceIfPossible" } },
      },
    });
    const inZone = { metadata: { name: "z", uid: "u-z", labels: { zone: "a" } } };
    const before = settled([...nodes, { ...aNode("z"), ...inZone }], set("a"), kind);
    const { changed, replaced, untouched, unavailableMax } = ask(before, set("b"), { kind });
    expect({ changed, replaced, untouched, unavailableMax }).toEqual({
      ...{ changed: ["z"], replaced: [], untouched: 3, unavailableMax: 0 },
    });
  });

  test("of a driver whose image is missing builds it first", () => {
    const kernel = "5.14.0-427.el9.x86_64";
    const node = {
      ...{ apiVersion: "v1", kind: "Node", metadata: { name: "w-1", uid: "u-w-1", labels: { gpu: "yes" } } },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: {
          kernelVersion: kernel,
          architecture: "amd64",
          operatingSystem: "linux",
          osImage: "Rocky Linux 9.4",
        },
      },
    };
    const module = {
      ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module" },
      metadata: { name: "kmod", namespace: "default", uid: "u-kmod", generation: 1 },
      spec: {
        selector: { gpu: "yes" },
        kernelMappings: [
          { regexp: "^5", containerImage: "example.com/kmod:1", build: { dockerfileConfigMap: { name: "d" } } },
        ],
        driverContainer: { name: "driver" },
      },
    };
    const [kind = toyKind] = createKinds();
    const missing = () => ({ is: "missing", askedMs: nowMs }) as const;
    const { writes, gained, isSettled } = forecast({ kind, objects: [node], object: module, image: missing, nowMs });
    expect([...new Set(writes.map(({ step }) => targetOf(step).kind))]).toEqual(["Job", "DaemonSet", "Node"]);
    expect([gained, isSettled]).toEqual([["w-1"], true]);
  });

  test("changes nothing of what it was given", () => {
    const before = settled(nodes, toy("v1"));
    const text = JSON.stringify(before);
    ask(before, toy("v2"));
    expect(JSON.stringify(before)).toBe(text);
  });

  test("ends when a kind never does", () => {
    let turns = 0;
    const restless = {
      ...toyKind,
      observe: () => ({
        decide: () => ({ plan: { steps: [], held: [], lookAgainAtMs: nowMs + 10 * turns++ }, asks: [] }),
        explain: () => undefined,
      }),
    };
    expect(ask(nodes, toy("v1"), { kind: restless }).isSettled).toBe(false);
  });
});

function isNamed({ metadata }: JsonObject, name: string): boolean {
  return typeof metadata === "object" && metadata !== null && "uid" in metadata && metadata.uid === `u-${name}`;
}

function unwanted(node: JsonObject): JsonObject {
  const labels = { [WANTED]: "no", [labelOf({ namespace: "default", name: "a" })]: "v1", [IMAGE]: "other" };
  return { ...node, metadata: { ...Object(node.metadata), labels } };
}
