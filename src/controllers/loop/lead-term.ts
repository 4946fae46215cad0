// The work of one term as leader: a controller per kind, each from the moment at which everything it reads is known.
//
// Guarantees: every write of the term passes its fence; a kind whose objects cannot be listed holds up no other.
import type { Kind } from "../../kinds/kind.ts";
import type { CallReport } from "../../kube/client/api-caller.ts";
import type { Client } from "../../kube/client/client.ts";
import { ConcurrencyLimit } from "../../kube/client/concurrency-limit.ts";
import { createClient } from "../../kube/client/create-client.ts";
import type { RetryLimits } from "../../kube/client/retry.ts";
import { namedKey, resourceName } from "../../kube/resource.ts";
import type { Term } from "../../runtime/lease/leadership.ts";
import { fenceWrites } from "../../runtime/lease/write-fence.ts";
import { EventRecorder } from "../../runtime/log/event-recorder.ts";
import type { Metrics } from "../../runtime/metrics/metrics.ts";
import type { Controller } from "../../runtime/queue/controller.ts";
import type { Rivals } from "../coexistence/rivals.ts";
import type { ApplyLimits } from "../perform/apply-plan.ts";
import { SlowStarts } from "../perform/slow-start.ts";
import type { ImageKnowledge } from "../registry/image-knowledge.ts";
import { UNREAD_ANSWERS } from "../view/cluster-caches.ts";
import type { ConfigTexts } from "../view/config-texts.ts";
import { findResourceAmong, resourceOfKind } from "../view/known-resources.ts";
import type { ClusterView } from "../view/observe-cluster.ts";
import { Lulls } from "./lulls.ts";
import type { OperatorPorts } from "./operator-ports.ts";
import type { OnReview } from "./reconcile.ts";
import { controllerOfKind, type KindLimits } from "./run-kind.ts";
import { StatusPace } from "./status-pace.ts";
import { wakeUpsOf } from "./wake-ups.ts";

export type TermParts = {
  readonly ports: OperatorPorts;
  readonly kinds: readonly Kind[];
  readonly view: ClusterView;
  readonly images: ImageKnowledge;
  readonly texts: ConfigTexts;
  readonly rivals: Rivals;
  readonly serves: (namespace: string) => boolean;
  readonly program: string;
  /** Another replica may have led until a moment ago. */
  readonly hasOthers: boolean;
  readonly applyLimits: ApplyLimits;
  readonly kindLimits: KindLimits;
  readonly metrics: Metrics | undefined;
  readonly onCall: (report: CallReport) => void;
  /** Told what came of passes, if somebody keeps figures of them. */
  readonly onReview: OnReview | undefined;
  readonly onMistake: (kind: Kind, error: unknown) => void;
  /** Told of the term's recorder, whose figures somebody may want. */
  readonly onRecorder: (recorder: EventRecorder) => void;
};

/** Once and at once: a create that waits for its turn is older than what it was decided from. */
const PROMPT: RetryLimits = { attemptsMax: 1, windowMs: 500, delayMinMs: 0, delayMaxMs: 0 };

/** How long the controllers of a term may take to end: others wait for the lease meanwhile. */
const STOP_MS = 5_000;

/** Works until the term ends. */
export async function leadTerm(term: Term, parts: TermParts): Promise<void> {
  const { ports, kinds, program, onCall } = parts;
  const transport = fenceWrites(ports.transport, term.fence);
  const unreadAnswers = UNREAD_ANSWERS;
  // One limit for both: a create that waits for a connection instead would be sent long after what it follows from was read.
  const shared = {
    ...ports,
    transport,
    fieldManager: program,
    unreadAnswers,
    onCall,
    concurrency: new ConcurrencyLimit(),
  };
  const client = createClient(shared);
  const events = new EventRecorder({ ...ports, client, component: program, instance: ports.identity });
  parts.onRecorder(events);
  const promptClient = parts.hasOthers ? undefined : createClient({ ...shared, retry: PROMPT });
  const controllers = kinds.map((kind) => {
    const controller = kindController(kind, parts, { client, promptClient, events });
    // Rejected only when the term ends or the caches stop: then there is nothing to start.
    readyFor(kind, parts, client, term).then(
      () => controller.start(),
      () => undefined,
    );
    return controller;
  });
  const seekers = [parts.images.prober(client), parts.texts.reader(client), parts.rivals.watcher(client)];
  for (const seeker of seekers) seeker.start();
  await ended(term.signal);
  await Promise.all([...controllers, ...seekers, events].map((part) => part.stop(STOP_MS)));
}

/** Resolves when decisions about a kind may be made; rejects when the term is over before. */
async function readyFor(kind: Kind, { view, hasOthers }: TermParts, client: Client, { signal }: Term): Promise<void> {
  await view.caches.syncedFor(kind);
  if (hasOthers) await view.caches.caughtUpFor(kind, client, signal);
  signal.throwIfAborted();
  if (hasOthers) view.wishes.excludeOthers();
}

type TermTools = {
  readonly client: Client;
  /** Where there is no lease. */
  readonly promptClient: Client | undefined;
  readonly events: EventRecorder;
};

function kindController(kind: Kind, parts: TermParts, { client, promptClient, events }: TermTools): Controller {
  const { ports, view, images, texts, rivals, serves, program, metrics, applyLimits, kindLimits } = parts;
  const name = resourceName(resourceOfKind(kind));
  const { cached, seen } = view.ofKind(kind);
  const onMistake = (error: unknown) => parts.onMistake(kind, error);
  const lulls = new Lulls(ports.clock);
  const wakeUps = wakeUpsOf({ kind, caches: view.caches, objects: cached, lulls, onMistake });
  const keys = () => [...cached.values()].map((object) => namedKey(object.name, object.namespace));
  const controller = controllerOfKind(
    {
      ...{ kind, name, client, events, program, rivals, serves, lulls, onMistake, kindLimits, limits: applyLimits },
      ...(promptClient === undefined ? {} : { promptClient }),
      ...(parts.onReview === undefined ? {} : { onReview: parts.onReview }),
      ...{ clock: ports.clock, rand: ports.rand, snapshot: view.snapshot, ledger: view.ledger },
      refusals: view.refusals,
      ...{ pace: new StatusPace(ports.clock), starts: new SlowStarts() },
      sources: [...wakeUps, images.answersFor(kind), texts.changesFor(kind), rivals.changesFor(kind, keys)],
      findResource: findResourceAmong(parts.kinds),
      find: (object) => seen.get(namedKey(object.name, object.namespace)),
      catchUp: (signal) => view.caches.caughtUpFor(kind, client, signal),
      ask: (questions, by) => images.ask(questions, by),
      want: (wanted, by) => texts.want(wanted, by),
    },
    { ...ports, ...(metrics === undefined ? {} : { onRun: metrics.onRun(name) }) },
  );
  metrics?.watchController(name, () => controller.readings());
  return controller;
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
