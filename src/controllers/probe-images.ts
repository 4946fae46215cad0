// Keeps what is known of images up to date: every image that some object asks for is probed, again after a while, and the objects
// that asked are woken when the answer is another one.

import type { ImageState } from "../core/snapshot.ts";
import type { ImageQuestion, Kind } from "../kinds/kind.ts";
import { isForbidden } from "../kube/api-error.ts";
import type { Client } from "../kube/client.ts";
import type { Clock } from "../kube/clock.ts";
import type { Rand } from "../kube/rand.ts";
import { type Key, namedKey, resourceName } from "../kube/resource.ts";
import { Controller } from "../runtime/controller.ts";
import type { Source } from "../runtime/intake.ts";
import type { Logger } from "../runtime/log.ts";
import { QUEUE_LIMITS } from "../runtime/queue.ts";
import type { RegistryTransport } from "../runtime/registry-transport.ts";
import type { ImageKnowledge, Prober } from "./image-knowledge.ts";
import { type AnyResource, resourceOfKind } from "./known-resources.ts";
import type { Behalf } from "./on-behalf.ts";
import { CredentialsWithheld, type ImageFinding, PROBE_LIMITS, probeImage } from "./probe-image.ts";
import { credentialsIn } from "./registry-credentials.ts";

export type ImageLimits = {
  readonly inFlightMax: number;
  /** Images asked for at once; more than that stay unasked. */
  readonly imagesMax: number;
  /** How long an answer is believed. Stretched by up to a quarter, so that not all are asked for at once. */
  readonly presentMs: number;
  readonly missingMs: number;
  readonly unreachableMs: number;
};

export const IMAGE_LIMITS: ImageLimits = {
  ...{ inFlightMax: 8, imagesMax: 10_000 },
  ...{ presentMs: 3_600_000, missingMs: 30_000, unreachableMs: 60_000 },
};

export type ImageProbesOptions = {
  readonly registry: RegistryTransport;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  readonly trustedHostsOf?: (host: string) => readonly string[];
  readonly limits?: ImageLimits;
};

type Asked = { readonly question: ImageQuestion; readonly by: Behalf };
type Interest = { readonly asked: Map<string, Asked>; state: ImageState };

const secrets: AnyResource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };
const JITTER = 0.25;
/** Different secrets that one image is tried with. */
const WAYS_MAX = 10;

export class ImageProbes implements ImageKnowledge {
  readonly #options: ImageProbesOptions;
  readonly #limits: ImageLimits;
  readonly #images = new Map<string, Interest>();
  readonly #askedBy = new Map<string, readonly string[]>();
  readonly #offers = new Set<(reference: string, initial: boolean) => void>();
  readonly #listeners = new Set<{ readonly resource: string; readonly wake: (key: string) => void }>();

  constructor(options: ImageProbesOptions) {
    this.#options = options;
    this.#limits = options.limits ?? IMAGE_LIMITS;
  }

  state(reference: string): ImageState {
    return this.#images.get(reference)?.state ?? { is: "unasked" };
  }

