// The order of steps as a choice: ties, and priorities that fall. Both against a reader that believes that what was written first
// is seen first, although two watches know nothing of each other.
import { expect, test } from "vitest";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import { plainKinds } from "../api-server/testing/plain-kinds.ts";
import type { Source } from "./decisions.ts";
import type { Start } from "./ports.ts";
import { orderFaults } from "./processor.ts";
import { runHistory } from "./run-history.ts";
import type { Scenario } from "./scenario.ts";
import { parseTape, printTape } from "./tape.ts";
import type { World } from "./world.ts";

const core = { group: "", version: "v1", namespaced: true };
const entries: Resource = { ...core, plural: "configmaps", kind: "ConfigMap" };
const pods: Resource = { ...core, plural: "pods", kind: "Pod" };
const an = (kind: string, name: string): KubeObject => ({
  ...{ apiVersion: "v1", kind, metadata: { name, namespace: "default" } },
});

/** Tells every object of a stream by its name. */
async function follow(chunks: AsyncIterable<Uint8Array>, see: (name: string) => void): Promise<void> {
  for await (const chunk of chunks)
    for (const [, name] of new TextDecoder().decode(chunk).matchAll(/"name":"([^"]*)"/g)) see(name ?? "");
}

/** Watches both kinds, and is at a loss when it sees a pod of which it does not know the entry. */
const trustsOrder: Start = ({ transport }) => {
  const known = new Set<string>();
  const watch = (plural: string, see: (name: string) => void) =>
    transport
      .stream({ method: "GET", path: `/api/v1/${plural}?watch=true&resourceVersion=0`, lane: "calls", headers: {} })
      .then(({ chunks }) => follow(chunks, see));
  void watch("configmaps", (name) => known.add(name)).catch(() => undefined);
  void watch("pods", (name) => {
    if (name.startsWith("pair-") && !known.has(name)) throw new Error(`never heard of ${name}`);
  });
};

const PAIRS = 4;
const OTHERS = 30;

/** Every half second an entry, and a pod of the same name `apartMs` later, among others that keep everybody busy. */
function pairs(apartMs: number, faults: Scenario["faults"]): Scenario {
  const write = async (world: World) => {
    const user = world.client("user");
    for (let at = 0; at < PAIRS; at++) {
      for (let other = 0; other < OTHERS; other++) {
        const name = `other-${at}-${other}`;
        world.clock.after(at * 500 + other, () => void user.create(entries, an("ConfigMap", name)));
      }
      const name = `pair-${at}`;
      world.clock.after(at * 500 + 20, () => void user.create(entries, an("ConfigMap", name)));
      world.clock.after(at * 500 + 20 + apartMs, () => void user.create(pods, an("Pod", name)));
    }
  };
  return {
    ...{
      name: "pairs",
      about: "",
      faultsMs: PAIRS * 500 + 500,
      settleMs: 10_000,
      quietMs: 1_000,
      faults,
      worldFaults: [],
    },
    ...{ invariants: () => [], requestRules: [], isNoise: () => false, unsettled: () => undefined },
    setUp: async (world) => {
      world.host("reader", trustsOrder);
      world.clock.after(100, () => void write(world));
    },
  };
}

const SEEDS = 16;
const run = (scenario: Scenario, source: Source) => runHistory({ scenario, source, builtIn: plainKinds });
const only = (name: string) =>
  orderFaults.filter((fault) => fault.name === name).map((fault) => ({ ...fault, rate: 10 }));

/** Of the seeds that have the fault, how many find the mistake. */
async function found(scenario: Scenario) {
  let [having, finding] = [0, 0];
  for (let seed = 1; having < SEEDS; seed++) {
    const { tape, failure } = await run(scenario, { seed });
    const [fault] = scenario.faults;
    const isOn = (tape.streams.get(fault?.name ?? "") ?? []).some(({ at }) => at === 0);
    having += isOn ? 1 : 0;
    finding += failure?.oracle === "Uncaught" ? 1 : 0;
  }
  return finding / SEEDS;
}

test("without a choice what was written first is seen first", async () => {
  expect((await run(pairs(0, []), { seed: 1 })).failure).toBeUndefined();
});

test("what is written at one instant is seen in another order by ties (16 of 16 seeds) and by priorities (about half)", async () => {
  expect(await found(pairs(0, only("tie-order")))).toBe(1);
  expect(await found(pairs(0, only("priorities")))).toBeGreaterThan(0.2);
});

test("what lies five milliseconds apart is found by priorities (about a third of the seeds), and never by ties", async () => {
  expect(await found(pairs(5, only("tie-order")))).toBe(0);
  expect(await found(pairs(5, only("priorities")))).toBeGreaterThan(0);
});

test("an order that was drawn is taken again from its tape", async () => {
  const scenario = pairs(5, orderFaults);
  let drawn = await run(scenario, { seed: 1 });
  for (let seed = 2; drawn.failure === undefined; seed++) drawn = await run(scenario, { seed });
  const again = await run(scenario, { tape: parseTape(printTape(drawn.tape)) });
  expect(again.fingerprint).toBe(drawn.fingerprint);
});
