// The test plan of the proposal, by its own names, and the laws of patches: a thousand nodes, no patches, many, none that match, and
// which of two wins.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { keyOf } from "../forecast/paper-shelf.ts";
import { parseDaemonSet } from "./api/parse.ts";
import type { NodePatch } from "./api/spec.ts";
import { validateDaemonSet } from "./api/validate.ts";
import { createPatchMatcher } from "./match-patches.ts";
import { mergePatches } from "./render.ts";
import { aDaemonSet, daemonSetCases } from "./testing/cases.ts";
import { aNode, image, never, nodes, rolling, running, SetOnPaper } from "./testing/set-on-paper.ts";

const variable = (name: string, value: string): JsonObject => ({
  spec: { containers: [{ name: "agent", env: [{ name, value }] }] },
});
const patchFor = (size: string, patch: JsonObject, priority = 0): JsonObject => ({
  ...{ selector: { matchLabels: { size } }, patch, priority },
});
const envOn = (set: SetOnPaper, node: string) => JSON.stringify((set.podOn(node).spec as JsonObject).containers);

describe("unit: validation", () => {
  const verdictOf = (patches: readonly JsonObject[]) => validateDaemonSet(aDaemonSet({ patches }), undefined).problems;
  test("valid patch configurations are taken", () => {
    expect(
      verdictOf([patchFor("large", variable("A", "1")), patchFor("huge", { metadata: { labels: { a: "b" } } })]),
    ).toEqual([]);
  });
  test("invalid patch formats are refused", () => {
    expect(verdictOf([patchFor("large", { spec: { containers: "agent" } })])).not.toEqual([]);
  });
  test("selectors are validated", () => {
    expect(verdictOf([{ patch: {} }])).not.toEqual([]);
    expect(verdictOf([{ selector: { matchLabels: { "a b": "c" } }, patch: {} }])).not.toEqual([]);
  });
  test("every row of the table says which it is", () => {
    expect(daemonSetCases().length).toBeGreaterThan(150);
  });
});

describe("edge cases", () => {
  test("an empty list of patches changes nothing", () => {
    const set = running({}, nodes(2));
    set.edit({ patches: [] });
    expect(set.look()).toMatchObject({ created: [], deleted: [] });
  });
  test("patches that match no node change no node, and are counted", () => {
    const set = running({ patches: [patchFor("large", variable("A", "1"))] }, nodes(2));
    expect(envOn(set, "n0")).not.toContain('"A"');
    expect(set.status.patches).toEqual([{ index: 0, matched: 0, updated: 0 }]);
  });
  test("ten patches are applied, all ten", () => {
    const patches = Array.from({ length: 10 }, (_, at) => patchFor("large", variable(`V${at}`, "1")));
    const set = running({ patches }, [aNode("a", { size: "large" })]);
    expect(envOn(set, "a").match(/"V\d"/g)).toHaveLength(10);
  });
});

describe("a thousand nodes", () => {
  const sizes = ["small", "large", "huge"];
  const fleet = Array.from({ length: 1_000 }, (_, at) =>
    aNode(`n${String(at).padStart(4, "0")}`, { size: sizes[at % 3] ?? "" }),
  );

  test("get what their labels say, and an edit of one patch moves a third of them", () => {
    const patches = (value: string) => [
      patchFor("large", variable("A", value)),
      patchFor("huge", variable("A", "huge")),
    ];
    const set = new SetOnPaper(
      { burstReplicas: 1_000, patches: patches("1"), ...rolling({ maxUnavailable: "100%" }) },
      fleet,
    ).settle();
    expect(set.status).toMatchObject({ numberAvailable: 1_000, patches: [{ matched: 333 }, { matched: 333 }] });
    set.edit({ patches: patches("2") });
    expect(set.look().deleted).toHaveLength(333);
    expect(set.settle().status).toMatchObject({ updatedNumberScheduled: 1_000, numberAvailable: 1_000 });
  });
});

describe("the laws of patches", () => {
  const name = fc.constantFrom("A", "B", "C");
  const value = fc.constantFrom("1", "2", "3");
  const patchList = fc.array(fc.record({ name, value, priority: fc.integer({ min: -2, max: 2 }) }), { maxLength: 6 });
  const parsed = (list: readonly { name: string; value: string; priority: number }[]): readonly NodePatch[] => {
    const read = parseDaemonSet(
      aDaemonSet({ patches: list.map((one) => patchFor("x", variable(one.name, one.value), one.priority)) }),
    );
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.value.patches;
  };
  const template = aDaemonSet({}).spec as JsonObject;
  const rendered = (patches: readonly NodePatch[]) => {
    const match = createPatchMatcher(patches)({ size: "x" });
    const merged = mergePatches(template.template as JsonObject, match);
    if (!merged.ok) throw new Error("cannot be merged");
    return merged.value;
  };

  test("of all that name a field the last one of the highest priority decides", () => {
    fc.assert(
      fc.property(patchList, (list) => {
        const winners = new Map<string, string>();
        for (const one of list.toSorted((a, b) => a.priority - b.priority)) winners.set(one.name, one.value);
        const [container] = ((rendered(parsed(list)).spec as JsonObject).containers as readonly JsonObject[]) ?? [];
        const env = ((container?.env ?? []) as readonly JsonObject[]).map((one) => [one.name, one.value]);
        expect(new Map(env as [string, string][])).toEqual(winners);
      }),
    );
  });

  test("no rendering shares anything that another could change: template and patches stay as they were", () => {
    fc.assert(
      fc.property(patchList, (list) => {
        const patches = parsed(list);
        const before = canonicalJson([template, patches.map(({ patch }) => patch)]);
        const once = canonicalJson(rendered(patches));
        expect(canonicalJson(rendered(patches))).toBe(once);
        expect(canonicalJson([template, patches.map(({ patch }) => patch)])).toBe(before);
      }),
    );
  });
});

describe("creation by partition, where scaling is partitioned", () => {
  const progressive = (partition: number | string) => ({
    scaleStrategy: { partitionedScaling: true },
    ...rolling({ maxUnavailable: 10, partition }),
  });
  test.each<[string, number | string, number, number]>([
    ["all are kept back", 10, 10, 0],
    ["one is not", 9, 10, 1],
    ["half of them", 5, 10, 5],
    ["half of them in percent, at the first look", "50%", 10, 5],
    ["more than there are", 20, 10, 0],
    ["none", 0, 10, 10],
  ])("%s: partition %s of %s nodes makes %s pods", (_about, partition, count, made) => {
    expect(new SetOnPaper(progressive(partition), nodes(count)).settle().pods).toHaveLength(made);
  });
  test("nodes that join are kept back as well, and nodes that leave make no room beyond it", () => {
    const set = new SetOnPaper(progressive(5), nodes(10)).settle();
    for (const name of ["x1", "x2"]) set.cluster.put(aNode(name));
    expect(set.settle().pods).toHaveLength(7);
    set.edit(rolling({ maxUnavailable: 10, partition: 0 }));
    expect(set.settle().pods).toHaveLength(12);
  });
  test("without it a pod that was deleted by hand in the middle of an update comes back at once, and new", () => {
    const set = running(rolling({ maxUnavailable: 1, partition: 2 }), nodes(2));
    set.edit(image("2"));
    const [pod = never()] = set.pods;
    set.cluster.pods.remove(keyOf(pod));
    set.settle();
    expect(set.status).toMatchObject({ updatedNumberScheduled: 1, numberAvailable: 2 });
  });
});