  ask(questions: readonly ImageQuestion[], by: Behalf): void {
    const wanted = new Set(questions.map(({ image }) => image));
    for (const image of this.#askedBy.get(by.text) ?? []) if (!wanted.has(image)) this.#forget(image, by);
    if (wanted.size === 0) this.#askedBy.delete(by.text);
    else this.#askedBy.set(by.text, [...wanted]);
    for (const question of questions) this.#note(question, by);
  }

  answersFor(kind: Kind): Source {
    const resource = resourceName(resourceOfKind(kind));
    return {
      start: (offer) => {
        const listener = { resource, wake: (key: string) => offer(key, false) };
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  prober(client: Client): Prober {
    const source: Source = {
      start: (offer) => {
        this.#offers.add(offer);
        for (const reference of this.#images.keys()) offer(reference, true);
        return () => void this.#offers.delete(offer);
      },
    };
    return new Controller(
      {
        ...{ name: "images", sources: [source], workers: this.#limits.inFlightMax, queue: QUEUE_LIMITS },
        timeoutMs: PROBE_LIMITS.timeoutMs * WAYS_MAX,
        reconcile: (reference, { signal }) => this.#probe(reference, client, signal),
      },
      this.#options,
    );
  }

  #note(question: ImageQuestion, by: Behalf): void {
    const known = this.#images.get(question.image);
    if (known === undefined && this.#images.size >= this.#limits.imagesMax) return;
    const interest: Interest = known ?? { asked: new Map(), state: { is: "unasked" } };
    interest.asked.set(by.text, { question, by });
    if (known !== undefined && !this.#isTooOld(known.state, question)) return;
    this.#images.set(question.image, interest);
    for (const offer of this.#offers) offer(question.image, false);
  }

  /** Whether somebody knows that the registry should be asked again by now. */
  #isTooOld(state: ImageState, { newerThanMs = 0 }: ImageQuestion): boolean {
    const isDue = newerThanMs <= this.#options.clock.wallMs();
    return isDue && state.is !== "unasked" && state.askedMs < newerThanMs;
  }

  #forget(image: string, by: Behalf): void {
    const interest = this.#images.get(image);
    interest?.asked.delete(by.text);
    if (interest?.asked.size === 0) this.#images.delete(image);
  }

  /** Whoever asks may have the right secret: they are tried in turn until one finds the image. */
  async #probe(reference: string, client: Client, signal: AbortSignal): Promise<{ againInMs: number } | undefined> {
    const asked = differentWays(this.#images.get(reference)?.asked.values() ?? []);
    let finding: ImageFinding | undefined;
    for (const one of asked) {
      finding = await this.#probeFor(one, client, signal);
      if (finding.is === "present") break;
    }
    const interest = this.#images.get(reference);
    if (finding === undefined || interest === undefined) return undefined;
    const before = interest.state;
    interest.state = { ...finding, askedMs: this.#options.clock.wallMs() };
    if (isNews(before, interest.state)) this.#wake(interest);
    return { againInMs: this.#trustMs(finding) * (1 + JITTER * this.#options.rand.next()) };
  }

  #probeFor({ question, by }: Asked, client: Client, signal: AbortSignal): Promise<ImageFinding> {
    const { registry, clock, trustedHostsOf = () => [] } = this.#options;
    const credentialsFor = async (host: string, inTime: AbortSignal): Promise<string | undefined> => {
      for (const name of question.pullSecrets) {
        const secret = await readSecret(client, namedKey(name, by.ref.namespace), inTime);
        const found = secret === undefined ? undefined : credentialsIn(secret, host);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return probeImage(question, { registry, clock, credentialsFor, trustedHostsOf, signal });
  }

  #trustMs({ is }: ImageFinding): number {
    const { presentMs, missingMs, unreachableMs } = this.#limits;
    return { present: presentMs, missing: missingMs, unreachable: unreachableMs }[is];
  }

  #wake({ asked }: Interest): void {
    for (const { by } of asked.values()) {
      for (const { resource, wake } of this.#listeners) if (by.text.startsWith(`${resource} `)) wake(by.key);
    }
  }
}

/** Not every site lets us read secrets. */
async function readSecret(client: Client, key: Key, signal: AbortSignal) {
  try {
    return await client.get(secrets, key, { signal });
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    throw new CredentialsWithheld(`it wants credentials, and reading Secret ${key} is forbidden to us`, { cause });
  }
}

/** Who would ask with the same secrets in the same manner need not both. */
function differentWays(asked: Iterable<Asked>): readonly Asked[] {
  const byWay = new Map<string, Asked>();
  for (const one of asked) {
    const { pullSecrets, tls } = one.question;
    byWay.set(JSON.stringify([one.by.ref.namespace, pullSecrets, tls]), one);
  }
  return [...byWay.values()].slice(0, WAYS_MAX);
}

/** The instant of asking is no news; everything that a decision could read is. */
function isNews(before: ImageState, now: ImageState): boolean {
  if (before.is !== now.is) return true;
  if (before.is === "unreachable" && now.is === "unreachable") return before.isWithheld !== now.isWithheld;
  return before.is === "present" && now.is === "present" && before.digest !== now.digest;
}
