// What no single state shows: that a history ends where the same one without faults ends, whatever way led there, with no more pods
// made than the edits ask for; and that an operator at rest stays so over two more rounds of lists, without anything that grows.
import { expect, test } from "vitest";
import { isJsonObject } from "../../../src/core/json/json.ts";
import { CACHE_LIMITS } from "../../../src/kube/cache/cache-limits.ts";
import { listAt, metaOf, numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import type { Commit, State } from "../../simulator/commit.ts";
import type { Source } from "../../simulator/decisions.ts";
import { wildClocks } from "../../simulator/host.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";
import { nodeDies } from "../../simulator/native/node-faults.ts";
import { type History, runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import { printTape, type Tape } from "../../simulator/tape.ts";
import type { World } from "../../simulator/world.ts";
import { operatorScenario } from "./operator-scenario.ts";
import { GROUP, IMAGE } from "./toy-kind.ts";

const builtIn = builtInKinds();
const patience = { timeout: 900_000 };
const SEEDS = 3;
const NODES = 5;
const EDITS = "new-image";
const TABLE = `toys.${GROUP}`;

/** Faults of networks, watches, processes, clocks and order: they ask for nothing, so nothing may come of them. */
const asksForNothing = (name: string) =>
  name === EDITS ||
  /^(operator|other-operator|controllers|nodes|replica)-|^(compaction|tie-order|priorities)$/.test(name);

type Ended = { readonly history: History; readonly picture: unknown; readonly made: number; readonly timers: number };

/** Runs a history and looks at its end: what there is, how many pods the toy was given, how many timers are set. */
async function ended(source: Source, more: Partial<Scenario> = {}): Promise<Ended> {
  const scenario = operatorScenario();
  const seen: { world?: World; last?: State; made: number } = { made: 0 };
  const history = await runHistory({
    ...{ source, builtIn, isAllowed: asksForNothing },
    scenario: {
      ...{ ...scenario, ...more },
      setUp: async (given) => {
        seen.world = given;
        await scenario.setUp(given);
      },
      unsettled: (state) => {
        seen.last = state;
        return scenario.unsettled(state);
      },
      isNoise: (commit) => {
        if (isToyPod(commit)) seen.made += 1;
        return scenario.isNoise(commit);
      },
    },
  });
  const { world, last, made } = seen;
  const picture = last === undefined ? undefined : pictureOf(last);
  return { history, made, picture, timers: world?.clock.timerCount ?? 0 };
}

function isToyPod({ table, before, after }: Commit): boolean {
  return table === "pods" && before === undefined && textAt(objectAt(metaOf(after ?? {}), "labels"), IMAGE) !== "";
}

/** Without what no two histories share: names that the server gives, versions, times. */
function pictureOf(state: State): unknown {
  const toys = [...state.objects(TABLE)].map((toy) => {
    const { observedGeneration, ready, nodes } = objectAt(toy, "status");
    const isSeen = observedGeneration === numberAt(metaOf(toy), "generation");
    return { uid: metaOf(toy).uid, spec: objectAt(toy, "spec"), ready, nodes, isSeen };
  });
  const pods = [...state.objects("pods")].map((pod) => ({
    isToys: toys.some(({ uid }) => uid === controllerOf(metaOf(pod))),
    node: textAt(objectAt(pod, "spec"), "nodeName"),
    image: textAt(objectAt(metaOf(pod), "labels"), IMAGE),
    phase: textAt(objectAt(pod, "status"), "phase"),
  }));
  return {
    toys: toys.map(({ uid: _, ...toy }) => toy),
    workloads: [...state.objects("daemonsets.apps")].map((one) => objectAt(metaOf(one), "labels")),
    labels: [...state.objects("nodes")].map((node) => objectAt(metaOf(node), "labels")),
    pods: pods.map((pod) => JSON.stringify(pod)).sort(),
  };
}

/** The same history in which nothing goes wrong. */
function withoutFaults({ streams, ...tape }: Tape): Tape {
  return { ...tape, streams: new Map([...streams].filter(([name]) => name === EDITS)) };
}

test(
  "a history with faults ends where the same edits without faults end, with no more pods made than asked for",
  patience,
  async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { history, picture, made } = await ended({ seed });
      const { tape, failure } = history;
      expect(failure, printTape(tape)).toBeUndefined();
      const plain = await ended({ tape: withoutFaults(tape) });
      expect(picture, printTape(tape)).toEqual(plain.picture);
      const edits = tape.streams.get(EDITS)?.length ?? 0;
      expect(made, printTape(tape)).toBeLessThanOrEqual(NODES * (edits + 1));
    }
  },
);

