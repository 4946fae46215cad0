// The invariants of a set that one decision after another can show, each over random fleets and edits. Those that need time, faults and
// other controllers (I4, I7, I8, I9, I14) are checked in sim/scenarios/variant-set, after every write of two thousand histories.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../core/decision/plan.ts";
import { stepId } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { Json, JsonObject } from "../../core/json/json.ts";
import { parseNodeFacts } from "../../core/node/node-facts.ts";
import { DAMPING_MS } from "../../core/rollout/berth.ts";
import { forecast } from "../forecast/forecast.ts";
import { aTemplate } from "../testing/kind-case.ts";
import { parseVariantSet } from "./api/parse.ts";
import { cellOf } from "./cell.ts";
import { renderWorkload } from "./render.ts";
import { aNodeObject, aSetObject, type NodeForm, PaperSet } from "./testing/paper-set.ts";
import { createVariantSetKind } from "./variant-set-kind.ts";

const runs = (numRuns: number) => ({ numRuns });
const KERNELS = ["4.18.0-193.el8", "5.3.18-57-default", "5.4.0-66-generic", "5.12.0", "6.1.0-25-amd64"] as const;
const readable = fc.constantFrom(...KERNELS);
const anyKernel = fc.constantFrom(...KERNELS, "corrupted_version", "", "v5.4.1", "5");
const fleets = fc.array(fc.record({ kernel: anyKernel, isReady: fc.boolean() }), { minLength: 1, maxLength: 5 });
const nodesOf = (forms: readonly NodeForm[]) => forms.map((form, place) => aNodeObject(`n${place}`, form));

const image = (tag: string) => `registry.example.com/agent:${tag}`;
const patch = (flag: string): JsonObject => ({ spec: { containers: [{ name: "agent", args: [flag] }] } });
const threeVariants: readonly JsonObject[] = [
  { name: "four", match: { kernel: "4.x" }, images: { agent: image("four") }, patch: patch("--four") },
  { name: "five", match: { kernel: "5.x" }, images: { agent: image("five-$KERNEL_X") } },
  { name: "rest", match: { kernel: ">=6.0" }, patch: patch("--rest") },
];
const uidsOf = (world: PaperSet) =>
  Object.fromEntries(world.cluster.pods.values().map(({ node, uid }) => [node, uid] as const));
const textOf = (plan: Plan) => canonicalJson(JSON.parse(JSON.stringify(plan)));

describe("I1: rendering one cell changes neither its input nor another cell", () => {
  test("in whichever order, and however often", () => {
    const object = deepFrozen(
      aSetObject({ variants: threeVariants, template: aTemplate({ nodeSelector: { a: "b" } }) }),
    );
    const parsed = parseVariantSet(object);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const set = parsed.value;
    const ground = { ownerUid: "u", adoptedSelector: undefined, formerKeys: [] };
    const render = (place: number) => {
      const [variant, node] = [set.variants[place], parseNodeFacts(aNodeObject("n", { kernel: `${4 + place}.1.0` }))];
      const cell = variant && cellOf(set, variant, node);
      if (!cell?.ok) throw new Error(`no cell for variant ${place}`);
      return canonicalJson(renderWorkload(set, cell.value, ground));
    };
    const alone = [0, 1, 2].map(render);
    const before = canonicalJson(set.template);
    fc.assert(
      fc.property(fc.array(fc.nat(2), { maxLength: 12 }), (order) => {
        for (const place of order) expect(render(place)).toBe(alone[place]);
      }),
      runs(30),
    );
    expect(canonicalJson(set.template)).toBe(before);
  });
});

describe("I3: a node that fails changes nothing for other nodes", () => {
  test("whatever it reports", () => {
    const bad = fc.record({
      kernel: fc.constantFrom("corrupted_version", "", "?"),
      osImage: fc.constantFrom("", "??"),
    });
    fc.assert(
      fc.property(fc.array(readable, { minLength: 1, maxLength: 4 }), bad, (kernels, form) => {
        const nodes = nodesOf(kernels.map((kernel) => ({ kernel })));
        const [alone, beside] = [nodes, [...nodes, aNodeObject("zz-bad", form)]].map((all) =>
          new PaperSet(all, aSetObject({ variants: threeVariants })).settle(),
        );
        expect(beside?.bindings()).toEqual({ ...alone?.bindings(), "zz-bad": undefined });
        expect(beside?.running()).toEqual(alone?.running());
        expect(beside?.status).toMatchObject({ nodes: { fitted: nodes.length, unknown: 1 } });
      }),
      runs(40),
    );
  });
});

