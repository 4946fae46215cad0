// What a decision in the middle of a rolling update costs: of 1,000 nodes ten got their pods ready since the last one. Beside it a
// decision of a kind that has seen nothing before.

import type { Snapshot, StoredObject } from "../../src/core/decision/snapshot.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { createDaemonSetKind } from "../../src/kinds/daemon-set/daemon-set-kind.ts";
import { aNode, SetOnPaper } from "../../src/kinds/daemon-set/testing/set-on-paper.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { atMost } from "../bar.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { compareWorks } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { inProcess } from "../measure.ts";
import { advancedSet, machines } from "./set-objects.ts";

/** Pods that become ready between two decisions. */
const CHANGED = 10;
/** Decisions until half of the fleet has the new revision. */
const DECISIONS_TO_HALF = 50;
const UNCHANGED_MAX = atMost(0.2);
/** A decision is short, and its code is optimised only after many of them. */
const ROUND_MS_MIN = 100;
/** The plays on a real plane are few and long; of decisions as few would tell of one pause more than of them. */
const ROUNDS_MIN = 15;

/** What a decision sees at one instant. */
type Sight = { readonly snapshot: Snapshot; readonly stored: StoredObject; readonly nowMs: number };

/** The figures of decisions; nothing of it needs a cluster. */
export async function decisionFigures(context: BenchmarkContext): Promise<readonly Figure[]> {
  context.progress("measuring decisions in the middle of an update");
  const [before, after] = midUpdate();
  const kind = createDaemonSetKind();
  let turn = 0;
  // Back and forth between two pictures: each differs from the last one by the same pods.
  const remembered = inProcess("remembered", 1, () => stepsOf(kind, turn++ % 2 === 0 ? before : after));
  const anew = inProcess("from nothing", 1, () => stepsOf(createDaemonSetKind(), turn++ % 2 === 0 ? before : after));
  return compareWorks(
    {
      ...{ name: `decide, ${machines.length} nodes, ${CHANGED} pods changed`, unit: "ms", subject: remembered },
      yardsticks: [{ name: "decide from nothing", bar: UNCHANGED_MAX, work: anew }],
    },
    { roundMs: Math.max(ROUND_MS_MIN, context.roundMs), rounds: Math.max(ROUNDS_MIN, context.rounds) },
  );
}

function stepsOf(kind: Kind, { snapshot, stored, nowMs }: Sight): number {
  return kind.observe(snapshot, stored).decide(nowMs).plan.steps.length;
}

/** Two instants in the middle of an update by tenths, one decision apart. */
function midUpdate(): readonly [Sight, Sight] {
  const set = new SetOnPaper(specOf("1"), machines.map(asNode)).settle();
  set.edit(specOf("2"));
  for (let decision = 0; decision < DECISIONS_TO_HALF; decision++) {
    set.look();
    readyMore(set);
  }
  const before = sightOf(set);
  readyMore(set);
  return [before, sightOf(set)];
}

function readyMore(set: SetOnPaper): void {
  const due = set.pods.filter(({ readySinceMs }) => readySinceMs === undefined).slice(0, CHANGED);
  const names = new Set(due.map(({ name }) => name));
  set.ready(true, ({ name }) => names.has(name));
}

/** The picture as it is now, which stays so while the set goes on. */
function sightOf({ cluster, stored, nowMs }: SetOnPaper): Sight {
  const pods = cluster.podsOf(stored.uid);
  const revisions = cluster.ownedBy(stored.uid, "ControllerRevision");
  const snapshot: Snapshot = {
    ...{
      nodes: cluster.nodes,
      factsSinceMs: () => 0,
      aloneSinceMs: () => 0,
      podsOf: () => pods,
      ownedBy: () => revisions,
    },
    ...{ workloadsOf: () => [], workloadsLabelled: () => [], workloadNamed: () => undefined },
    ...{ objectNamed: () => undefined, strayPods: () => [], strays: () => [], tasks: () => [] },
    ...{ image: () => ({ is: "unasked" }), configText: () => ({ is: "withheld" }), isTerminating: () => false },
  };
  return { snapshot, stored, nowMs };
}

function asNode({ name, labels }: (typeof machines)[number]): JsonObject {
  return aNode(name, { "kubernetes.io/os": "linux", ...labels });
}

function specOf(tag: string): JsonObject {
  return advancedSet(tag).spec ?? {};
}
