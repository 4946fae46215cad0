// What objects want to know of the world outside the caches, and what is known of it: questions by key, with those who ask. Whoever finds
// out takes the keys from here and notes answers, and the objects that asked are woken when an answer is news.
import type { Kind } from "../../kinds/kind.ts";
import { resourceName } from "../../kube/resource.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import type { Behalf } from "../perform/on-behalf.ts";
import { resourceOfKind } from "./known-resources.ts";

export type Asked<Q> = { readonly question: Q; readonly by: Behalf };

export type QuestionsOptions<Q, S> = {
  /** What is known of what nobody has asked for. */
  readonly unknown: S;
  /** Keys asked for at once; more than that stay unknown. */
  readonly keysMax: number;
  /** Whether what is known will not do for the question; it is found out anew then. */
  readonly isTooOld?: (state: S, question: Q) => boolean;
};

type Interest<Q, S> = { readonly asked: Map<string, Asked<Q>>; state: S };

export class Questions<Q, S> {
  readonly #options: QuestionsOptions<Q, S>;
  readonly #interests = new Map<string, Interest<Q, S>>();
  readonly #askedBy = new Map<string, readonly string[]>();
  readonly #offers = new Set<(key: string, initial: boolean) => void>();
  readonly #listeners = new Set<{ readonly resource: string; readonly wake: (key: string) => void }>();

  constructor(options: QuestionsOptions<Q, S>) {
    this.#options = options;
  }

  state(key: string): S {
    return this.#interests.get(key)?.state ?? this.#options.unknown;
  }

  /** Everybody who wants to know. */
  asked(key: string): readonly Asked<Q>[] {
    return [...(this.#interests.get(key)?.asked.values() ?? [])];
  }

  /** What an object wants to know from now on, in place of what it wanted before. */
  ask(questions: ReadonlyMap<string, Q>, by: Behalf): void {
    for (const key of this.#askedBy.get(by.text) ?? []) if (!questions.has(key)) this.#forget(key, by);
    if (questions.size === 0) this.#askedBy.delete(by.text);
    else this.#askedBy.set(by.text, [...questions.keys()]);
    for (const [key, question] of questions) this.#note(key, question, by);
  }

  /** Wakes the objects of a kind when what they asked for has changed. */
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

  /** The keys that somebody has to find out about. */
  open(): Source {
    return {
      start: (offer) => {
        this.#offers.add(offer);
        for (const key of this.#interests.keys()) offer(key, true);
        return () => void this.#offers.delete(offer);
      },
    };
  }

  /** Notes what was found out, and wakes who asked if it is news; false when nobody wants to know any more. */
  answer(key: string, state: S, isNews: (before: S, now: S) => boolean): boolean {
    const interest = this.#interests.get(key);
    if (interest === undefined) return false;
    const before = interest.state;
    interest.state = state;
    if (isNews(before, state)) this.#wake(interest);
    return true;
  }

  #note(key: string, question: Q, by: Behalf): void {
    const { unknown, keysMax, isTooOld = () => false } = this.#options;
    const known = this.#interests.get(key);
    if (known === undefined && this.#interests.size >= keysMax) return;
    const interest = known ?? { asked: new Map(), state: unknown };
    interest.asked.set(by.text, { question, by });
    if (known !== undefined && !isTooOld(known.state, question)) return;
    this.#interests.set(key, interest);
    for (const offer of this.#offers) offer(key, false);
  }

  #forget(key: string, by: Behalf): void {
    const interest = this.#interests.get(key);
    interest?.asked.delete(by.text);
    if (interest?.asked.size === 0) this.#interests.delete(key);
  }

  #wake({ asked }: Interest<Q, S>): void {
    for (const { by } of asked.values()) {
      for (const { resource, wake } of this.#listeners) if (by.text.startsWith(`${resource} `)) wake(by.key);
    }
  }
}
