// Watches for other operators of our kinds while this process leads: reads a Lease, a few configurations and the kind's definition by name,
// now and then.
//
// Guarantees: nothing is done for a kind with a rival before it has been asked for once, nor before its definition has been seen. What
// cannot be asked keeps its last answer; a definition that may not be read counts as ours, because an operator without that right works as
// well as one with it.
// Caveats: a rival that appears is noticed after `everyMs`; a pass that has begun by then is finished.
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind, Rival } from "../../kinds/kind.ts";
import { isForbidden } from "../../kube/client/api-error.ts";
import { definitions, mutatingConfigurations, validatingConfigurations } from "../../kube/client/built-in-resources.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { namedKey, resourceName } from "../../kube/resource.ts";
import { type SeenLease, seeLease } from "../../runtime/lease/lease-claim.ts";
import { leases, readLease } from "../../runtime/lease/lease-record.ts";
import type { Logger } from "../../runtime/log/log.ts";
import { Controller } from "../../runtime/queue/controller.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import { QUEUE_LIMITS } from "../../runtime/queue/queue.ts";
import { resourceOfKind } from "../view/known-resources.ts";
import { judgeDefinition } from "./judge-definition.ts";
import { judgeRival } from "./judge-rival.ts";
import type { Rivals, RivalWatcher, StandingBack } from "./rivals.ts";

export type RivalLimits = {
  /** Between two looks. */
  readonly everyMs: number;
  /** For one look. */
  readonly timeoutMs: number;
  /** Between two looks at a definition that is as it should be: it is large, and seldom changes. */
  readonly definitionEveryMs: number;
  /** Between two looks for a definition that is not installed: whoever installs it waits for us. */
  readonly absentEveryMs: number;
};

export const RIVAL_LIMITS: RivalLimits = {
  ...{ everyMs: 5_000, timeoutMs: 10_000 },
  ...{ definitionEveryMs: 300_000, absentEveryMs: 1_000 },
};

export type RivalWatchOptions = {
  /** Kinds that are left to another operator as long as it is at work. */
  readonly kinds: readonly Kind[];
  /** Kinds that are left alone while another definition is installed, each with how ours is made: only who leads needs it. */
  readonly definitions?: ReadonlyMap<Kind, () => JsonObject>;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  readonly limits?: Partial<RivalLimits>;
};

const UNKNOWN: StandingBack = Object.freeze({
  isCertain: false,
  because: "it is not known yet whether another operator is at work",
});

/** Its objects may be there as soon as it is, and before anybody has judged it. */
const ABSENT: StandingBack = Object.freeze({ isCertain: false, because: "its definition is not installed" });

type Installed = JsonObject | "absent" | "refused";

type Watched = {
  readonly kind: Kind;
  readonly rival: Rival | undefined;
  readonly definition: (() => JsonObject) | undefined;
};

export class RivalWatch implements Rivals {
  readonly #options: RivalWatchOptions;
  readonly #limits: RivalLimits;
  readonly #rivals: ReadonlyMap<string, Watched>;
  readonly #answers = new Map<string, StandingBack | undefined>();
  readonly #seen = new Map<string, SeenLease>();
  /** When a definition was found to be as it should be. */
  readonly #fineSinceMs = new Map<string, number>();
  /** What may not be read is said once for each kind. */
  readonly #refused = new Set<string>();
  readonly #listeners = new Set<{ readonly name: string; readonly wake: () => void }>();

