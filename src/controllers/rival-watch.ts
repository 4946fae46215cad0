// Watches for other operators of our kinds while this process leads: reads a Lease and a few configurations by name, now and then.
//
// Guarantees: nothing is done for a kind with a rival before it has been asked for once. What cannot be asked keeps its last answer.
// Caveats: a rival that appears is noticed after `everyMs`; a pass that has begun by then is finished.
import type { JsonObject } from "../core/json.ts";
import type { Kind, Rival } from "../kinds/kind.ts";
import type { Client } from "../kube/client.ts";
import type { Clock } from "../kube/clock.ts";
import type { Rand } from "../kube/rand.ts";
import { namedKey, resourceName } from "../kube/resource.ts";
import { Controller } from "../runtime/controller.ts";
import type { Source } from "../runtime/intake.ts";
import { type SeenLease, seeLease } from "../runtime/lease-claim.ts";
import { leases, readLease } from "../runtime/lease-record.ts";
import type { Logger } from "../runtime/log.ts";
import { QUEUE_LIMITS } from "../runtime/queue.ts";
import { judgeRival } from "./judge-rival.ts";
import { type AnyResource, resourceOfKind } from "./known-resources.ts";
import type { Rivals, RivalWatcher, StandingBack } from "./rivals.ts";

export type RivalLimits = {
  /** Between two looks. */
  readonly everyMs: number;
  /** For one look. */
  readonly timeoutMs: number;
};

export const RIVAL_LIMITS: RivalLimits = { everyMs: 5_000, timeoutMs: 10_000 };

export type RivalWatchOptions = {
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  readonly limits?: RivalLimits;
};

const configuration = (plural: string, kind: string): AnyResource => ({
  ...{ group: "admissionregistration.k8s.io", version: "v1", plural, kind, namespaced: false },
});
const mutatingConfigurations = configuration("mutatingwebhookconfigurations", "MutatingWebhookConfiguration");
const validatingConfigurations = configuration("validatingwebhookconfigurations", "ValidatingWebhookConfiguration");

const UNKNOWN: StandingBack = Object.freeze({
  isCertain: false,
  because: "it is not known yet whether another operator is at work",
});

export class RivalWatch implements Rivals {
  readonly #options: RivalWatchOptions;
  readonly #limits: RivalLimits;
  readonly #rivals: ReadonlyMap<string, { readonly kind: Kind; readonly rival: Rival }>;
  readonly #answers = new Map<string, StandingBack | undefined>();
  readonly #seen = new Map<string, SeenLease>();
  readonly #listeners = new Set<{ readonly name: string; readonly wake: () => void }>();

  constructor(options: RivalWatchOptions) {
    this.#options = options;
    this.#limits = options.limits ?? RIVAL_LIMITS;
    this.#rivals = new Map(
      options.kinds.flatMap((kind) => (kind.rival === undefined ? [] : [[nameOf(kind), { kind, rival: kind.rival }]])),
    );
  }

  standing(kind: Kind): StandingBack | undefined {
    const name = nameOf(kind);
    if (!this.#rivals.has(name)) return undefined;
    return this.#answers.has(name) ? this.#answers.get(name) : UNKNOWN;
  }

  changesFor(kind: Kind, keys: () => Iterable<string>): Source {
    return {
      start: (offer) => {
        const wake = () => {
          for (const key of keys()) offer(key, false);
        };
        const listener = { name: nameOf(kind), wake };
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  watcher(client: Client): RivalWatcher {
    // Another process led meanwhile, for however long: what was known before is not known any more.
    this.#answers.clear();
    this.#seen.clear();
    const names = [...this.#rivals.keys()];
    const all: Source = {
      start: (offer) => {
        for (const name of names) offer(name, true);
        return () => undefined;
      },
    };
    const { everyMs, timeoutMs } = this.#limits;
    const backOff = { baseMs: everyMs, maxMs: everyMs };
    return new Controller(
      {
        ...{ name: "rivals", sources: [all], workers: 1, timeoutMs, queue: { ...QUEUE_LIMITS, backOff } },
        reconcile: async (name, { signal }) => {
          await this.#look(name, client, signal);
          return { againInMs: everyMs };
        },
      },
      this.#options,
    );
  }

  async #look(name: string, client: Client, signal: AbortSignal): Promise<void> {
    const found = this.#rivals.get(name);
    if (found === undefined) return;
    const { kind, rival } = found;
    const { clock } = this.#options;
    const lease = await client.get(leases, namedKey(rival.lease.name, rival.lease.namespace), { signal });
    const configurations = await configurationsOf(rival, client, signal);
    const seen = lease && seeLease(this.#seen.get(name), readLease(lease), clock.monotonicMs());
    if (seen === undefined) this.#seen.delete(name);
    else this.#seen.set(name, seen);
    const traces = { lease: seen, renewTime: lease?.spec?.renewTime, configurations };
    this.#answer(kind, judgeRival(kind, rival, traces, { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() }));
  }

  #answer(kind: Kind, answer: StandingBack | undefined): void {
    const name = nameOf(kind);
    const { log } = this.#options;
    const before = this.standing(kind);
    this.#answers.set(name, answer);
    if (before?.because === answer?.because) return;
    if (answer !== undefined) log.warn("this kind is left alone", { kind: kind.kind, because: answer.because });
    else if (before?.isCertain) log.info("no other operator is at work any more", { kind: kind.kind });
    for (const listener of this.#listeners) if (listener.name === name) listener.wake();
  }
}

async function configurationsOf(
  { webhooks }: Rival,
  client: Client,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, JsonObject>> {
  const wanted = [
    ...webhooks.mutating.map((name) => [mutatingConfigurations, name] as const),
    ...webhooks.validating.map((name) => [validatingConfigurations, name] as const),
  ];
  const found = new Map<string, JsonObject>();
  for (const [resource, name] of wanted) {
    const object = await client.get(resource, name, { signal });
    if (object !== undefined) found.set(name, object);
  }
  return found;
}

function nameOf(kind: Kind): string {
  return resourceName(resourceOfKind(kind));
}
