// What is known of images, and the way to know more: a decision reads states and asks questions, and is made anew when answers come.
import type { ImageState } from "../../core/decision/snapshot.ts";
import type { ImageQuestion, Kind } from "../../kinds/kind.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Source } from "../../runtime/queue/intake.ts";
import type { Behalf } from "../perform/on-behalf.ts";

export type ImageKnowledge = {
  state(reference: string): ImageState;
  /** What an object wants to know from now on, in place of what it wanted before. */
  ask(questions: readonly ImageQuestion[], by: Behalf): void;
  /** Wakes the objects of a kind when what they asked for has changed. */
  answersFor(kind: Kind): Source;
  /** Somebody who finds out, as long as this process leads; secrets are read through the client. */
  prober(client: Client): Prober;
};

export type Prober = { start(): void; stop(withinMs: number): Promise<unknown> };

/** Without a registry to ask, every image stays unasked. */
export const noImageKnowledge: ImageKnowledge = {
  state: () => ({ is: "unasked" }),
  ask: () => undefined,
  answersFor: () => ({ start: () => () => undefined }),
  prober: () => ({ start: () => undefined, stop: async () => undefined }),
};
