// The story as a golden: everything that a person sees of it, played in virtual time on the embedded control plane.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { startControllers } from "../../sim/controllers/start-controllers.ts";
import { demoPulls, demoRegistry } from "../../sim/demo/demo-registry.ts";
import { styleFor } from "../../sim/demo/invitation.ts";
import { expandFleet } from "../../sim/fleets/expand-fleet.ts";
import { readFleet } from "../../sim/fleets/read-fleet.ts";
import { quietLog } from "../../sim/nodes/quiet-log.ts";
import { startNodes } from "../../sim/nodes/start-nodes.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { createOperator } from "../../src/controllers/loop/create-operator.ts";
import { ImageProbes } from "../../src/controllers/registry/probe-images.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { runParts } from "../../src/runtime/lifecycle.ts";
import { repositoryRoot } from "../repository.ts";
import { installKinds } from "../start-operator.ts";
import { countedTransport } from "./counted-transport.ts";
import { storyCommands } from "./story-commands.ts";
import { tellStory } from "./tell-story.ts";

/** Virtual time between two looks at whether the story is over, and how long it may take. */
const LOOK_MS = 1_000;
const STORY_MS = 600_000;

const end = new AbortController();
let transcript = "";

async function untilDone(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  for (let ms = 0; !isDone && ms < STORY_MS; ms += LOOK_MS) await clock.elapse(LOOK_MS);
  await work;
}

beforeAll(async () => {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1) });
  const ports = { clock, rand: seededRand(2), log: quietLog };
  const transport = server.transport();
  startControllers({ ...ports, transport });
  const nodes = startNodes({
    ...ports,
    transport,
    fleet: expandFleet(readFleet("mixed-200"), {}),
    registry: demoPulls,
  });
  await untilDone(clock, nodes.ready);
  const client = createClient({ transport, ...ports, fieldManager: "kubectl" });
  await untilDone(clock, installKinds(client, "farrier-system"));
  const kinds = createKinds();
  const requests = { reads: 0, writes: 0, watches: 0 };
  const operator = createOperator(
    { ...ports, transport: countedTransport(transport, requests), identity: "story" },
    { kinds, program: "farrier", images: new ImageProbes({ registry: demoRegistry(client), ...ports }) },
  );
  const running = runParts(operator.parts, end.signal, ports);
  const show = (text: string) => {
    transcript += text;
  };
  const readFile = async (path: string) => readFileSync(join(repositoryRoot, path), "utf8");
  const style = styleFor(false, {});
  await untilDone(
    clock,
    tellStory({
      ...{ client, machines: nodes.kubelets, readFile, show, style, clock, end: end.signal, requests },
      farrier: storyCommands({ client, server: "https://127.0.0.1:6443", readFile, show, clock, isColourful: false }),
      kubeconfig: "farrier.kubeconfig",
      listener: async () => undefined,
    }),
  );
  end.abort();
  await untilDone(clock, running);
}, 300_000);
afterAll(() => end.abort());

/** Names and revisions that are hashes of content change with every field of a template; the story does not. */
const HASHES = [
  [/-[a-z0-9]{24}\b/g, "-HASH"],
  [/\b[a-z0-9]{24}\b/g, "HASH"],
  [/(?<=revision {2,}|revision \d \()[0-9a-z]{8,10}/g, "REVISION"],
] as const;

test("the story is told as it always was", async () => {
  const told = HASHES.reduce((text, [hash, word]) => text.replaceAll(hash, word), transcript);
  await expect(told).toMatchFileSnapshot("story.golden.txt");
});

test("each act is played, and none fails or keeps people waiting", () => {
  expect(transcript.match(/^Act \d of 6/gm)).toHaveLength(6);
  expect(transcript).not.toMatch(/could not be played|takes longer than it should/);
});
