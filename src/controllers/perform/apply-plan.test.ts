import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { orderPlan } from "../../core/decision/plan.ts";
import { type Step, stepId } from "../../core/decision/step.ts";
import type { Rand } from "../../kube/rand.ts";
import { APPLY_LIMITS, type ApplyLimits, applyPlan } from "./apply-plan.ts";
import { PROVEN_MAX, REFUSALS_MAX, SlowStarts } from "./slow-start.ts";
import { done, type StepResult } from "./step-result.ts";

const why = "a test wants it";
const createPod = (name: string, after: readonly string[] = []): Step => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "ns", name } };
  return { do: "create", object, why, after };
};
const label = (name: string, after: readonly string[] = []): Step => {
  const object = { apiVersion: "v1", kind: "Node", metadata: { name, uid: `uid-${name}` } };
  return { do: "apply", object, why, after };
};
const createId = (name: string) => stepId(createPod(name));
const refused: StepResult = { did: "refused", reason: "Forbidden", because: "exceeded quota" };
const names = (count: number) => Array.from({ length: count }, (_, index) => `p${String(index).padStart(3, "0")}`);

type World = {
  readonly fate?: (step: Step) => StepResult;
  readonly limits?: Partial<ApplyLimits>;
  readonly signal?: AbortSignal;
  readonly rand?: Rand;
  readonly starts?: SlowStarts;
  readonly isWanted?: () => boolean;
};

