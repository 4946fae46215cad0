// Tells the story act by act, and says in the end how to go on alone.
import type { Style } from "../../sim/demo/invitation.ts";
import { ACTS, type Act } from "./acts.ts";
import type { RequestCounts } from "./counted-transport.ts";
import { Stage, type StagePorts } from "./stage.ts";

export type StoryPorts = StagePorts & {
  /** The kubeconfig as a person in this folder types it. */
  readonly kubeconfig: string;
  /** What the operator has asked of the API server so far. */
  readonly requests: RequestCounts;
  /** Resolves when the listener is ready for the next act. */
  readonly listener: () => Promise<void>;
};

/** Plays all acts. One that fails is told, and the next one is played; an end of the demo ends the story. */
export async function tellStory(ports: StoryPorts, acts: readonly Act[] = ACTS): Promise<void> {
  const { show, style, end } = ports;
  show(`${opening(ports.kubeconfig, style)}\n`);
  const stage = new Stage(ports);
  for (const [at, act] of acts.entries()) {
    if (at > 0) await ports.listener();
    if (end.aborted) return;
    show(`${style.strong(`Act ${at + 1} of ${acts.length}: ${act.title}`)}\n\n`);
    try {
      await act.play(stage);
    } catch (error) {
      if (end.aborted) return;
      show(`This act could not be played: ${error instanceof Error ? error.message : String(error)}\n\n`);
    }
  }
  show(`${closing(ports.requests)}\n`);
}

function opening(kubeconfig: string, { strong }: Style): string {
  return [
    strong("The story, in six acts."),
    "To type the same commands in another terminal, in this folder:",
    "",
    `  export KUBECONFIG=${kubeconfig}`,
    "  alias farrier='npm run -s farrier --'",
    "",
  ].join("\n");
}

function closing({ reads, writes, watches }: RequestCounts): string {
  return [
    `For all of this the operator has sent ${writes} writes, ${reads} reads and ${watches} watches.`,
    "The cluster is yours now: the commands above work in another terminal.",
    "Ctrl-C stops everything; only the kubeconfig stays.",
  ].join("\n");
}
