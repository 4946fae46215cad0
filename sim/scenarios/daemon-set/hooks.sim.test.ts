// The advanced DaemonSet under the faults of the simulator, with a preDelete hook on every pod, whose holder lets go after a while, and pods that serve
// nobody for a moment: they are marked for nothing then, and serve again when they may go.
import { describe, expect, test } from "vitest";
import { timestamp } from "../../../src/core/decision/conditions.ts";
import { mergeObject } from "../../../src/core/strategic-merge/merge-patch.ts";
import { metaOf, textAt } from "../../api-server/api-object.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { act, anyKey } from "../../simulator/faults/world-faults.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario, WorldFault } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { daemonSetScenario, type Mode, operate, operateAlone } from "./daemon-set-scenario.ts";
import { isMarked } from "./invariants.ts";
import { aTemplate, pods, SET_KEY, sets } from "./set-fixture.ts";

const builtIn = builtInKinds();
const patience = { timeout: 1_800_000 };
const HOLD = "example.org/hold";
const SEEDS = 40;
/** Seeds beyond the first that were red before marked pods were paced, or on the way there. */
const TELLING: Readonly<Record<Mode, readonly number[]>> = { rolling: [], surging: [47, 89, 101, 138], "in-place": [] };
const heldMs = [100, 500, 1_500, 4_000, 9_000];
const tags = ["1", "2", "3"];
/** What is done to two leaders without a lease; whatever holds messages back for long breaks the bound that they live by. */
const disturbances = /^(new-|node-relabelled|pod-|compaction)|-(jitter|answer-lost|watch-broken|watch-ended)$/;

function heldTemplate(tag: string) {
  return mergeObject(aTemplate(tag), { metadata: { labels: { [HOLD]: "yes" } } });
}

const newHeldTemplate: WorldFault = {
  ...{ name: "new-template", rate: 0.08 },
  strike: (world, fault) => {
    const tag = tags[fault.pick(tags.length)] ?? "";
    ask(world, tag);
    return tag;
  },
};

/** The kubelet finds the pod ready again after a while. */
const podUnready: WorldFault = {
  ...{ name: "pod-unready", rate: 0.15 },
  strike: (world, fault) => {
    const key = anyKey(world, "pods", fault);
    if (key === undefined) return undefined;
    const lastTransitionTime = timestamp(world.clock.wallMs());
    const body = { status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime }] } };
    act(world, world.client("kubelet").patch(pods, key, { type: "strategic", body }, { subresource: "status" }));
    return key;
  },
};

function ask(world: World, tag: string): void {
  const lifecycle = { preDelete: { labelsHandler: { [HOLD]: "yes" } } };
  const body = { spec: { lifecycle, template: heldTemplate(tag) } };
  act(world, world.client("user").patch(sets, SET_KEY, { type: "merge", body }));
}

/** Whoever set the hook lets go of a pod some time after it was marked. */
function release(world: World): void {
  const pace = world.decisions.stream("hook-pace");
  const marked = new Set<string>();
  world.server.onCommit(({ table, key, object }) => {
    const meta = metaOf(object);
    const uid = textAt(meta, "uid");
    if (table !== "pods" || !isMarked(object) || marked.has(uid)) return;
    marked.add(uid);
    const body = { metadata: { uid, labels: { [HOLD]: null } } };
    const letGo = () => act(world, world.client("user").patch(pods, key, { type: "merge", body }));
    world.clock.after(heldMs[pace.pick(heldMs.length)] ?? 0, letGo);
  });
}

function scenarioOf(mode: Mode, isAlone: boolean): Scenario {
  const scenario = daemonSetScenario(mode, isAlone ? operateAlone : operate);
  // A set that is made anew has no hook.
  const isOther = ({ name }: WorldFault) => name !== "new-template" && name !== "set-made-anew";
  return {
    ...{ ...scenario, ...(isAlone ? { requestRules: [], faultsMs: 60_000 } : {}) },
    worldFaults: [...scenario.worldFaults.filter(isOther), newHeldTemplate, podUnready],
    setUp: async (world) => {
      await scenario.setUp(world);
      release(world);
      ask(world, "1");
    },
  };
}

describe.each<[string, boolean]>([
  ["two replicas under a lease", false],
  ["two leaders at once", true],
])("with hooks %s", (_who, isAlone) => {
  test.each<Mode>(["rolling", "surging", "in-place"])(
    "keep to the budget, and every marked pod goes: %s",
    patience,
    async (mode) => {
      const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);
      const isAllowed = (name: string) => !isAlone || disturbances.test(name);
      for (const seed of [...seeds, ...TELLING[mode]]) {
        const scenario = scenarioOf(mode, isAlone);
        const { failure } = await runHistory({ scenario, source: { seed }, builtIn, isAllowed });
        expect([seed, failure]).toEqual([seed, undefined]);
      }
    },
  );
});
