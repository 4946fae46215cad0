import { expect, test } from "vitest";
import { plainKinds } from "../../api-server/testing/plain-kinds.ts";
import type { Commit } from "../commit.ts";
import type { Scenario } from "../scenario.ts";
import { choicesOf, printTape } from "../tape.ts";
import { type ExploreOptions, explore, REPEAT_EVERY } from "./explore.ts";
import { printFinding } from "./report.ts";

const entries = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true };

/** A scenario in which entries are written now and then; seven of them are one too many. */
function counting(more: Partial<Scenario> = {}): Scenario {
  return {
    ...{ name: "counting", about: "", faultsMs: 20_000, settleMs: 5_000, quietMs: 1_000, faults: [], requestRules: [] },
    isNoise: () => false,
    unsettled: () => undefined,
    setUp: async () => undefined,
    invariants: () => [
      {
        name: "FewEntries",
        check: (_, state) => ([...state.objects("configmaps")].length > 6 ? "there are more than six" : undefined),
      },
    ],
    worldFaults: [
      {
        ...{ name: "one-more", rate: 0.5 },
        strike: (world) => {
          const name = `entry-${world.server.revision()}`;
          const metadata = { name, namespace: "default" };
          void world.client("user").create(entries, { apiVersion: "v1", kind: "ConfigMap", metadata });
          return name;
        },
      },
      { name: "nothing", rate: 0.5, strike: () => "nothing happens" },
    ],
    ...more,
  };
}

const defaults: Omit<ExploreOptions, "scenarios"> = {
  seeds: { first: 1, count: 20 },
  builtIn: plainKinds,
  isAllowed: () => true,
  progress: () => undefined,
  isTimeUp: () => false,
};

test("the first seed that fails ends the search, with the shortest tape that fails alike", async () => {
  const { finding, seed } = await explore({ ...defaults, scenarios: [counting()] });
  expect(finding?.found.failure?.oracle).toBe("FewEntries");
  expect(finding?.found.tape.seed).toBe(seed);
  // Seven entries are needed, and what has no part in it is gone.
  expect([...(finding?.shortest.tape.streams.get("one-more") ?? [])]).toHaveLength(7);
  expect(choicesOf(finding?.shortest.tape ?? { scenario: "", seed: 0, streams: new Map() })).toBe(7);
});

test("the report has the reason, every step, the seed and the tape", async () => {
  const { finding } = await explore({ ...defaults, scenarios: [counting()] });
  if (finding === undefined) throw new Error("nothing was found");
  const report = printFinding(finding, true);
  expect(report).toContain("FAILED counting, seed");
  expect(report).toContain("there are more than six");
  expect(report).toContain(printTape(finding.shortest.tape));
  expect(report.match(/one-more: entry-/g)).toHaveLength(7);
});

test("faults that are not allowed do not strike", async () => {
  const { finding, histories } = await explore({
    ...{ ...defaults, scenarios: [counting()] },
    isAllowed: (name) => name === "nothing",
  });
  expect([finding, histories]).toEqual([undefined, 20]);
});

test("what invariants remember of one history is unknown in the next, also while a tape is made shorter", async () => {
  const invariants: Scenario["invariants"] = () => {
    let entries = 0;
    const check = ({ table }: Commit) => (table === "configmaps" && ++entries > 6 ? `${entries} entries` : undefined);
    return [{ name: "RemembersEntries", check }];
  };
  const { finding } = await explore({ ...defaults, scenarios: [counting({ invariants })] });
  expect(finding?.found.failure?.message).toBe("7 entries");
  expect(finding?.shortest.failure?.message).toBe("7 entries");
});

test("a run that cannot be repeated is found when it is run twice", async () => {
  let runs = 0;
  const setUp: Scenario["setUp"] = async (world) => {
    runs += 1;
    world.trace.add("test", `run ${runs}`);
  };
  const scenarios = [counting({ setUp, invariants: () => [] })];
  const { finding } = await explore({ ...defaults, seeds: { first: REPEAT_EVERY, count: 1 }, scenarios });
  expect(finding?.found.failure).toMatchObject({ oracle: "Repeats" });
});

test("timers that set each other at one instant are a finding, not a run without end", async () => {
  const setUp: Scenario["setUp"] = async ({ clock }) => {
    const again = () => void clock.after(0, again);
    again();
  };
  const scenarios = [counting({ setUp, invariants: () => [], worldFaults: [] })];
  const { finding } = await explore({ ...defaults, seeds: { first: 1, count: 1 }, scenarios });
  expect(finding?.found.failure).toMatchObject({ oracle: "GoesOn", atMs: 0 });
});

test("a promise that nobody awaits is a finding", async () => {
  const setUp: Scenario["setUp"] = async (world) => {
    world.clock.after(1_000, () => void Promise.reject(new Error("forgotten")));
  };
  const { finding } = await explore({ ...defaults, scenarios: [counting({ setUp, invariants: () => [] })] });
  expect(finding?.found.failure).toMatchObject({ oracle: "Uncaught", message: expect.stringContaining("forgotten") });
});
