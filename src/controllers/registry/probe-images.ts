// Keeps what is known of images up to date: every image that some object asks for is probed, again after a while, and the objects
// that asked are woken when the answer is another one.
//
// Beside this file:
//   probe-image.ts                                  asks one registry for one image
//   registry-challenge.ts, registry-credentials.ts  logging in, and where credentials may go
//   image-knowledge.ts                              what decisions read of images

import type { ImageState } from "../../core/decision/snapshot.ts";
import type { ImageQuestion, Kind } from "../../kinds/kind.ts";
import { isForbidden } from "../../kube/client/api-error.ts";
import { secrets } from "../../kube/client/built-in-resources.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Clock } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { type Key, namedKey } from "../../kube/resource.ts";
import type { RegistryTransport } from "../../runtime/http/registry-transport.ts";
import type { Logger } from "../../runtime/log/log.ts";
import { Controller } from "../../runtime/queue/controller.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import { QUEUE_LIMITS } from "../../runtime/queue/queue.ts";
import type { Behalf } from "../perform/on-behalf.ts";
import { type Asked, Questions } from "../view/questions.ts";
import type { ImageKnowledge, Prober } from "./image-knowledge.ts";
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

const JITTER = 0.25;
/** Different secrets that one image is tried with. */
const WAYS_MAX = 10;

export class ImageProbes implements ImageKnowledge {
  readonly #options: ImageProbesOptions;
  readonly #limits: ImageLimits;
  readonly #questions: Questions<ImageQuestion, ImageState>;

  constructor(options: ImageProbesOptions) {
    this.#options = options;
    this.#limits = options.limits ?? IMAGE_LIMITS;
    this.#questions = new Questions<ImageQuestion, ImageState>({
      ...{ unknown: { is: "unasked" }, keysMax: this.#limits.imagesMax },
      isTooOld: (state, question) => this.#isTooOld(state, question),
    });
  }

  state(reference: string): ImageState {
    return this.#questions.state(reference);
  }

  ask(questions: readonly ImageQuestion[], by: Behalf): void {
    this.#questions.ask(new Map(questions.map((question) => [question.image, question])), by);
  }

  answersFor(kind: Kind): Source {
    return this.#questions.answersFor(kind);
  }

  prober(client: Client): Prober {
    return new Controller(
      {
        ...{ name: "images", sources: [this.#questions.open()], workers: this.#limits.inFlightMax },
        ...{ queue: QUEUE_LIMITS, timeoutMs: PROBE_LIMITS.timeoutMs * WAYS_MAX },
        reconcile: (reference, { signal }) => this.#probe(reference, client, signal),
      },
      this.#options,
    );
  }

  /** Whether somebody knows that the registry should be asked again by now. */
  #isTooOld(state: ImageState, { newerThanMs = 0 }: ImageQuestion): boolean {
    const isDue = newerThanMs <= this.#options.clock.wallMs();
    return isDue && state.is !== "unasked" && state.askedMs < newerThanMs;
  }

  /** Whoever asks may have the right secret: they are tried in turn until one finds the image. */
  async #probe(reference: string, client: Client, signal: AbortSignal): Promise<{ againInMs: number } | undefined> {
    let finding: ImageFinding | undefined;
    for (const one of differentWays(this.#questions.asked(reference))) {
      finding = await this.#probeFor(one, client, signal);
      if (finding.is === "present") break;
    }
    if (finding === undefined) return undefined;
    const state = { ...finding, askedMs: this.#options.clock.wallMs() };
    if (!this.#questions.answer(reference, state, isNews)) return undefined;
    return { againInMs: this.#trustMs(finding) * (1 + JITTER * this.#options.rand.next()) };
  }

  #probeFor({ question, by }: Asked<ImageQuestion>, client: Client, signal: AbortSignal): Promise<ImageFinding> {
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
function differentWays(asked: Iterable<Asked<ImageQuestion>>): readonly Asked<ImageQuestion>[] {
  const byWay = new Map<string, Asked<ImageQuestion>>();
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
