// Somebody who keeps creating, changing and deleting ConfigMaps, come what may: each step is repeated until the server has
// confirmed it, so that in the end there is no doubt what must be there.
// Assumes: nobody else writes these objects.
import { setTimeout as pause } from "node:timers/promises";
import { seededRand } from "../../sim/seeded-rand.ts";
import { isAlreadyExists } from "../../src/kube/client/api-error.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { Rand } from "../../src/kube/rand.ts";
import { eventually } from "../control-plane/eventually.ts";
import { aConfigMap, configMaps, newText } from "./config-maps.ts";

/** How many steps may be under way at once. */
export const HANDS = 3;
const KEYS_PER_HAND = 8;
const STEP_EVERY_MS = 25;
const REPEAT_AFTER_MS = 100;
const DELETE_SHARE = 0.3;
const PROGRESS_DEADLINE = { deadlineMs: 90_000 };

export class Writer {
  readonly #client: Client;
  readonly #namespace: string;
  /** What each object must hold, as far as the server has confirmed it. */
  readonly #texts = new Map<string, string>();
  #steps = 0;
  #trouble: unknown;
  #isStopped = false;
  #hands: readonly Promise<void>[] = [];

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Steps that the server has confirmed. */
  get steps(): number {
    return this.#steps;
  }

  start(): void {
    this.#hands = Array.from({ length: HANDS }, (_, hand) => this.#write(hand));
  }

  /** Resolves when so many more steps are confirmed. */
  async doesMore(steps: number): Promise<void> {
    const goal = this.#steps + steps;
    const isDone = () => {
      if (this.#steps >= goal) return true;
      throw this.#trouble;
    };
    await eventually(`the writer does ${steps} more steps`, isDone, PROGRESS_DEADLINE);
  }

  /** Ends when every step is confirmed; gives the text of every object that must be there, by name. */
  async stop(): Promise<ReadonlyMap<string, string>> {
    this.#isStopped = true;
    await Promise.all(this.#hands);
    return this.#texts;
  }

  async #write(hand: number): Promise<void> {
    const rand = seededRand(hand + 1);
    for (let step = 0; !this.#isStopped; step++) {
      const name = `object-${hand}-${Math.floor(rand.next() * KEYS_PER_HAND)}`;
      await this.#step(name, `${hand}-${step}`, rand);
      this.#steps += 1;
      await pause(STEP_EVERY_MS);
    }
  }

  async #step(name: string, text: string, rand: Rand): Promise<void> {
    const key = `${this.#namespace}/${name}`;
    const isThere = this.#texts.has(name);
    const isDoomed = isThere && rand.next() < DELETE_SHARE;
    if (isDoomed) await this.#untilConfirmed(() => this.#client.remove(configMaps, key));
    else if (isThere) await this.#untilConfirmed(() => this.#client.patch(configMaps, key, newText(text)));
    else await this.#untilConfirmed(() => this.#create(name, text));
    if (isDoomed) this.#texts.delete(name);
    else this.#texts.set(name, text);
  }

  async #create(name: string, text: string): Promise<void> {
    try {
      await this.#client.create(configMaps, aConfigMap(this.#namespace, name, text));
    } catch (error) {
      // An earlier attempt of ours was committed, and its answer was lost.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #untilConfirmed(step: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await step();
        return;
      } catch (error) {
        this.#trouble = error;
        await pause(REPEAT_AFTER_MS);
      }
    }
  }
}
