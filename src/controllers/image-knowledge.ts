// What is known of images, and the way to know more: a decision reads states and asks questions, and is made anew when answers come.
import type { ImageState } from "../core/snapshot.ts";
import type { ImageQuestion, Kind } from "../kinds/kind.ts";
import type { Client } from "../kube/client.ts";
import type { Source } from "../runtime/intake.ts";
import type { Behalf } from "./on-behalf.ts";

export type ImageKnowledge = {
  state(reference: string): ImageState;
  /** Finds out, in its own time; secrets are read through the client, and only when the registry wants them. */
  ask(questions: readonly ImageQuestion[], by: Behalf, client: Client): void;
  /** Wakes the objects of a kind whose questions have been answered. */
  answersFor(kind: Kind): Source;
};

/** Without a registry to ask, every image stays unasked. */
export const noImageKnowledge: ImageKnowledge = {
  state: () => ({ is: "unasked" }),
  ask: () => undefined,
  answersFor: () => ({ start: () => () => undefined }),
};