describe("I5: a node without proof of a changed fact keeps its cell", () => {
  test("while a change is young, and while a fact is missing for however long", () => {
    fc.assert(
      fc.property(readable, anyKernel, fc.nat(DAMPING_MS - 1), (was, is, ageMs) => {
        const world = new PaperSet(
          [aNodeObject("a", { kernel: was })],
          aSetObject({ variants: threeVariants }),
        ).settle();
        const [bound, pods] = [world.bindings(), uidsOf(world)];
        const isUnread = !KERNELS.some((kernel) => kernel === is);
        world.change("a", { kernel: is });
        world.youngSinceMs.set("a", isUnread ? 0 : world.nowMs - ageMs);
        for (let look = 0; look < 3; look++) world.act();
        expect([world.bindings(), uidsOf(world)]).toEqual([bound, pods]);
      }),
      runs(60),
    );
  });
});

describe("I6: names and selectors stay", () => {
  test("whatever is edited, the DaemonSets that remain are those that were", () => {
    const edits: readonly JsonObject[] = [
      { variants: [...threeVariants].reverse() },
      { variants: threeVariants.map((one) => ({ ...one, images: { agent: image("other") } })) },
      { template: aTemplate({ priorityClassName: "high" }) },
      { updateStrategy: { maxUnavailable: 2 }, prune: { after: "1h" } },
    ];
    fc.assert(
      fc.property(fleets, fc.constantFrom(...edits), (forms, edit) => {
        const world = new PaperSet(nodesOf(forms), aSetObject({ variants: threeVariants })).settle();
        const selectors = () =>
          Object.fromEntries(world.cluster.workloads.values().map(({ name, spec }) => [name, spec.selector]));
        const before = selectors();
        world.edit(edit);
        expect(world.settle() && selectors()).toMatchObject(before);
      }),
      runs(40),
    );
  });
});

describe("I10: another version of the operator finds nothing to do in an unchanged set", () => {
  test("since a kind that has just started plans nothing where the last one left off", () => {
    fc.assert(
      fc.property(fleets, (forms) => {
        const world = new PaperSet(nodesOf(forms), aSetObject({ variants: threeVariants, default: {} })).settle();
        const next = createVariantSetKind().observe(world.cluster, world.stored).decide(world.nowMs);
        expect(next.plan.steps).toEqual([]);
      }),
      runs(40),
    );
  });
});

describe("I11: versions compare as numbers, and one that cannot be read is neither smaller nor larger", () => {
  const boundTo = (kernel: string, rule: string) =>
    new PaperSet(
      [aNodeObject("a", { kernel })],
      aSetObject({
        variants: [{ name: "hit", match: { kernel: rule } }],
        default: { images: { agent: image("miss") } },
      }),
    )
      .settle()
      .bindings().a;
  test("a bound is met by exactly the versions that are not below it, part by part", () => {
    const part = fc.nat({ max: 30 });
    fc.assert(
      fc.property(part, part, part, part, (major, minor, ruleMajor, ruleMinor) => {
        const isMet = major > ruleMajor || (major === ruleMajor && minor >= ruleMinor);
        expect(boundTo(`${major}.${minor}.0-1`, `>=${ruleMajor}.${ruleMinor}`)).toBe(isMet ? "hit" : "default");
      }),
      runs(60),
    );
  });
  test.each([">=0.1", "<1000", "5.x", "4.18-5.3"])(
    "an unreadable kernel gets nothing from %s, nor from the default",
    (rule) => {
      for (const kernel of ["corrupted_version", "", "v5.4.1"]) expect(boundTo(kernel, rule)).toBeUndefined();
    },
  );
});

