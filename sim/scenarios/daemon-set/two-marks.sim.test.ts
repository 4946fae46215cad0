// Two leaders without a lease and a surge whose pods a preDelete hook holds. One has not heard of the edit when it sees two pods on a node, and
// would have the new one go while the other has the old one go. There is no way back for a marked pod, so they must not mark both.
import { expect, test } from "vitest";
import { mergeObject } from "../../../src/core/strategic-merge/merge-patch.ts";
import { LIFECYCLE_STATE, PREPARING_DELETE } from "../../../src/kinds/daemon-set/pods/lifecycle.ts";
import type { HttpRequest } from "../../../src/kube/transport.ts";
import { metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { act } from "../../simulator/faults/world-faults.ts";
import type { Ports } from "../../simulator/ports.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { deafTransport } from "../operator/deaf-transport.ts";
import { daemonSetScenario, operateAlone } from "./daemon-set-scenario.ts";
import { nodeOf } from "./invariants.ts";
import { aTemplate, pods, SET_KEY, sets } from "./set-fixture.ts";

const builtIn = builtInKinds();
const roles = ["operator", "other-operator"];
const HOLD = "example.org/hold";
const EDITED_MS = 10_000;
const OVER_MS = 20_000;
/** Until when one of them hears nothing of sets, and nothing of pods: it learns of the new pod when that serves. */
const DEAF_MS = { "/daemonsets": OVER_MS, "/pods": 10_200 };
/** Longer than it takes to see what others have marked. */
const RELEASED_AFTER_MS = 2_000;

function operateDeaf(deaf: string): (ports: Ports) => void {
  return (ports) => {
    const { clock, identity, transport } = ports;
    const isDeafTo = ({ path }: HttpRequest) => {
      const untilMs = Object.entries(DEAF_MS).find(([part]) => path.includes(part))?.[1] ?? 0;
      return clock.monotonicMs() >= EDITED_MS && clock.monotonicMs() < untilMs;
    };
    const isDeaf = identity.startsWith(`${deaf}.`);
    operateAlone({ ...ports, transport: isDeaf ? deafTransport(transport, { clock, isDeafTo }) : transport });
  };
}

function heldTemplate(tag: string) {
  return mergeObject(aTemplate(tag), { metadata: { labels: { [HOLD]: "yes" } } });
}

/** Whoever set the hook lets go of marked pods after a while; `marked` gets the node of each by its UID. */
function release(world: World, marked: Map<string, string>): void {
  const body = { metadata: { labels: { [HOLD]: null } } };
  const letGo = (key: string) => act(world, world.client("user").patch(pods, key, { type: "merge", body }));
  world.server.onCommit(({ table, key, object }) => {
    const meta = metaOf(object);
    const isMarked = objectAt(meta, "labels")[LIFECYCLE_STATE] === PREPARING_DELETE;
    if (table !== "pods" || !isMarked || marked.has(textAt(meta, "uid"))) return;
    marked.set(textAt(meta, "uid"), nodeOf(object));
    world.clock.after(RELEASED_AFTER_MS, () => letGo(key));
  });
}

function scenarioOf(deaf: string, marked: Map<string, string>): Scenario {
  const scenario = daemonSetScenario("surging", operateDeaf(deaf));
  const lifecycle = { preDelete: { labelsHandler: { [HOLD]: "yes" } } };
  return {
    ...{ ...scenario, requestRules: [], faultsMs: OVER_MS },
    setUp: async (world) => {
      const user = world.client("user");
      const ask = (tag: string) =>
        user.patch(sets, SET_KEY, { type: "merge", body: { spec: { lifecycle, template: heldTemplate(tag) } } });
      await scenario.setUp(world);
      await ask("1");
      world.clock.after(EDITED_MS, () => act(world, ask("2")));
      release(world, marked);
    },
  };
}

test.each(roles)("one pod of each node is marked and goes, where %s has not heard of the edit", async (deaf) => {
  const marked = new Map<string, string>();
  const scenario = scenarioOf(deaf, marked);
  const tape = { scenario: scenario.name, seed: 1, streams: new Map() };
  const { failure, trace } = await runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
  expect(failure).toBeUndefined();
  expect([...marked.values()].sort()).toEqual(["node-0", "node-1", "node-2"]);
  const isByDeaf = (line: string) => line.includes(` ${deaf}.1 `);
  const isMeanwhile = (line: string) => Number.parseFloat(line) >= EDITED_MS && Number.parseFloat(line) < OVER_MS;
  const requests = trace.filter((line) => isByDeaf(line) && isMeanwhile(line));
  // It has to have been a race: the one that is deaf asked for the set, since it would have marked a pod.
  expect(requests.filter((line) => / GET .*\/daemonsets\/agent 200$/.test(line))).not.toHaveLength(0);
  // Nor does it bid the revision up that it takes for the newest.
  expect(requests.filter((line) => / PATCH .*\/controllerrevisions\//.test(line))).toHaveLength(0);
});
