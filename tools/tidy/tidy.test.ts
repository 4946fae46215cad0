// Each rule is shown to fail on the smallest file that breaks it, and to pass its neighbour that does not.
import { describe, expect, test } from "vitest";
import { readSource } from "./source-file.ts";
import { rules } from "./tidy.ts";

type Case = {
  readonly rule: keyof typeof rules;
  readonly path: string;
  readonly bad: string;
  readonly good: string;
  readonly says: RegExp;
};

const lines = (count: number) => "export const a = 1;\n".repeat(count);
const longFunction = (count: number) => `export function f(): void {\n${"  f();\n".repeat(count)}}\n`;
const host = ["registry", "npmjs", "org"].join(".");
const local = (folder: string) => ["", folder, "me", "farrier"].join("/");

const cases: readonly Case[] = [
  {
    rule: "imports point towards the core",
    path: "src/core/a.ts",
    bad: 'import "../kube/b.ts";',
    good: 'import "./b.ts";',
    says: /core\/ may not import kube\//,
  },
  {
    rule: "imports point towards the core",
    path: "src/kinds/module/a.ts",
    bad: 'import "../variant-set/b.ts";',
    good: 'import "./b.ts";',
    says: /what two kinds share belongs to core/,
  },
  {
    rule: "imports point towards the core",
    path: "src/kube/a.ts",
    bad: 'import "../runtime/b.ts";',
    good: 'import "./b.ts";',
    says: /kube\/ may not import runtime\//,
  },
  {
    rule: "imports point towards the core",
    path: "src/runtime/a.ts",
    bad: 'import "../core/b.ts";',
    good: 'import "../kube/b.ts";',
    says: /runtime\/ may not import core\//,
  },
  {
    rule: "imports point towards the core",
    path: "src/cli/a.ts",
    bad: 'import "../controllers/b.ts";',
    good: 'import "../kinds/b.ts";',
    says: /cli\/ may not import controllers\//,
  },
  {
    rule: "imports point towards the core",
    path: "src/controllers/a.ts",
    bad: 'import "../../sim/b.ts";',
    good: 'import "../kinds/b.ts";',
    says: /may not import sim\//,
  },
  {
    rule: "imports point towards the core",
    path: "src/kube/a.ts",
    bad: 'export const f = () => import("../core/b.ts");',
    good: 'export const f = () => import("./b.ts");',
    says: /may not import core\//,
  },
  {
    rule: "imports point towards the core",
    path: "src/core/a.ts",
    bad: 'import "left-pad";',
    good: 'import "re2js";',
    says: /may not use the package left-pad; it may use: re2js/,
  },
  {
    rule: "imports point towards the core",
    path: "src/core/a.ts",
    bad: 'import "../../tools/b.ts";',
    good: 'import "./b.ts";',
    says: /outside the rooms/,
  },
  {
    rule: "no barrels",
    path: "src/core/a.ts",
    bad: 'export * from "./b.ts";\nexport { c } from "./c.ts";',
    good: 'export { c } from "./c.ts";\nexport const d = 1;',
    says: /only hands on/,
  },
  {
    rule: "node: stays at the edge",
    path: "src/core/a.ts",
    bad: 'import "node:fs";',
    good: 'import "./fs.ts";',
    says: /imports node:fs/,
  },
  {
    rule: "node: stays at the edge",
    path: "src/kube/a.ts",
    bad: 'import "node:https";',
    good: "export {};",
    says: /imports node:https/,
  },
  {
    rule: "time and chance come in as arguments",
    path: "src/kube/a.ts",
    bad: "export const f = () => Math.random();",
    good: "export const f = () => Math.floor(1.5);",
    says: /take a Rand/,
  },
  {
    rule: "time and chance come in as arguments",
    path: "src/runtime/a.ts",
    bad: "export const f = () => setTimeout(f, 1);",
    good: "export const f = (setTimeout: () => void) => setTimeout();",
    says: /uses setTimeout; take Clock.after/,
  },
  {
    rule: "time and chance come in as arguments",
    path: "src/core/a.ts",
    bad: "export const f = () => Date.now();",
    good: "export const f = (at: number) => new Date(at);",
    says: /uses Date.now/,
  },
  {
    rule: "time and chance come in as arguments",
    path: "src/core/a.ts",
    bad: "export const f = () => new Date();",
    good: "export const f = (now: Date) => now;",
    says: /time of day/,
  },
  {
    rule: "time and chance come in as arguments",
    path: "src/cli/a.ts",
    bad: "export const f = () => process.env;",
    good: "export const f = (o: { process: 1 }) => o.process;",
    says: /uses process/,
  },
  {
    rule: "loading core and kinds has no effect",
    path: "src/core/a.ts",
    bad: "register();",
    good: "export const table = new Map([[1, 2]]);",
    says: /runs when the file is loaded/,
  },
  {
    rule: "loading core and kinds has no effect",
    path: "src/kinds/module/a.ts",
    bad: "let memo = 0;",
    good: "const memo = 0;",
    says: /keeps state/,
  },
  {
    rule: "loading core and kinds has no effect",
    path: "src/core/a.ts",
    bad: "const a = parse(text());",
    good: "const a = () => parse(text());",
    says: /computes something/,
  },
  {
    rule: "core and kinds do not wait",
    path: "src/core/a.ts",
    bad: "export async function f() {}",
    good: "export function f() {}",
    says: /asynchronous/,
  },
  {
    rule: "rooms keep their words",
    path: "src/kube/a.ts",
    bad: "export const kernelCache = 1;",
    good: "export const objectCache = 1;",
    says: /says "kernel"/,
  },
  {
    rule: "rooms keep their words",
    path: "src/runtime/a.ts",
    bad: "// one lease per VariantSet",
    good: "// one lease per replica",
    says: /not the business of runtime/,
  },
  { rule: "files are named for concepts", path: "src/core/utils.ts", bad: "", good: "", says: /"utils"/ },
  { rule: "files are named for concepts", path: "src/core/kernelRule.ts", bad: "", good: "", says: /not kebab-case/ },
  {
    rule: "declarations are named for concepts",
    path: "src/core/a.ts",
    bad: "export class CacheManager {}",
    good: "export class Cache {}",
    says: /"manager"/,
  },
  {
    rule: "declarations are named for concepts",
    path: "src/core/a.ts",
    bad: "export const data = 1;",
    good: "export const revisionData = 1;",
    says: /says nothing/,
  },
  { rule: "files stay small", path: "src/core/a.ts", bad: lines(401), good: lines(300), says: /401 lines/ },
  {
    rule: "functions fit a screen",
    path: "src/core/a.ts",
    bad: longFunction(59),
    good: longFunction(58),
    says: /f\(\) has 61 lines/,
  },
  {
    rule: "types are earned",
    path: "src/core/a.ts",
    bad: "export const a = f() as string;",
    good: 'export const a = ["x"] as const;',
    says: /claims a type/,
  },
  {
    rule: "nothing is switched off",
    path: "src/core/a.test.ts",
    bad: 'test.only("x", f);',
    good: 'test.skipIf(noGo)("x", f);',
    says: /test.only/,
  },
  {
    rule: "nothing is switched off",
    path: "src/core/a.ts",
    bad: `// ${["@ts", "ignore"].join("-")}`,
    good: "// fine",
    says: /silences the compiler/,
  },
  {
    rule: "no registry hosts",
    path: "package-lock.json",
    bad: `{"resolved":"https://${host}/zod"}`,
    good: '{"version":"1.0.0"}',
    says: /registry host/,
  },
  {
    rule: "no machine paths",
    path: "docs/a.md",
    bad: `see ${local("home")}`,
    good: "see /var/lib/kubelet and ../docs/a.md",
    says: /path of one machine/,
  },
  {
    rule: "no machine paths",
    path: "docs/a.md",
    bad: `cd ${local("work")}`,
    good: "https://example.com/work/a",
    says: /path of one machine/,
  },
];

