// Other operators that serve a kind of ours. While one of them is at work, that kind is left alone: two controllers that make pods for one
// object would make them twice.
//
// This folder leaves a kind alone while another operator serves it. Beside this file:
//   rival-watch.ts                       looks for other operators while we lead
//   judge-rival.ts, judge-definition.ts  what their traces in the cluster mean
//   stand-back.ts, standing-figure.ts    does nothing for the kind, and says so
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Source } from "../../runtime/queue/intake.ts";

export type Rivals = {
  /** Why a kind is left alone at the moment; undefined when it is ours. */
  standing(kind: Kind): StandingBack | undefined;
  /** Offers all keys that are handed in whenever the answer for the kind has become another one. */
  changesFor(kind: Kind, keys: () => Iterable<string>): Source;
  /** Somebody who finds out, as long as this process leads. */
  watcher(client: Client): RivalWatcher;
};

export type StandingBack = {
  /** False while it is not known yet; then there is nothing to tell. */
  readonly isCertain: boolean;
  /** A sentence without its full stop, for people. */
  readonly because: string;
};

export type RivalWatcher = { start(): void; stop(withinMs: number): Promise<unknown> };

/** For whoever takes over, or knows that he is alone. */
export const noRivals: Rivals = {
  standing: () => undefined,
  changesFor: () => ({ start: () => () => undefined }),
  watcher: () => ({ start: () => undefined, stop: async () => undefined }),
};
