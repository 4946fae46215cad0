// How files look: their words, names, sizes and types.
import type { RuleCases } from "./rule-case.ts";

const core = "src/core/a.ts";
const kube = "src/kube/a.ts";
const concept = { bad: "", good: "", goodPath: "src/core/kernel/kernel-rule.ts" };

const lines = (count: number) => "export const a = 1;\n".repeat(count);
const longFunction = (count: number) => `export function f(): void {\n${"  f();\n".repeat(count)}}\n`;

export const formCases: RuleCases = {
  "rooms keep their words": [
    { path: kube, bad: "const kernelCache = 1;", good: "const objectCache = 1;", says: /says "kernel"/ },
    { path: kube, bad: "// a kernel", good: "// a kernel", goodPath: "src/kube/a.test.ts", says: /says "kernel"/ },
    { path: kube, bad: "const KERNEL_X = 1;", good: "const X = 1;", says: /says "kernel"/ },
    { path: kube, bad: "const KERNELVersion = 1;", good: "const version = 1;", says: /says "kernel"/ },
    { path: kube, bad: "const my_kernel_x = 1;", good: "const my_x = 1;", says: /says "kernel"/ },
    { path: kube, bad: "const kernelversion = 1;", good: "const version = 1;", says: /says "kernel"/ },
    { path: kube, bad: "const farrier_x = 1;", good: "const name = 1;", says: /says "farrier"/ },
    { path: "src/kube/kernel-cache.ts", bad: "", good: "", goodPath: "src/kube/cache/cache.ts", says: /says "kernel"/ },
    { path: kube, bad: "const nodeModule = 1;", good: 'import "node:module"; // an ES module', says: /says "module"/ },
    { path: kube, bad: "// each variant", good: "// an invariant, checkInvariant", says: /says "variant"/ },
    { path: kube, bad: "const PATCH_SET = 1;", good: "// the patch settles", says: /says "patch set"/ },
    {
      path: "src/runtime/a.ts",
      bad: "// one lease per VariantSet",
      good: "// one lease per replica",
      says: /not the business of runtime/,
    },
  ],
  "files are named for concepts": [
    { ...concept, path: "docs/code_of_conduct.md", goodPath: "CODE_OF_CONDUCT.md", says: /not kebab-case/ },
    {
      ...concept,
      path: ".github/issue_template.md",
      goodPath: ".github/pull_request_template.md",
      says: /not kebab-case/,
    },
    { ...concept, path: "src/core/utils.ts", says: /"utils"/ },
    ...["util", "helper", "impl", "services", "misc"].map((word) => ({
      ...concept,
      path: `src/core/rule-${word}.ts`,
      says: new RegExp(`"${word}"`),
    })),
    { ...concept, path: "src/core/kernelRule.ts", says: /not kebab-case/ },
    { ...concept, path: "src/core/node-data.ts", says: /"data"/ },
    { ...concept, path: "src/core/node-info.ts", says: /"info"/ },
    { ...concept, path: "src/kube/x-service.ts", goodPath: "src/kube/service-account.ts", says: /"service"/ },
    { ...concept, path: "src/core/common-things.ts", says: /"common"/ },
    { ...concept, path: "src/core/rule.utils.ts", says: /"utils"/ },
    { ...concept, path: "src/common/rule.ts", says: /"common"/ },
    { ...concept, path: "src/core/vectors/FooUtils.ts", goodPath: "src/core/vectors/Foo.json", says: /not kebab-case/ },
    { ...concept, path: "src/core/vectors/FooUtils.json", goodPath: "deploy/_helpers.tpl", says: /"utils"/ },
  ],
  "declarations are named for concepts": [
    { path: core, bad: "export class CacheManager {}", good: "export class Cache {}", says: /"manager"/ },
    { path: core, bad: "const HTTPUtils = 1;", good: "const fieldManager = 1;", says: /"utils"/ },
    { path: core, bad: "let util;", good: "let util;", goodPath: "src/core/a.generated.ts", says: /"util"/ },
    { path: core, bad: "const HELPERS_X = 1;", good: "const X = 1;", says: /"helpers"/ },
    { path: core, bad: "export const data = 1;", good: "export const revisionData = 1;", says: /says nothing/ },
  ],
  "files stay small": [{ path: core, bad: lines(401), good: lines(300), says: /401 lines/ }],
  "functions fit a screen": [
    { path: core, bad: longFunction(59), good: longFunction(58), says: /f\(\) has 61 lines/ },
    { path: "tools/a.mjs", bad: `f = () => {${"\n".repeat(60)}}`, good: "f = () => {}", says: /61 lines/ },
  ],
  "types are earned": [
    { path: core, bad: "const a = f() as string;", good: 'const a = ["x"] as const;', says: /claims a type/ },
    { path: core, bad: "f() as A;", good: "f() as A;", goodPath: kube, says: /claims a type/ },
    { path: core, bad: "f() as A;", good: "f() as A;", goodPath: "src/core/a.test.ts", says: /claims a type/ },
    { path: core, bad: "const a = <string>f();", good: "const a = f<string>();", says: /claims a type/ },
  ],
};
