// A crash at every write of a story, before the write or after it with the answer lost, ends in the state of the story without one.
import { expect, test } from "vitest";
import { toys } from "../../../sim/scenarios/operator/toy-kind.ts";
import type { Picture } from "../../../sim/scenarios/operator/toy-picture.ts";
import { type Fate, ToyWorld } from "../../../sim/scenarios/operator/toy-world.ts";

type CrashAt = { readonly write: number; readonly isCommitted: boolean } | undefined;
type Story = (world: ToyWorld) => Promise<void>;

const stories: Readonly<Record<string, Story>> = {
  "an object is made": async (world) => {
    await world.toy("a", "v1");
    await world.clock.elapse(10_000);
  },
  "its image changes": async (world) => {
    await world.toy("a", "v1");
    await world.clock.elapse(4_000);
    await world.setImage("a", "v2");
    await world.clock.elapse(20_000);
  },
  "a node leaves its scope, then it is deleted": async (world) => {
    await world.toy("a", "v1");
    await world.clock.elapse(4_000);
    await world.want("node-2", null);
    await world.clock.elapse(4_000);
    await world.do(world.client.remove(toys, "default/a"));
    await world.clock.elapse(10_000);
  },
};

/** Tells the story with at most one crash; the next process starts half a second later. */
async function tell(
  story: Story,
  crashAt: CrashAt,
): Promise<{ picture: Picture; writes: number; twins: readonly string[] }> {
  const world = await new ToyWorld(["garbage-collector"]).up(["node-1", "node-2"]);
  const twins = world.watchTwins();
  let writes = 0;
  const fate: Fate = async (request, send) => {
    if (request.method === "GET") return send();
    writes += 1;
    if (writes !== crashAt?.write) return send();
    const isDone = crashAt.isCommitted ? send() : undefined;
    first.kill();
    world.clock.after(500, () => world.operate());
    await isDone;
    return new Promise(() => undefined);
  };
  const first = world.operate({ fate });
  await story(world);
  const picture = await world.picture();
  await world.end();
  return { picture, writes, twins: twins.seen };
}

test.each(Object.entries(stories))(
  "%s: a crash at any write ends in the same state, without twins",
  async (_, story) => {
    const calm = await tell(story, undefined);
    expect(calm.writes).toBeGreaterThan(5);
    for (let write = 1; write <= calm.writes; write++) {
      for (const isCommitted of [false, true]) {
        const crashed = await tell(story, { write, isCommitted });
        expect(crashed.picture, `crash at write ${write}, committed: ${isCommitted}`).toEqual(calm.picture);
        expect(crashed.twins).toEqual([]);
      }
    }
  },
  120_000,
);
