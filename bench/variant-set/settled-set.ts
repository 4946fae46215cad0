// A large fleet that a VariantSet has nothing to do for, as the operator's snapshot shows it: twelve variants, a pod on every node.
import type { DaemonPod } from "../../src/core/daemon-pod.ts";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { createFactsParser, type NodeFacts } from "../../src/core/node-facts.ts";
import type { Snapshot, StoredObject } from "../../src/core/snapshot.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { aNodeObject, aSetObject, PaperSet } from "../../src/kinds/variant-set/paper-set.ts";
import { KEY_LABEL } from "../../src/kinds/variant-set/render.ts";
import { fleet } from "../core/fleet.ts";

const VARIANTS = 12;
const LABEL = "variant.farrier.dev/storage.agent";

export type SettledSet = {
  readonly kind: Kind;
  readonly stored: StoredObject;
  readonly snapshot: Snapshot;
  /** The Node objects as the API server sends them. */
  readonly nodeObjects: readonly JsonObject[];
  /** The same fleet with one node that has rebooted into another kernel: a new list in which one entry is new. */
  readonly withReboot: (turn: number) => Snapshot;
  readonly nowMs: number;
};

/** Makes the fleet: what a small cluster settled to, many times over. */
export function settledSet(count: number): SettledSet {
  const variants = Array.from({ length: VARIANTS }, (_, at) => ({
    ...{ name: `line-${at}`, match: { kernel: `5.${at}.x` }, images: { agent: `registry.example.com/agent:5.${at}` } },
  }));
  const small = Array.from({ length: VARIANTS }, (_, at) => aNodeObject(`seed-${at}`, { kernel: kernelAt(at) }));
  const paper = new PaperSet(small, aSetObject({ variants })).settle();
  const parse = createFactsParser();
  const nodeObjects = Array.from({ length: count }, (_, at) => nodeObject(at, kernelAt(at), `line-${at % VARIANTS}`));
  const nodes = nodeObjects.map(parse).sort((a, b) => (a.name < b.name ? -1 : 1));
  const { cluster } = paper;
  const sets = cluster.workloadsOf(paper.stored.uid);
  const pods = new Map(
    sets.map(({ uid, labels }) => [uid, podsFor(cluster.podsOf(uid)[0], labels[KEY_LABEL] ?? "", nodes)]),
  );
  const revisions = new Map(sets.map(({ uid }) => [uid, cluster.ownedBy(uid, "ControllerRevision")]));
  const base = {
    ...{ factsSinceMs: () => 0, workloadsOf: () => sets, workloadsLabelled: () => [], workloadNamed: () => undefined },
    podsOf: (uid: string) => pods.get(uid) ?? [],
    ownedBy: (uid: string) => revisions.get(uid) ?? [],
    ...{
      objectNamed: () => undefined,
      strayPods: () => [],
      strays: () => [],
      tasks: () => [],
      configText: () => ({ is: "withheld" }) as const,
    isTerminating: () => false,
    },
    image: () => ({ is: "present", digest: "", askedMs: 0 }) as const,
  };
  const rebooted = Array.from({ length: VARIANTS }, (_, at) => parse(nodeObject(0, kernelAt(at), "line-0")));
  const snapshot = { ...base, nodes };
  const stored = withStatusOf(paper, snapshot);
  return {
    ...{ kind: paper.kind, stored, nodeObjects, nowMs: paper.nowMs, snapshot },
    withReboot: (turn) => ({ ...base, nodes: nodes.with(0, rebooted[turn % rebooted.length] ?? parse({})) }),
  };
}

/** The set with the status that it would have stored about the large fleet. */
function withStatusOf({ kind, stored, nowMs }: PaperSet, snapshot: Snapshot): StoredObject {
  const { plan } = kind.observe(snapshot, stored).decide(nowMs);
  const [step] = plan.steps;
  if (plan.steps.length > 1 || step?.do !== "status")
    throw new Error(`the fleet is not settled: ${plan.steps.length} steps`);
  return { ...stored, object: { ...stored.object, status: step.status } };
}

function kernelAt(at: number): string {
  return `5.${at % VARIANTS}.0-${40 + (at % 3)}-generic`;
}

/** As large as a real Node: the images that a kubelet lists are most of it. */
function nodeObject(at: number, kernel: string, key: string): JsonObject {
  const small = aNodeObject(`node-${String(at).padStart(5, "0")}`, { kernel, labels: { [LABEL]: key } });
  const large = fleet[at % fleet.length] ?? {};
  return {
    ...large,
    ...small,
    metadata: joined(large.metadata, small.metadata),
    status: joined(large.status, small.status),
  };
}

function joined(large: unknown, small: unknown): JsonObject {
  return { ...(isJsonObject(large) ? large : {}), ...(isJsonObject(small) ? small : {}) };
}

function podsFor(pattern: DaemonPod | undefined, key: string, nodes: readonly NodeFacts[]): readonly DaemonPod[] {
  if (pattern === undefined) throw new Error("the cluster on paper has not settled");
  return nodes
    .filter(({ labels }) => labels[LABEL] === key)
    .map(({ name }) => ({ ...pattern, name: `pod-on-${name}`, uid: `pod-${name}`, node: name }));
}
