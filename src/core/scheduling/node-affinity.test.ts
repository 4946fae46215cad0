import { describe, expect, test } from "vitest";
import type { Labels } from "../labels/label-requirement.ts";
import { compileNodeAffinity, explainNodeAffinity, matchNodeAffinity, TERM_VERDICTS_MAX } from "./node-affinity.ts";
import gtLt from "./vectors/gt-lt.json" with { type: "json" };
import required from "./vectors/required-node-affinity.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(required)("$name: $expected", ({ podSpec, node, expected, parseError }) => {
    const affinity = compileNodeAffinity(podSpec);
    const labels: Labels | undefined = labelsOf(node.metadata);
    const identity = { name: node.metadata.name, labels: labels ?? {} };
    expect(matchNodeAffinity(affinity, identity)).toBe(expected);
    const trail = explainNodeAffinity(affinity, identity);
    expect(trail.at(-1)?.matched ?? true).toBe(expected);
    // The scheduler reports faults only when it got as far as the terms and none matched.
    const reachedTerms = trail[0]?.rule !== "nodeSelector" || trail[0].matched;
    expect(!expected && reachedTerms && affinity.problems.length > 0).toBe(parseError);
  });

  test.each(gtLt)("$operator $values on $labels: $expected", ({ operator, values, labels, expected, error }) => {
    const affinity = compileNodeAffinity(withTerms([{ matchExpressions: [{ key: "n", operator, values }] }]));
    expect(affinity.problems.length > 0).toBe(error === true);
    expect(matchNodeAffinity(affinity, { name: "x", labels: definedOf(labels ?? {}) })).toBe(expected ?? false);
  });
});

describe("wrong shapes match no node and are named", () => {
  test.each([
    ["a pod spec that is a list", [], "spec"],
    ["a nodeSelector that is a list", { nodeSelector: ["a"] }, "spec.nodeSelector"],
    ["a nodeSelector with a number", { nodeSelector: { a: 1 } }, 'spec.nodeSelector["a"]'],
    ["an affinity that is a text", { affinity: "x" }, "spec.affinity"],
    ["a nodeAffinity that is true", { affinity: { nodeAffinity: true } }, "spec.affinity.nodeAffinity"],
    [
      "terms that are an object",
      withTerms({}),
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
    ],
  ])("%s", (_what, podSpec, path) => {
    const affinity = compileNodeAffinity(podSpec);
    expect(affinity.problems.map((problem) => problem.path)).toEqual([path]);
    expect(matchNodeAffinity(affinity, aNode)).toBe(false);
    expect(explainNodeAffinity(affinity, aNode)).toEqual([
      { rule: path, matched: false, because: expect.stringMatching(/^it must be /) },
    ]);
  });

  test("a term of a wrong shape spoils only itself", () => {
    const affinity = compileNodeAffinity(withTerms([7, { matchExpressions: 5 }, zoneIn("a")]));
    expect(affinity.problems).toHaveLength(2);
    expect(explainNodeAffinity(affinity, aNode).map(({ matched }) => matched)).toEqual([false, false, true]);
  });

  test("no pod spec at all asks for nothing", () => {
    expect(matchNodeAffinity(compileNodeAffinity(undefined), aNode)).toBe(true);
  });
});

describe("explainNodeAffinity", () => {
  test("names the nodeSelector's miss and looks no further", () => {
    const affinity = compileNodeAffinity({ ...withTerms([zoneIn("a")]), nodeSelector: { gpu: "yes" } });
    expect(explainNodeAffinity(affinity, aNode)).toEqual([
      { rule: "nodeSelector", matched: false, because: "label gpu is absent, but gpu=yes is asked" },
    ]);
  });

  test("goes through the terms until one matches", () => {
    const fields = [{ key: "metadata.name", operator: "NotIn", values: ["w-1"] }];
    const bad = [{ key: "zone", operator: "Near", values: ["a"] }];
    const affinity = compileNodeAffinity(
      withTerms([{}, zoneIn("b"), { matchFields: fields }, { matchExpressions: bad }, zoneIn("a"), zoneIn("c")]),
    );
    expect(explainNodeAffinity(affinity, aNode)).toEqual([
      { rule: "nodeSelectorTerms[1]", matched: false, because: 'label zone is "a", but zone in (b) is asked' },
      { rule: "nodeSelectorTerms[2]", matched: false, because: 'field metadata.name of node w-1 must not be "w-1"' },
      {
        rule: "nodeSelectorTerms[3]",
        matched: false,
        because: 'the term has a fault: must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, not "Near"',
      },
      { rule: "nodeSelectorTerms[4]", matched: true, because: "node w-1 meets all its conditions" },
    ]);
  });

  test("sums up when no term matches, and never grows beyond its limit", () => {
    const terms = Array.from({ length: 10_000 }, () => zoneIn("b"));
    const none = explainNodeAffinity(compileNodeAffinity(withTerms(terms)), aNode);
    expect(none).toHaveLength(TERM_VERDICTS_MAX + 1);
    expect(none.at(-1)).toEqual({
      rule: "nodeSelectorTerms",
      matched: false,
      because: "none of its 10000 terms matches",
    });
    const late = explainNodeAffinity(compileNodeAffinity(withTerms([...terms, zoneIn("a")])), aNode);
    expect(late.at(-1)).toMatchObject({ rule: "nodeSelectorTerms[10000]", matched: true });
    expect(explainNodeAffinity(compileNodeAffinity(withTerms([{}])), aNode).at(-1)?.because).toBe(
      "it holds no term with a condition",
    );
  });
});

test("node labels named like inherited properties are absent until they are set", () => {
  const affinity = compileNodeAffinity({ nodeSelector: { constructor: "x" } });
  expect(matchNodeAffinity(affinity, aNode)).toBe(false);
  expect(matchNodeAffinity(affinity, { name: "w-1", labels: { constructor: "x" } })).toBe(true);
  const own = compileNodeAffinity(JSON.parse('{"nodeSelector": {"__proto__": "x"}}'));
  expect(matchNodeAffinity(own, aNode)).toBe(false);
  expect(matchNodeAffinity(own, { name: "w-1", labels: JSON.parse('{"__proto__": "x"}') })).toBe(true);
});

const aNode = { name: "w-1", labels: { zone: "a" } };

function zoneIn(...values: string[]) {
  return { matchExpressions: [{ key: "zone", operator: "In", values }] };
}

function withTerms(nodeSelectorTerms: unknown) {
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

/** The compiler sees the labels of all vectors as one type with optional keys. */
function labelsOf(metadata: { readonly labels?: Readonly<Record<string, string | undefined>> }): Labels {
  return definedOf(metadata.labels ?? {});
}

function definedOf(labels: Readonly<Record<string, string | undefined>>): Labels {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
