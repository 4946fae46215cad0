// The story of the demo, bound to its cluster and to this terminal.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DemoCluster } from "../sim/demo/demo-cluster.ts";
import { pathInShell, type Style } from "../sim/demo/invitation.ts";
import { createClient } from "../src/kube/client/create-client.ts";
import type { Clock } from "../src/kube/clock.ts";
import type { Rand } from "../src/kube/rand.ts";
import { repositoryRoot } from "./repository.ts";
import type { RequestCounts } from "./story/counted-transport.ts";
import { storyCommands } from "./story/story-commands.ts";
import { tellStory } from "./story/tell-story.ts";

export type StoryWish = {
  readonly clock: Clock;
  readonly rand: Rand;
  readonly style: Style;
  readonly isColourful: boolean;
  /** Whether somebody presses Enter for each act. */
  readonly isStepwise: boolean;
  /** What the operator has asked of the API server. */
  readonly requests: RequestCounts;
  readonly end: AbortSignal;
};

/** Tells the story; resolves when it is over, and soon after the end of the demo. */
export async function startStory(cluster: DemoCluster, path: string, wish: StoryWish): Promise<void> {
  const { clock, rand, style, isStepwise, isColourful, requests, end } = wish;
  const show = (text: string) => void process.stdout.write(text);
  const readText = (file: string) => readFile(join(repositoryRoot, file), "utf8");
  const client = createClient({ transport: cluster.transport, clock, rand, fieldManager: "kubectl" });
  const farrier = storyCommands({ client, server: cluster.url, readFile: readText, show, clock, isColourful });
  await tellStory({
    ...{ client, farrier, machines: cluster.machines, readFile: readText, show, style, clock, requests, end },
    kubeconfig: pathInShell(path, process.cwd()),
    listener: isStepwise ? () => enter(show, end) : async () => undefined,
  });
}

/** Waits for Enter; an input that has ended, or an end of the demo, is as good. */
function enter(show: (text: string) => void, end: AbortSignal): Promise<void> {
  show("Press Enter for the next act … ");
  const terminal = createInterface({ input: process.stdin });
  return new Promise<void>((resolve) => {
    terminal.once("line", () => resolve());
    terminal.once("close", () => resolve());
    end.addEventListener("abort", () => resolve(), { once: true });
  }).finally(() => {
    terminal.close();
    show("\n");
  });
}
