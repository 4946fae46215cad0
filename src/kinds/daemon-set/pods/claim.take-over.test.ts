// An installation of Kruise that is taken over and given back: nothing restarts on either way.
import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../../core/decision/object-identity.ts";
import type { Plan } from "../../../core/decision/plan.ts";
import { stepId } from "../../../core/decision/step.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { PaperCluster } from "../../forecast/paper-cluster.ts";
import { settlePaper } from "../../forecast/paper-controllers.ts";
import { objectAt } from "../../schema/json-parts.ts";
import { createDaemonSetKind } from "../daemon-set-kind.ts";
import { markedTemplate, recordedTemplate } from "../revision/revision-template.ts";
import kruise from "./vectors/kruise-installation.json" with { type: "json" };

type Recorded = {
  readonly set: JsonObject;
  readonly revisions: readonly JsonObject[];
  readonly pods: readonly JsonObject[];
};

/** Read as JSON and nothing else: its types are not what is tested. */
const recorded: Readonly<Record<"standard" | "inPlace", Recorded>> & { readonly nodes: readonly JsonObject[] } =
  JSON.parse(JSON.stringify(kruise));

/** The recorded installation under our operator. */
class TakenOver {
  nowMs = 1_780_315_200_000;
  readonly cluster: PaperCluster;
  readonly #kind = createDaemonSetKind();
  object: JsonObject;

  constructor({ set, revisions, pods }: Recorded) {
    const objects = [...recorded.nodes, ...revisions, ...pods];
    this.cluster = new PaperCluster(objects, { image: () => ({ is: "unasked" }), isOurLabel: () => false });
    this.object = set;
  }

  get pods(): readonly DaemonPod[] {
    return this.cluster.podsOf(objectIdentity(this.object).uid);
  }

  decide(): Plan {
    const stored = { ...objectIdentity(this.object), object: this.object };
    return this.#kind.observe(this.cluster, stored).decide(this.nowMs).plan;
  }

  settle(): readonly string[] {
    const done: string[] = [];
    for (let look = 0; look < 50; look++) {
      const { steps } = this.decide();
      for (const step of steps) {
        if (step.do === "status") this.object = { ...this.object, status: step.status };
        else this.cluster.perform(step, this.nowMs);
        if (step.do !== "status" && step.do !== "event") done.push(stepId(step));
      }
      settlePaper(this.cluster, this.nowMs);
      this.nowMs += 1_000;
      if (steps.length === 0) return done;
    }
    throw new Error("it does not settle");
  }

  edit(spec: JsonObject): void {
    const generation = objectIdentity(this.object).generation + 1;
    this.object = mergeObject(this.object, { spec, metadata: { generation } });
  }

  /** The pods that Kruise would replace if it took over: those whose hash is not that of the revision with the very bytes. */
  get kruiseReplaces(): readonly string[] {
    const template = markedTemplate(recordedTemplate(objectAt(objectAt(this.object, "spec"), "template")));
    const wanted = canonicalJson({ spec: { template } });
    const revisions = this.cluster.ownedBy(objectIdentity(this.object).uid, "ControllerRevision");
    const current = revisions.filter(({ object }) => goText(object.data) === wanted);
    expect(current).toHaveLength(1);
    const hash = current[0]?.labels["controller-revision-hash"];
    return this.pods.filter(({ labels }) => labels["controller-revision-hash"] !== hash).map(({ name }) => name);
  }
}

