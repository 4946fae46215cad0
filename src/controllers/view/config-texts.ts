// Reads the texts in ConfigMaps that objects name, such as Dockerfiles: by name, one at a time, and again after a while, so that no
// right to list or watch ConfigMaps is needed. The objects that name one are woken when it has changed.
import { textIn } from "../../core/decision/config-text.ts";
import type { ConfigKey, ConfigText } from "../../core/decision/snapshot.ts";
import type { Kind } from "../../kinds/kind.ts";
import { isForbidden } from "../../kube/client/api-error.ts";
import { configMaps } from "../../kube/client/built-in-resources.ts";
import type { Client } from "../../kube/client/client.ts";
import { namedKey } from "../../kube/resource.ts";
import { Controller, type ControllerPorts } from "../../runtime/queue/controller.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import { QUEUE_LIMITS } from "../../runtime/queue/queue.ts";
import type { Behalf } from "../perform/on-behalf.ts";
import { Questions } from "./questions.ts";

export type ConfigTextLimits = {
  readonly inFlightMax: number;
  /** Texts asked for at once; more than that stay unread. */
  readonly textsMax: number;
  readonly readMs: number;
  /** How long what was found is believed. Stretched by up to a quarter, so that not all are read at once. */
  readonly presentMs: number;
  readonly absentMs: number;
  readonly withheldMs: number;
};

export const CONFIG_TEXT_LIMITS: ConfigTextLimits = {
  ...{ inFlightMax: 4, textsMax: 10_000, readMs: 30_000 },
  ...{ presentMs: 60_000, absentMs: 10_000, withheldMs: 300_000 },
};

const JITTER = 0.25;

type Place = ConfigKey & { readonly namespace: string };

export class ConfigTexts {
  readonly #ports: ControllerPorts;
  readonly #limits: ConfigTextLimits;
  readonly #questions: Questions<Place, ConfigText>;

  constructor(ports: ControllerPorts, limits: ConfigTextLimits = CONFIG_TEXT_LIMITS) {
    this.#ports = ports;
    this.#limits = limits;
    this.#questions = new Questions<Place, ConfigText>({ unknown: { is: "unread" }, keysMax: limits.textsMax });
  }

  state(namespace: string, key: ConfigKey): ConfigText {
    return this.#questions.state(keyOf({ namespace, ...key }));
  }

  /** What an object reads from now on, in place of what it read before: of its own namespace, whatever it names. */
  want(texts: readonly ConfigKey[], by: Behalf): void {
    const places = texts.map((text): Place => ({ ...text, namespace: by.ref.namespace ?? "" }));
    this.#questions.ask(new Map(places.map((place) => [keyOf(place), place])), by);
  }

  changesFor(kind: Kind): Source {
    return this.#questions.answersFor(kind);
  }

  /** Somebody who reads, as long as this process leads. */
  reader(client: Client): Controller {
    return new Controller(
      {
        ...{ name: "config-texts", sources: [this.#questions.open()], workers: this.#limits.inFlightMax },
        ...{ queue: QUEUE_LIMITS, timeoutMs: this.#limits.readMs },
        reconcile: (key, { signal }) => this.#read(key, client, signal),
      },
      this.#ports,
    );
  }

  async #read(key: string, client: Client, signal: AbortSignal): Promise<{ againInMs: number } | undefined> {
    const [asked] = this.#questions.asked(key);
    if (asked === undefined) return undefined;
    const found = await readText(client, asked.question, signal);
    const isWanted = this.#questions.answer(key, found, (before, now) => !isSame(before, now));
    return isWanted ? { againInMs: this.#trustMs(found) * (1 + JITTER * this.#ports.rand.next()) } : undefined;
  }

  #trustMs({ is }: ConfigText): number {
    const { presentMs, absentMs, withheldMs } = this.#limits;
    return { present: presentMs, absent: absentMs, withheld: withheldMs, unread: absentMs }[is];
  }
}

/** Not every site lets us read ConfigMaps. */
async function readText(client: Client, { namespace, name, key }: Place, signal: AbortSignal): Promise<ConfigText> {
  try {
    const found = await client.get(configMaps, namedKey(name, namespace), { signal });
    if (found !== undefined) return textIn(found, key);
    return { is: "absent", because: `ConfigMap "${name}" does not exist; create it with the key ${key}` };
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    return { is: "withheld" };
  }
}

function keyOf({ namespace, name, key }: Place): string {
  return `${namespace}/${name}/${key}`;
}

function isSame(a: ConfigText, b: ConfigText): boolean {
  if (a.is === "present" && b.is === "present") return a.text === b.text;
  if (a.is === "absent" && b.is === "absent") return a.because === b.because;
  return a.is === b.is;
}
