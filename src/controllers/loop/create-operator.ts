// The whole operator as a value: caches that every replica keeps warm, and for the one that leads a controller per kind. It knows its
// ports and the kinds handed in; main.ts binds them to a machine and a cluster, the simulator to a model.
import type { Kind } from "../../kinds/kind.ts";
import type { CacheLimits } from "../../kube/cache/cache-limits.ts";
import { createClient } from "../../kube/client/create-client.ts";
import { type Lead, type Leadership, type LeadershipReadings, soleLeadership } from "../../runtime/lease/leadership.ts";
import { LEADERSHIP_LIMITS, type LeadershipLimits, LeaseLeadership } from "../../runtime/lease/lease-leadership.ts";
import { type Ending, LIFECYCLE_LIMITS, type LifecycleLimits, type Part, runParts } from "../../runtime/lifecycle.ts";
import type { EventReadings, EventRecorder } from "../../runtime/log/event-recorder.ts";
import type { Metrics } from "../../runtime/metrics/metrics.ts";
import { noRivals, type Rivals } from "../coexistence/rivals.ts";
import { addStandingFigure } from "../coexistence/standing-figure.ts";
import { APPLY_LIMITS, type ApplyLimits } from "../perform/apply-plan.ts";
import { type ImageKnowledge, noImageKnowledge } from "../registry/image-knowledge.ts";
import { CONFIG_TEXT_LIMITS, type ConfigTextLimits, ConfigTexts } from "../view/config-texts.ts";
import { LEDGER_LIMITS, type LedgerLimits } from "../view/ledger.ts";
import { type ClusterView, observeCluster } from "../view/observe-cluster.ts";
import { leadTerm } from "./lead-term.ts";
import type { OperatorPorts } from "./operator-ports.ts";
import { addPatchFigures } from "./patch-figures.ts";
import { KIND_LIMITS, type KindLimits } from "./run-kind.ts";

export type OperatorLimits = {
  readonly apply: ApplyLimits;
  readonly kind: KindLimits;
  readonly ledger: LedgerLimits;
  readonly lifecycle: LifecycleLimits;
  readonly leadership: LeadershipLimits;
  readonly cache: Partial<CacheLimits>;
  readonly texts: ConfigTextLimits;
};

export type OperatorOptions = {
  readonly kinds: readonly Kind[];
  /** Only objects of these namespaces are looked after; those of all where there are none. */
  readonly namespaces?: readonly string[];
  /** The name of this program: field managers and events carry it. */
  readonly program: string;
  /** The Lease over which replicas agree; absent when there is only one. */
  readonly lease?: { readonly namespace: string; readonly name: string };
  readonly images?: ImageKnowledge;
  /** Who else may serve the kinds; absent when everything is to be done whoever else does it. */
  readonly rivals?: Rivals;
  readonly metrics?: Metrics;
  readonly limits?: Partial<OperatorLimits>;
};

export type Operator = {
  /** Works until the signal is aborted or a part dies, then ends in good order. To be called once. */
  run(signal: AbortSignal): Promise<Ending>;
  /** What `run` runs. Whoever has further parts, such as servers, runs these together with them. */
  readonly parts: readonly Part[];
  readonly view: ClusterView;
  readings(): OperatorReadings;
};

export type OperatorReadings = {
  readonly leadership: LeadershipReadings;
  readonly events: EventReadings;
  /** How often our own code threw, by kind. */
  readonly mistakes: ReadonlyMap<string, number>;
  /** Writes that the caches have not shown yet. */
  readonly unseenWrites: number;
};

const ALL_LIMITS: OperatorLimits = {
  apply: APPLY_LIMITS,
  kind: KIND_LIMITS,
  ledger: LEDGER_LIMITS,
  lifecycle: LIFECYCLE_LIMITS,
  leadership: LEADERSHIP_LIMITS,
  cache: {},
  texts: CONFIG_TEXT_LIMITS,
};

/** Puts the operator together; nothing is sent before `run`. */
export function createOperator(ports: OperatorPorts, options: OperatorOptions): Operator {
  const { kinds, namespaces = [], program, metrics, images = noImageKnowledge, rivals = noRivals } = options;
  const limits = { ...ALL_LIMITS, ...options.limits };
  const onReview = metrics && addPatchFigures(metrics);
  const mistakes = new Map<string, number>();
  let recorder: EventRecorder | undefined;
  const texts = new ConfigTexts(ports, limits.texts);
  const view = observeCluster(
    { ...ports, limits: limits.cache, userAgent: program },
    {
      ...{ kinds, ledgerLimits: limits.ledger, imageState: (reference) => images.state(reference) },
      configText: (namespace, key) => texts.state(namespace, key),
    },
  );
  const leadership = leadershipOf(ports, options, limits);
  const lead: Lead = (term) =>
    leadTerm(term, {
      ...{ ports, kinds, view, images, texts, rivals, program, metrics },
      serves: (namespace) => namespaces.length === 0 || namespaces.includes(namespace),
      ...{ applyLimits: limits.apply, kindLimits: limits.kind },
      onReview,
      hasOthers: options.lease !== undefined,
      onCall: (report) => metrics?.onCall(report),
      onRecorder: (made) => {
        recorder = made;
      },
      onMistake: ({ kind }, error) => {
        mistakes.set(kind, (mistakes.get(kind) ?? 0) + 1);
        ports.log.error("a mistake of ours; the object is left as it is and tried again", { kind, error });
      },
    });
  const parts = [cachesPart(view), leadershipPart(view, leadership, lead)];
  const readings = (): OperatorReadings => ({
    ...{ leadership: leadership.readings(), mistakes, unseenWrites: view.ledger.size },
    events: recorder?.readings() ?? { written: 0, dropped: 0 },
  });
  if (metrics !== undefined) {
    watch(metrics, view, readings);
    addStandingFigure(metrics, { program, kinds, rivals });
  }
  return { parts, view, readings, run: (signal) => runParts(parts, signal, { ...ports, limits: limits.lifecycle }) };
}

function leadershipOf(ports: OperatorPorts, { lease, program }: OperatorOptions, limits: OperatorLimits): Leadership {
  if (lease === undefined) return soleLeadership(ports);
  const client = createClient({ ...ports, fieldManager: program, lane: "lease" });
  return new LeaseLeadership({ ...ports, ...lease, client, limits: limits.leadership });
}

function cachesPart({ caches }: ClusterView): Part {
  const life = new AbortController();
  return {
    name: "caches",
    phase: "observe",
    start: async ({ died }) => void caches.run(life.signal).catch(died),
    stop: async () => life.abort(new Error("the caches stop")),
  };
}

/** A replica campaigns once it knows the nodes: one that cannot see the cluster should leave the lead to others. */
function leadershipPart({ caches }: ClusterView, leadership: Leadership, lead: Lead): Part {
  let isCampaigning = false;
  let isStopped = false;
  const campaign = () => {
    if (isStopped) return;
    isCampaigning = true;
    leadership.start(lead);
  };
  return {
    name: "leadership",
    phase: "lead",
    // Not awaited: a server that is away for a while is no reason to give up.
    start: async () => void caches.nodes.synced.then(campaign, () => undefined),
    stop: async (drainMs) => {
      isStopped = true;
      if (isCampaigning) await leadership.stop(drainMs);
    },
  };
}

function watch(metrics: Metrics, { caches }: ClusterView, readings: () => OperatorReadings): void {
  for (const [resource, cache] of caches.all) metrics.watchCache(resource, () => cache.vitals());
  metrics.watchLeadership(() => readings().leadership);
  metrics.watchEvents(() => readings().events);
}