/** As the client sends it: in the order of its members, with the escapes of Go. */
function goText(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const identities = (pods: readonly DaemonPod[]) => pods.map(({ name, uid }) => `${name} ${uid}`).sort();

describe("pods of a set that Kruise rolled", () => {
  test("are taken over without a write to any of them, or to a revision", () => {
    const world = new TakenOver(recorded.standard);
    expect(world.settle()).toEqual([]);
    expect(world.object.status).toMatchObject({ updatedNumberScheduled: 3, numberReady: 3, desiredNumberScheduled: 3 });
    expect(objectAt(world.object, "status").updateRevision).toBe(
      objectAt(recorded.standard.set, "status").updateRevision,
    );
  });

  test("are also when the set is read through the older version of the API, which writes other defaults", () => {
    const world = new TakenOver(recorded.standard);
    world.edit({ scaleStrategy: null, burstReplicas: 50 });
    expect(world.settle()).toEqual([]);
  });

  test("would be given back without a restart, at once and after a rollout of ours", () => {
    const world = new TakenOver(recorded.standard);
    world.settle();
    expect(world.kruiseReplaces).toEqual([]);
    world.edit({ template: { spec: { hostPID: false } } });
    expect(world.settle().filter((step) => step.startsWith("delete v1 Pod"))).toHaveLength(3);
    expect(world.kruiseReplaces).toEqual([]);
    expect(world.pods.map(({ controllerUid }) => controllerUid)).toEqual(
      Array(3).fill(objectIdentity(world.object).uid),
    );
  });

  test("go back to the revision that Kruise recorded, under its hash", () => {
    const world = new TakenOver(recorded.standard);
    const [old] = recorded.standard.revisions;
    // As kubectl kruise does it: the data of the revision as a merge patch.
    world.edit(objectAt(objectAt(old ?? {}, "data"), "spec"));
    world.settle();
    const hashes = world.pods.map(({ labels }) => labels["controller-revision-hash"]);
    expect(new Set(hashes)).toEqual(new Set([objectIdentity(old ?? {}).labels["controller-revision-hash"]]));
    expect(world.kruiseReplaces).toEqual([]);
  });

  test("get patches without a restart of those that no patch changes", () => {
    const world = new TakenOver(recorded.standard);
    world.settle();
    const before = identities(world.pods);
    const selector = { matchLabels: { "kubernetes.io/hostname": "n1" } };
    const env = [{ name: "EXTRA", value: "1" }];
    world.edit({ patches: [{ selector, patch: { spec: { containers: [{ name: "exporter", env }] } } }] });
    world.settle();
    const kept = identities(world.pods).filter((pod) => before.includes(pod));
    expect(kept).toHaveLength(2);
    expect(new Set(world.pods.map(({ labels }) => labels["controller-revision-hash"])).size).toBe(1);
  });
});

describe("pods of a set that Kruise updated in place", () => {
  test("keep running; gates that Kruise left shut are opened, and an update it had begun is ended", () => {
    const world = new TakenOver(recorded.inPlace);
    const before = identities(world.pods);
    const steps = world.settle();
    expect(identities(world.pods)).toEqual(before);
    expect(steps).toHaveLength(2);
    expect(steps.every((step) => step.startsWith("patch status v1 Pod"))).toBe(true);
    expect(world.pods.every(({ readySinceMs }) => readySinceMs !== undefined)).toBe(true);
    expect(world.kruiseReplaces).toEqual([]);
  });

  test("are updated in place by us, and given back so", () => {
    const world = new TakenOver(recorded.inPlace);
    world.settle();
    const before = identities(world.pods);
    const [container] = JSON.parse(canonicalJson(objectAt(world.object, "spec"))).template.spec.containers;
    world.edit({ template: { spec: { containers: [{ ...container, image: "registry.example.com/agent:5" }] } } });
    world.settle();
    expect(identities(world.pods)).toEqual(before);
    expect(world.kruiseReplaces).toEqual([]);
  });
});

test("a set that was deleted without its pods and made anew takes them up again", () => {
  const { set, revisions, pods } = recorded.standard;
  const orphaned = (object: JsonObject) => mergeObject(object, { metadata: { ownerReferences: null } });
  const anew = mergeObject(set, { metadata: { uid: "made-anew" } });
  const world = new TakenOver({ set: anew, revisions: revisions.map(orphaned), pods: pods.map(orphaned) });
  expect(world.pods).toEqual([]);
  const steps = world.settle();
  expect(steps.filter((step) => !step.startsWith("patch "))).toEqual([]);
  expect(identities(world.pods)).toEqual(
    pods.map((pod) => `${objectIdentity(pod).name} ${objectIdentity(pod).uid}`).sort(),
  );
});

test("a set that was deleted and made anew does not wait until its old revisions are collected", () => {
  const { set, revisions } = recorded.standard;
  const anew = mergeObject(set, { metadata: { uid: "made-anew" } });
  const first = new TakenOver({ set: anew, revisions: [], pods: [] });
  first.settle();
  const names = first.cluster.ownedBy("made-anew", "ControllerRevision").map(({ name }) => name);
  const old = revisions.map((revision, index) => mergeObject(revision, { metadata: { name: names[0] ?? `${index}` } }));
  const world = new TakenOver({ set: anew, revisions: old.slice(0, 1), pods: [] });
  world.settle();
  expect(world.pods).toHaveLength(3);
  expect(world.object.status).toMatchObject({ collisionCount: 1 });
});