const complaints = (each: Case, text: string, path = each.path) =>
  rules[each.rule]?.(readSource(path, text)).filter((finding) => finding.level === "stop") ?? [];

describe.each(cases)("$rule: $bad", (each) => {
  test("is reported with a remedy", () => {
    expect(
      complaints(each, each.bad)
        .map((finding) => finding.message)
        .join("\n"),
    ).toMatch(each.says);
  });

  test("leaves its proper neighbour alone", () => {
    const path = each.rule === "files are named for concepts" ? "src/core/kernel-rule.ts" : each.path;
    expect(complaints(each, each.good, path)).toEqual([]);
  });
});

test("every rule is shown to fail by some case", () => {
  expect(Object.keys(rules).filter((rule) => !cases.some((each) => each.rule === rule))).toEqual([]);
});

test("a file of 301 lines is warned of, and a generated one may be of any length", () => {
  const [warning] = rules["files stay small"]?.(readSource("src/core/a.ts", lines(301))) ?? [];
  expect(warning?.level).toBe("warn");
  expect(rules["files stay small"]?.(readSource("src/core/a.generated.ts", lines(900)))).toEqual([]);
});

test("bindings may use Node, and tests may use the simulation", () => {
  const binding = readSource(
    "src/runtime/node-clock.ts",
    'import "node:timers";\nexport const f = () => setTimeout(f, Date.now());',
  );
  const usingSim = readSource("src/kube/a.test.ts", 'import "../../sim/virtual-clock.ts";');
  expect(Object.values(rules).flatMap((rule) => [...rule(binding), ...rule(usingSim)])).toEqual([]);
});

test("a finding points to its line", () => {
  const [finding] =
    rules["core and kinds do not wait"]?.(
      readSource("src/core/a.ts", "// one\n// two\nexport async function f() {}\n"),
    ) ?? [];
  expect(finding?.line).toBe(3);
});