describe("I12: what is planned is what is then done", () => {
  test("one plan for one picture: by a process that has seen all of it and by one that has just come", () => {
    fc.assert(
      fc.property(fleets, fc.array(fc.tuple(fc.nat(4), anyKernel), { maxLength: 4 }), (forms, changes) => {
        const world = new PaperSet(nodesOf(forms), aSetObject({ variants: threeVariants }));
        for (const [place, kernel] of changes) {
          for (let round = 0; round < 3; round++) {
            const fresh = createVariantSetKind().observe(world.cluster, world.stored).decide(world.nowMs).plan;
            expect(textOf(world.plan())).toBe(textOf(fresh));
            world.act();
            world.follow();
          }
          if (place < forms.length) world.change(`n${place}`, { kernel });
        }
      }),
      runs(30),
    );
  });

  test("a forecast tells the writes that are then made, and the pods that are then replaced", () => {
    fc.assert(
      fc.property(fleets, fc.constantFrom("four", "five", "rest"), (forms, edited) => {
        const world = new PaperSet(nodesOf(forms), aSetObject({ variants: threeVariants })).settle();
        const before = uidsOf(world);
        const variants = threeVariants.map((one) =>
          one.name === edited ? { ...one, images: { agent: image("v2") } } : one,
        );
        world.edit({ variants });
        const told = forecast({
          ...{ kind: world.kind, objects: world.cluster.objects(), object: world.stored.object, nowMs: world.nowMs },
          image: () => ({ is: "unasked" }),
        });
        const done: string[] = [];
        for (let round = 0; round < 40; round++) {
          const acts = world.act().steps.filter((step) => step.do !== "status" && step.do !== "event");
          done.push(...acts.map(stepId));
          world.follow();
        }
        expect(told.writes.map(({ step }) => stepId(step))).toEqual(done);
        const replaced = Object.keys(before).filter((node) => before[node] !== uidsOf(world)[node]);
        expect(told.replaced.toSorted()).toEqual(replaced.toSorted());
      }),
      runs(25),
    );
  });

  test("a fact that changes between plan and deed makes another plan, which says so", () => {
    const world = new PaperSet([aNodeObject("a"), aNodeObject("b")]).settle();
    world.change("a", { kernel: "4.18.0" });
    const planned = world.plan();
    world.change("a", { kernel: "corrupted" });
    expect(textOf(world.plan())).not.toBe(textOf(planned));
    expect(world.plan().steps.filter((step) => step.do === "apply")).toEqual([]);
    world.settle();
    expect(world.status).toMatchObject({ problems: [{ reason: "FactUnknown", examples: ["a"] }] });
  });
});

describe("I13: after another kernel has come up, nothing of the old cell is begun on the node", () => {
  test("it is unbound, waited for and bound; no pod is deleted by us, none of the old cell made, and nothing else is run there", () => {
    fc.assert(
      fc.property(readable, readable, (was, is) => {
        const world = new PaperSet(
          [aNodeObject("a", { kernel: was })],
          aSetObject({ variants: threeVariants }),
        ).settle();
        const old = world.bindings().a;
        world.change("a", { kernel: is });
        const steps: string[] = [];
        for (let round = 0; round < 6; round++) {
          const acts = world.act().steps.filter((step) => step.do !== "status" && step.do !== "event");
          steps.push(
            ...acts.map((step) => (stepId(step) === "apply v1 Node a" ? `label ${world.bindings().a}` : stepId(step))),
          );
          world.follow();
        }
        const now = world.bindings().a;
        const onNode = steps.filter((step) => step.startsWith("label"));
        expect(onNode).toEqual(old === now ? [] : ["label undefined", `label ${now}`]);
        // Besides the labels of the node, only DaemonSets are written: to make the new one, and to mark the old one as unused.
        for (const step of steps) expect(step).toMatch(/^label |^(apply|patch) apps\/v1 DaemonSet /);
        expect(world.cluster.pods.values().every(({ labels }) => labels["farrier.dev/workload"] !== undefined)).toBe(
          true,
        );
        const made = world.cluster.workloads.values().find(({ labels }) => labels["farrier.dev/variant"] === now);
        expect(world.cluster.pods.values().map(({ controllerUid }) => controllerUid)).toEqual([made?.uid]);
      }),
      runs(40),
    );
  });
});

/** Throws where somebody writes to it. */
function deepFrozen<T extends Json>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFrozen(inner);
    Object.freeze(value);
  }
  return value;
}
