// How files look: their words, names, sizes and types.
import type { RuleCases } from "./rule-case.ts";

const core = "src/core/a.ts";
const kube = "src/kube/a.ts";
const concept = { bad: "", good: "", goodPath: "src/core/kernel-rule.ts" };

const lines = (count: number) => "export const a = 1;\n".repeat(count);
const longFunction = (count: number) => `export function f(): void {\n${"  f();\n".repeat(count)}}\n`;

export const formCases: RuleCases = {
  "rooms keep their words": [
    { path: kube, bad: "const kernelCache = 1;", good: "const objectCache = 1;", says: /says "kernel"/ },
    {
      path: "src/runtime/a.ts",
      bad: "// one lease per VariantSet",
      good: "// one lease per replica",
      says: /not the business of runtime/,
    },
  ],
  "files are named for concepts": [
    { ...concept, path: "src/core/utils.ts", says: /"utils"/ },
    { ...concept, path: "src/core/kernelRule.ts", says: /not kebab-case/ },
  ],
  "declarations are named for concepts": [
    { path: core, bad: "export class CacheManager {}", good: "export class Cache {}", says: /"manager"/ },
    { path: core, bad: "export const data = 1;", good: "export const revisionData = 1;", says: /says nothing/ },
  ],
  "files stay small": [{ path: core, bad: lines(401), good: lines(300), says: /401 lines/ }],
  "functions fit a screen": [
    { path: core, bad: longFunction(59), good: longFunction(58), says: /f\(\) has 61 lines/ },
    { path: "tools/a.mjs", bad: `f = () => {${"\n".repeat(60)}}`, good: "f = () => {}", says: /61 lines/ },
  ],
  "types are earned": [
    { path: core, bad: "const a = f() as string;", good: 'const a = ["x"] as const;', says: /claims a type/ },
  ],
};