test(
  "clocks at half and at double speed cost the operator its only promise that needs them: who of two may send",
  patience,
  async () => {
    const scenario = operatorScenario();
    const faults = [...scenario.faults, ...["operator", "other-operator"].flatMap(wildClocks)];
    const requestRules = scenario.requestRules.filter(({ name }) => name !== "OnlyHolderSends");
    expect(requestRules).toHaveLength(scenario.requestRules.length - 1);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { failure, tape } = await runHistory({
        ...{ scenario: { ...scenario, faults, requestRules }, source: { seed }, builtIn },
      });
      expect(failure, printTape(tape)).toBeUndefined();
    }
  },
);

const edited = (...at: readonly number[]): Source => {
  const streams = new Map([[EDITS, at.map((place) => ({ at: place, value: 1 }))]]);
  return { tape: { scenario: "operator", seed: 1, streams } };
};

test("it does not matter which way an object has come", patience, async () => {
  const [detour, straight] = [await ended(edited(60, 62, 70)), await ended(edited(70))];
  expect(detour.history.failure).toBeUndefined();
  expect(detour.picture).toEqual(straight.picture);
  expect(detour.made).toBeGreaterThan(straight.made);
});

test(
  "an operator at rest writes nothing over two rounds of lists, and has no more timers afterwards",
  patience,
  async () => {
    const rounds = { quietMs: 2 * CACHE_LIMITS.relistMs + 120_000 };
    const [short, long] = [await ended(edited(60)), await ended(edited(60), rounds)];
    expect([short.history.failure, long.history.failure]).toEqual([undefined, undefined]);
    expect(long.timers).toBeLessThanOrEqual(short.timers * 1.1);
    expect(short.timers).toBeGreaterThan(0);
  },
);

test(
  "a machine that dies for good is told as not ready, and all others are as they should be, and quiet",
  patience,
  async () => {
    const scenario = operatorScenario(undefined, (nodesOf) => [nodeDies(nodesOf)]);
    const streams = new Map([EDITS, "node-dies"].map((name, at) => [name, [{ at: 60 + 40 * at, value: 1 }]]));
    const source = { tape: { scenario: "operator", seed: 1, streams } };
    const all = { ...scenario, settleMs: 300_000 };
    const others = {
      ...all,
      unsettled: (state: State) => (readyIn(state) === NODES - 1 ? undefined : "not as it should be"),
    };
    expect((await runHistory({ scenario: others, source, builtIn })).failure).toBeUndefined();
    expect((await runHistory({ scenario: all, source, builtIn })).failure?.oracle).toBe("Settles");
  },
);

/** How many nodes have a ready pod of the newest image, if the status says the same. */
function readyIn(state: State): number | undefined {
  const [toy = {}] = [...state.objects(TABLE)];
  const image = textAt(objectAt(toy, "spec"), "image");
  const ready = [...state.objects("pods")].filter((pod) => {
    const isNewest = textAt(objectAt(metaOf(pod), "labels"), IMAGE) === image;
    const conditions = listAt(objectAt(pod, "status"), "conditions").filter(isJsonObject);
    return isNewest && conditions.some(({ type, status }) => type === "Ready" && status === "True");
  });
  return objectAt(toy, "status").ready === ready.length ? ready.length : undefined;
}
