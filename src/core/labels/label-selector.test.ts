import { describe, expect, test } from "vitest";
import { PROBLEMS_MAX } from "../decision/problem.ts";
import {
  compileLabelSelector,
  explainLabels,
  type LabelSelector,
  labelSelectorText,
  matchLabels,
} from "./label-selector.ts";
import invalidSelectors from "./vectors/label-selector-invalid.json" with { type: "json" };
import matches from "./vectors/label-selector-match.json" with { type: "json" };
import texts from "./vectors/label-selector-string.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(matches)("$selector on $labels: $expected", ({ selector, labels, expected }) => {
    expect(matchLabels(compiled(selector), labels)).toBe(expected);
    expect(explainLabels("selector", compiled(selector), labels).matched).toBe(expected);
  });
  test.each(invalidSelectors)("$selector is refused", ({ selector }) => {
    expect(compileLabelSelector(selector).ok).toBe(false);
  });
  test.each(texts)("$selector is written $string", ({ selector, string }) => {
    expect(labelSelectorText(compiled(selector))).toBe(string);
  });
});

describe("compileLabelSelector", () => {
  test("takes an absent selector for one that matches nothing", () => {
    expect(matchLabels(compiled(null), { a: "b" })).toBe(false);
    expect(matchLabels(compiled(undefined), undefined)).toBe(false);
  });

  test.each([
    ["a list", [], "selector", "must be an object, not a list"],
    ["a number", 5, "selector", "must be an object, not the number 5"],
    [
      "matchLabels as a list",
      { matchLabels: ["a"] },
      "selector.matchLabels",
      "must be an object of label keys and values, not a list",
    ],
    [
      "a label that is a number",
      { matchLabels: { a: 1 } },
      'selector.matchLabels["a"]',
      "must be a text, not the number 1; put it in quotes",
    ],
    [
      "a label that is null",
      { matchLabels: { a: null } },
      'selector.matchLabels["a"]',
      "must be a text, not nothing; put it in quotes",
    ],
    [
      "matchExpressions as an object",
      { matchExpressions: {} },
      "selector.matchExpressions",
      "must be a list, not an object",
    ],
    [
      "an expression that is a text",
      { matchExpressions: ["a"] },
      "selector.matchExpressions[0]",
      'must be an object with key and operator, not "a"',
    ],
    [
      "values as a text",
      { matchExpressions: [{ key: "a", operator: "In", values: "b" }] },
      "selector.matchExpressions[0].values",
      'must be a list of texts, not "b"',
    ],
    [
      "a value that is true",
      { matchExpressions: [{ key: "a", operator: "In", values: [true] }] },
      "selector.matchExpressions[0].values[0]",
      "must be a text, not the boolean true; put it in quotes",
    ],
    [
      "a missing key",
      { matchExpressions: [{ operator: "Exists" }] },
      "selector.matchExpressions[0].key",
      "must be a text, not nothing",
    ],
    [
      "an inherited operator name",
      { matchExpressions: [{ key: "a", operator: "constructor" }] },
      "selector.matchExpressions[0].operator",
      'must be one of In, NotIn, Exists, DoesNotExist, not "constructor"',
    ],
  ])("answers %s with a problem at its path", (_what, selector, path, message) => {
    expect(compileLabelSelector(selector)).toEqual({ ok: false, problems: [{ path, message }] });
  });

  test("lists the faults of all parts at once, each at its path", () => {
    const result = compileLabelSelector(
      {
        matchLabels: { "a b": "c" },
        matchExpressions: [
          { key: "-", operator: "In", values: [] },
          { key: "ok", operator: "Exists", values: ["x y"] },
        ],
      },
      "spec.selector",
    );
    expect(result.ok ? [] : result.problems.map(({ path }) => path)).toEqual([
      'spec.selector.matchLabels["a b"]',
      "spec.selector.matchExpressions[0].key",
      "spec.selector.matchExpressions[0].values",
      "spec.selector.matchExpressions[1].values",
      "spec.selector.matchExpressions[1].values[0]",
    ]);
  });

  test("compiles 10,000 expressions and stops listing faults at the limit", () => {
    const good = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, operator: "DoesNotExist" }));
    expect(matchLabels(compiled({ matchExpressions: good }), { k9999: "" })).toBe(false);
    expect(matchLabels(compiled({ matchExpressions: good }), { other: "" })).toBe(true);
    const bad = good.map((expression) => ({ ...expression, operator: "?" }));
    const result = compileLabelSelector({ matchExpressions: bad });
    expect(result.ok ? 0 : result.problems.length).toBe(PROBLEMS_MAX);
  });

  test("compiles a megabyte of values", () => {
    const values = Array.from({ length: 1 << 17 }, (_, index) => `v${index}`);
    const selector = compiled({ matchExpressions: [{ key: "a", operator: "In", values }] });
    expect(matchLabels(selector, { a: "v131071" })).toBe(true);
    expect(matchLabels(selector, { a: "v131072" })).toBe(false);
    expect(explainLabels("s", selector, { a: "x" }).because.length).toBeLessThan(300);
  });
});

describe("labels named like inherited properties", () => {
  const inherited = ["constructor", "toString", "hasOwnProperty", "valueOf"];
  test.each(inherited)("%s is absent until it is set", (key) => {
    const exists = compiled({ matchExpressions: [{ key, operator: "Exists" }] });
    const missing = compiled({ matchExpressions: [{ key, operator: "DoesNotExist" }] });
    const notIn = compiled({ matchExpressions: [{ key, operator: "NotIn", values: ["a"] }] });
    expect(matchLabels(exists, {})).toBe(false);
    expect(matchLabels(missing, {})).toBe(true);
    expect(matchLabels(notIn, {})).toBe(true);
    expect(matchLabels(exists, { [key]: "" })).toBe(true);
    expect(matchLabels(notIn, { [key]: "a" })).toBe(false);
  });

  test("__proto__ as a prefix-less key is refused, and as a label of an object harms nothing", () => {
    const hostile: unknown = JSON.parse('{"matchLabels": {"__proto__": "a"}}');
    expect(compileLabelSelector(hostile).ok).toBe(false);
    expect(matchLabels(compiled({ matchLabels: { a: "b" } }), JSON.parse('{"__proto__": {"a": "b"}}'))).toBe(false);
  });
});

describe("explainLabels", () => {
  const selector = compiled({
    matchLabels: { app: "web" },
    matchExpressions: [
      { key: "zone", operator: "In", values: ["b", "a"] },
      { key: "gpu", operator: "DoesNotExist" },
    ],
  });
  test.each([
    [{ app: "web", zone: "a" }, true, "the labels meet app=web,!gpu,zone in (a,b)"],
    [{ app: "db", zone: "a" }, false, 'label app is "db", but app=web is asked'],
    [{ app: "web" }, false, "label zone is absent, but zone in (a,b) is asked"],
    [{ app: "web", zone: "a", gpu: "" }, false, 'label gpu is "", but !gpu is asked'],
  ])("of %j says %s", (labels, matched, because) => {
    expect(explainLabels("variants[0]", selector, labels)).toEqual({ rule: "variants[0]", matched, because });
  });
  test("names the two selectors without requirements", () => {
    expect(explainLabels("s", compiled(null), {}).because).toBe("there is no selector, so nothing matches");
    expect(explainLabels("s", compiled({}), {}).because).toBe("the selector is empty, so everything matches");
  });
});

function compiled(selector: unknown): LabelSelector {
  const result = compileLabelSelector(selector);
  if (!result.ok) throw new Error(`not a selector: ${JSON.stringify(result.problems)}`);
  return result.value;
}
