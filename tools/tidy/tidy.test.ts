// Each rule is shown to fail on the smallest file that breaks it, and to pass its neighbour that does not.
import { describe, expect, test } from "vitest";
import { formCases } from "./cases/form.ts";
import { importCases } from "./cases/imports.ts";
import { machineCases } from "./cases/machine.ts";
import { purityCases } from "./cases/purity.ts";
import { traceCases } from "./cases/traces.ts";
import { readSource } from "./source-file.ts";
import { type RuleName, repositoryRules, rules } from "./tidy.ts";

const ruleNames = Object.keys(rules).filter((name): name is RuleName => Object.hasOwn(rules, name));
const tables = [importCases, machineCases, purityCases, formCases, traceCases];
const casesOf = (rule: RuleName) => tables.flatMap((table) => table[rule] ?? []);

const complaints = (rule: RuleName, path: string, text: string) =>
  rules[rule](readSource(path, text)).filter((finding) => finding.level === "stop");

describe.each(ruleNames)("%s", (rule) => {
  test("is shown to fail by some case", () => {
    expect(casesOf(rule)).not.toEqual([]);
  });

  test.each(casesOf(rule))("$path with $bad is reported with a remedy", ({ path, bad, says }) => {
    const messages = complaints(rule, path, bad).map((finding) => finding.message);
    expect(messages.join("\n")).toMatch(says);
  });

  test.each(casesOf(rule))("$path with $good is left alone", ({ path, good, goodPath }) => {
    expect(complaints(rule, goodPath ?? path, good)).toEqual([]);
  });
});

test("every neighbour parses, so that no rule leaves it alone for want of a tree", () => {
  const torn = ruleNames.flatMap(casesOf).filter(({ path, good }) => readSource(path, good).syntaxErrors.length > 0);
  expect(torn.map((each) => each.good)).toEqual([]);
});

test("a file of 301 lines is warned of, and a generated one may be of any length", () => {
  const lines = (count: number) => "export const a = 1;\n".repeat(count);
  const [warning] = rules["files stay small"](readSource("src/core/a.ts", lines(301)));
  expect(warning?.level).toBe("warn");
  expect(rules["files stay small"](readSource("src/core/a.generated.ts", lines(900)))).toEqual([]);
});

test("a folder of 26 files is refused; tests, fixtures, vectors and folders below it do not count", () => {
  const folder = (count: number, beside: readonly string[]) =>
    [...Array.from({ length: count }, (_, at) => `src/core/json/part-${at}.ts`), ...beside].map((path) =>
      readSource(path, ""),
    );
  const beside = ["a.test.ts", "testing/b.ts", "vectors/c.ts", "deeper/d.ts", "e.json"].map(
    (name) => `src/core/json/${name}`,
  );
  const small = repositoryRules["folders stay small"];
  expect(small(folder(25, beside))).toEqual([]);
  expect(small(folder(26, []))).toMatchObject([{ level: "stop", message: /src\/core\/json\/ holds 26 files/ }]);
});

test("bindings may use Node, and tests may use the simulation", () => {
  const binding = readSource(
    "src/runtime/node/node-clock.ts",
    'import "node:timers";\nexport const f = () => setTimeout(f, Date.now());',
  );
  const usingSim = readSource("src/kube/a.test.ts", 'import "../../sim/virtual-clock.ts";');
  expect(Object.values(rules).flatMap((rule) => [...rule(binding), ...rule(usingSim)])).toEqual([]);
});

test("a finding points to its line", () => {
  const text = "// one\n// two\nexport async function kernel() {}\n";
  expect(rules["core and kinds do not wait"](readSource("src/core/a.ts", text))).toMatchObject([{ line: 3 }]);
  expect(rules["rooms keep their words"](readSource("src/kube/a.ts", text))).toMatchObject([{ line: 3 }]);
});