  constructor(options: RivalWatchOptions) {
    this.#options = options;
    this.#limits = { ...RIVAL_LIMITS, ...options.limits };
    const ours = options.definitions ?? new Map<Kind, () => JsonObject>();
    const watched = [...new Set([...options.kinds.filter(({ rival }) => rival !== undefined), ...ours.keys()])];
    this.#rivals = new Map(
      watched.map((kind) => {
        const rival = options.kinds.includes(kind) ? kind.rival : undefined;
        return [nameOf(kind), { kind, rival, definition: ours.get(kind) }];
      }),
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
    this.#fineSinceMs.clear();
    const names = [...this.#rivals.keys()];
    const all: Source = {
      start: (offer) => {
        for (const name of names) offer(name, true);
        return () => undefined;
      },
    };
    const { everyMs, absentEveryMs, timeoutMs } = this.#limits;
    const backOff = { baseMs: everyMs, maxMs: everyMs };
    return new Controller(
      {
        ...{ name: "rivals", sources: [all], workers: 1, timeoutMs, queue: { ...QUEUE_LIMITS, backOff } },
        reconcile: async (name, { signal }) => {
          await this.#look(name, client, signal);
          return { againInMs: this.#answers.get(name) === ABSENT ? absentEveryMs : everyMs };
        },
      },
      this.#options,
    );
  }

  async #look(name: string, client: Client, signal: AbortSignal): Promise<void> {
    const found = this.#rivals.get(name);
    if (found === undefined) return;
    const { kind, rival } = found;
    const foreign = await this.#foreign(name, found, client, signal);
    if (foreign !== undefined || rival === undefined) this.#answer(kind, foreign);
    else this.#answer(kind, await this.#judge(name, kind, rival, client, signal));
  }

  async #judge(
    name: string,
    kind: Kind,
    rival: Rival,
    client: Client,
    signal: AbortSignal,
  ): Promise<StandingBack | undefined> {
    const { clock } = this.#options;
    const lease = await client.get(leases, namedKey(rival.lease.name, rival.lease.namespace), { signal });
    const configurations = await configurationsOf(rival, client, signal);
    const seen = lease && seeLease(this.#seen.get(name), readLease(lease), clock.monotonicMs());
    if (seen === undefined) this.#seen.delete(name);
    else this.#seen.set(name, seen);
    const traces = { lease: seen, renewTime: lease?.spec?.renewTime, configurations };
    return judgeRival(kind, rival, traces, { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });
  }

  /** Why the installed definition is not ours, or that there is none; undefined when it will do. */
  async #foreign(
    name: string,
    { kind, definition }: Watched,
    client: Client,
    signal: AbortSignal,
  ): Promise<StandingBack | undefined> {
    if (definition === undefined) return undefined;
    const nowMs = this.#options.clock.monotonicMs();
    const sinceMs = this.#fineSinceMs.get(name);
    if (sinceMs !== undefined && nowMs - sinceMs < this.#limits.definitionEveryMs) return undefined;
    const installed = await this.#readDefinition(kind, client, signal);
    const verdict = verdictOn(installed, (found) => judgeDefinition(kind, definition(), found));
    if (verdict !== undefined) this.#fineSinceMs.delete(name);
    else this.#fineSinceMs.set(name, nowMs);
    return verdict;
  }

  async #readDefinition(kind: Kind, client: Client, signal: AbortSignal): Promise<Installed> {
    const definition = `${kind.plural}.${kind.group}`;
    try {
      return (await client.get(definitions, definition, { signal })) ?? "absent";
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const remedy = "it is taken for ours; allow get of customresourcedefinitions to have it checked";
      if (!this.#refused.has(definition))
        this.#options.log.warn(`the definition may not be read: ${remedy}`, { definition });
      this.#refused.add(definition);
      return "refused";
    }
  }

  #answer(kind: Kind, answer: StandingBack | undefined): void {
    const name = nameOf(kind);
    const { log } = this.#options;
    const before = this.standing(kind);
    this.#answers.set(name, answer);
    if (before?.because === answer?.because) return;
    if (answer?.isCertain) log.warn("this kind is left alone", { kind: kind.kind, because: answer.because });
    else if (before?.isCertain) log.info("nothing speaks against serving this kind any more", { kind: kind.kind });
    for (const listener of this.#listeners) if (listener.name === name) listener.wake();
  }
}

function verdictOn(
  installed: Installed,
  judge: (definition: JsonObject) => StandingBack | undefined,
): StandingBack | undefined {
  if (installed === "absent") return ABSENT;
  return installed === "refused" ? undefined : judge(installed);
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