/** Performs a plan in a world where every write takes one turn, and tells what was tried and how much was under way at once. */
async function perform(steps: readonly Step[], world: World = {}) {
  const { fate = () => done, limits = {}, signal, rand, starts, isWanted = () => true } = world;
  const tried: string[] = [];
  const rounds: number[] = [];
  let under: (() => void)[] = [];
  const perform = (step: Step) => {
    tried.push(stepId(step));
    return new Promise<StepResult>((resolve) => under.push(() => resolve(fate(step))));
  };
  const running = applyPlan(orderPlan({ steps, held: [] }), perform, {
    ...{
      rand: rand ?? seededRand(1),
      starts: starts ?? new SlowStarts(),
      signal: signal ?? new AbortController().signal,
      limits: { ...APPLY_LIMITS, ...limits },
      isWanted,
    },
  });
  while (under.length > 0) {
    rounds.push(under.length);
    const now = under;
    under = [];
    for (const answer of now) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { results: await running, tried, rounds };
}

describe("order", () => {
  test("a step starts when those that it waits for are done", async () => {
    const { tried } = await perform([label("n1", [createId("p")]), createPod("p")]);
    expect(tried).toEqual([createId("p"), stepId(label("n1"))]);
  });

  test("a failed step holds those that wait for it, and no others", async () => {
    const steps = [createPod("bad"), label("n1", [createId("bad")]), label("n2")];
    const { results } = await perform(steps, { fate: (step) => (step.do === "create" ? refused : done) });
    expect([...results].map(([id, { did }]) => `${id}: ${did}`).sort()).toEqual([
      "apply v1 Node n1: unsent",
      "apply v1 Node n2: done",
      "create v1 Pod ns/bad: refused",
    ]);
  });

  test("what waits for something that waits in vain is not sent either", async () => {
    const chain = [createPod("bad"), label("n1", [createId("bad")]), label("n2", [stepId(label("n1"))])];
    const { tried } = await perform(chain, { fate: () => refused });
    expect(tried).toEqual([createId("bad")]);
  });

  test("no step starts after the signal", async () => {
    const { results, tried } = await perform([label("n1")], { signal: AbortSignal.abort(new Error("time is up")) });
    expect([tried, results.get(stepId(label("n1")))?.did]).toEqual([[], "unsent"]);
  });

  test("what may wait starts behind everything else, also beside others of its sort that may not", async () => {
    const steps = [label("n1"), createPod("p1"), { ...label("n2"), isPatient: true }];
    const { tried } = await perform(steps, { limits: { inFlightMax: 1 } });
    expect(tried).toEqual([stepId(label("n1")), createId("p1"), stepId(label("n2"))]);
  });

  test("what has not started when something else is asked for is left to the next plan; events tell what was done", async () => {
    const about = { apiVersion: "v1", kind: "Node", name: "n1" };
    const event: Step = { do: "event", about, severity: "Normal", reason: "Fitted", message: "", why };
    const steps = [
      createPod("p1"),
      createPod("p2"),
      label("n1", [createId("p1")]),
      { ...event, after: [createId("p1")] },
    ];
    let isWanted = true;
    const fate = () => {
      isWanted = false;
      return done;
    };
    const { results, tried } = await perform(steps, { fate, isWanted: () => isWanted });
    expect(tried).toEqual([createId("p1"), "event v1 Node n1 Fitted"]);
    expect([createId("p2"), stepId(label("n1"))].map((id) => results.get(id)?.did)).toEqual(["left", "left"]);
  });

  test("a mistake of ours ends the pass loudly", async () => {
    const plan = { steps: [label("n1")], held: [] };
    const ports = { starts: new SlowStarts(), rand: seededRand(1), signal: new AbortController().signal };
    await expect(applyPlan(plan, () => Promise.reject(new Error("mistake")), ports)).rejects.toThrow("mistake");
  });
});

describe("limits", () => {
  test("no more steps are under way at once than the limit says", async () => {
    const { rounds } = await perform(
      names(30).map((name) => label(name)),
      { limits: { inFlightMax: 8 } },
    );
    expect(Math.max(...rounds)).toBe(8);
  });

  test("one pass performs so many steps and leaves the rest, with what waits for them, to the next", async () => {
    const steps = [...names(3).map((name) => createPod(name)), label("n1", [createId("p002")])];
    const { results, tried } = await perform(steps, { limits: { stepsMax: 2 } });
    expect(tried).toHaveLength(2);
    expect([...results.values()].map(({ did }) => did).sort()).toEqual(["done", "done", "left", "left"]);
  });

  test("an empty plan is performed at once", async () => {
    expect((await perform([])).results.size).toBe(0);
  });
});

describe("slow start", () => {
  /** So that only the start holds anything back. */
  const limits = { inFlightMax: 64 };

  test("creates begin with one and double with every round of successes", async () => {
    const steps = names(100).map((name) => createPod(name));
    const { rounds } = await perform(steps, { limits });
    expect(rounds.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 32]);
  });

  test("a pass begins with what the last one of its sort has proven, up to a limit", async () => {
    const starts = new SlowStarts();
    const pass = async (count: number) =>
      (
        await perform(
          names(count).map((name) => createPod(name)),
          { starts, limits },
        )
      ).rounds;
    expect(await pass(3)).toEqual([1, 2]);
    expect(await pass(10)).toEqual([4, 6]);
    expect(await pass(60)).toEqual([14, 28, 18]);
    expect(await pass(60)).toEqual([PROVEN_MAX, 2 * PROVEN_MAX, 60 - 3 * PROVEN_MAX]);
  });

  test("after a refusal the next pass begins with one again", async () => {
    const starts = new SlowStarts();
    const steps = names(20).map((name) => createPod(name));
    await perform(steps, { starts });
    const { tried } = await perform(steps, { starts, fate: () => refused });
    expect(tried).toHaveLength(PROVEN_MAX);
    expect((await perform(steps, { starts })).rounds.slice(0, 3)).toEqual([1, 2, 4]);
  });

  test("250 creates against a full quota cost three refusals", async () => {
    const { tried, results } = await perform(
      names(250).map((name) => createPod(name)),
      { fate: () => refused },
    );
    expect(tried).toHaveLength(REFUSALS_MAX);
    expect([...results.values()].filter(({ did }) => did === "unsent")).toHaveLength(250 - REFUSALS_MAX);
  });

  test("other sorts of steps and other namespaces go on meanwhile", async () => {
    const elsewhere: Step = {
      ...{ do: "create", why },
      object: { apiVersion: "v1", kind: "Pod", metadata: { namespace: "other", name: "x" } },
    };
    const steps = [...names(10).map((name) => createPod(name)), label("n1"), elsewhere];
    const isBad = (step: Step) => step.do === "create" && step !== elsewhere;
    const { results } = await perform(steps, { fate: (step) => (isBad(step) ? refused : done) });
    expect([results.get(stepId(label("n1")))?.did, results.get(stepId(elsewhere))?.did]).toEqual(["done", "done"]);
  });

  test("a few bad ones among many good ones keep nobody from being made", async () => {
    const isBad = (step: Step) => ["p000", "p010", "p020"].some((name) => stepId(step) === createId(name));
    const { results } = await perform(
      names(60).map((name) => createPod(name)),
      {
        fate: (step) => (isBad(step) ? refused : done),
      },
    );
    expect([...results.values()].filter(({ did }) => did === "done")).toHaveLength(57);
  });

  test("bad ones that stand first do not hide the good ones behind them, pass by pass", async () => {
    const rand = seededRand(1);
    const isGood = (step: Step) => stepId(step) >= createId("p010");
    const made = new Set<string>();
    for (let pass = 0; pass < 10; pass++) {
      const missing = names(40).filter((name) => !made.has(name));
      const fate = (step: Step) => (isGood(step) ? done : refused);
      const { results } = await perform(
        missing.map((name) => createPod(name)),
        { fate, rand },
      );
      for (const name of missing) if (results.get(createId(name))?.did === "done") made.add(name);
    }
    expect(made.size).toBe(30);
  });
});

const randomPlan = fc.array(
  fc.record({ after: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }), isGood: fc.boolean(), isCreate: fc.boolean() }),
  { maxLength: 20 },
);

test("every step has a result, none starts before what it waits for is done, and what nothing stops is tried", async () => {
  await fc.assert(
    fc.asyncProperty(randomPlan, async (shape) => {
      const made: Step[] = [];
      for (const [index, { after, isCreate }] of shape.entries()) {
        const before = after.filter((one) => one < index).map((one) => stepId(made[one] ?? label("none")));
        made.push(isCreate ? createPod(`s${index}`, [...new Set(before)]) : label(`s${index}`, [...new Set(before)]));
      }
      const isGood = (step: Step) => shape[made.indexOf(step)]?.isGood === true;
      const succeeded = new Set<string>();
      const { results } = await perform(made, {
        fate: (step) => {
          for (const id of step.after ?? []) expect(succeeded.has(id)).toBe(true);
          if (isGood(step)) succeeded.add(stepId(step));
          return isGood(step) ? done : refused;
        },
      });
      expect(results.size).toBe(made.length);
      const isFree = (step: Step): boolean => (step.after ?? []).every((id) => results.get(id)?.did === "done");
      const untried = made.filter(
        (step) => step.do === "apply" && isFree(step) && results.get(stepId(step))?.did === "unsent",
      );
      expect(untried).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
