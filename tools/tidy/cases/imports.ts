// Where files lie and what they may import.
import type { RuleCases } from "./rule-case.ts";

const core = "src/core/a.ts";
const kube = "src/kube/a.ts";
const unread = { bad: "", good: "", goodPath: core };

export const importCases: RuleCases = {
  "files parse": [
    { path: core, bad: "export const = 1;", good: "export const a = 1;", says: /does not parse/ },
    { path: "tools/a.mjs", bad: "const a: number = 1;", good: "const a = 1;", says: /does not parse/ },
  ],
  "files of src/ lie in rooms": [
    { ...unread, path: "src/foo.ts", says: /lies in no room/ },
    { ...unread, path: "src/new-room/foo.ts", says: /lies in no room/ },
    { ...unread, path: "src/main.tsx", says: /lies in no room/ },
    { ...unread, path: "src/core/a.mts", says: /write it as .ts/ },
    { ...unread, path: "src/core/a.cts", says: /write it as .ts/ },
    { ...unread, path: "src/core/a.tsx", says: /write it as .ts/ },
    { ...unread, path: "src/core/a.mjs", says: /write it as .ts/ },
    { ...unread, path: "src/core/a.js", goodPath: "tools/a.mjs", says: /write it as .ts/ },
    { ...unread, path: "sim/a.js", says: /write it as .ts/ },
    { ...unread, path: "src/core/a.sh", goodPath: "src/core/a.json", says: /TypeScript and data only/ },
    { ...unread, path: "src/start.ts", goodPath: "src/main.ts", says: /lies in no room/ },
    { ...unread, path: "src/start.test.ts", goodPath: "src/main.test.ts", says: /lies in no room/ },
  ],
  "imports point towards the core": [
    { path: core, bad: 'import "../kube/b.ts";', good: 'import "./b.ts";', says: /core\/ may not import kube\// },
    {
      path: "src/kinds/module/a.ts",
      bad: 'import "../variant-set/b.ts";',
      good: 'import "../schema/label-selector-schema.ts";',
      says: /what two kinds share belongs to core/,
    },
    { path: core, bad: 'import "../kube/b.ts";', good: 'import "../json/b.ts";', says: /may import: itself, json/ },
    { path: kube, bad: 'import "../core/b.ts";', good: 'import "../json/b.ts";', says: /may import: itself, json/ },
    { path: "src/json/a.ts", bad: 'import "../core/b.ts";', good: 'import "./b.ts";', says: /may import: itself$/ },
    {
      path: "src/cli/a.ts",
      bad: 'import "../json/b.ts";',
      good: 'import "../core/b.ts";',
      says: /may not import json/,
    },
    { path: kube, bad: 'import "../runtime/b.ts";', good: 'import "./b.ts";', says: /kube\/ may not import runtime\// },
    {
      path: "src/runtime/a.ts",
      bad: 'import "../core/b.ts";',
      good: 'import "../kube/b.ts";',
      says: /runtime\/ may not import core\//,
    },
    {
      path: "src/cli/a.ts",
      bad: 'import "../controllers/b.ts";',
      good: 'import "../kinds/b.ts";',
      says: /cli\/ may not import controllers\//,
    },
    {
      path: "src/controllers/a.ts",
      bad: 'import "../../sim/b.ts";',
      good: 'import "../kinds/b.ts";',
      says: /may not import sim\//,
    },
    {
      path: kube,
      bad: 'export const f = () => import("../core/b.ts");',
      good: 'export const f = () => import("./b.ts");',
      says: /may not import core\//,
    },
    {
      path: core,
      bad: 'export type X = import("../kube/x.ts").X;',
      good: 'export type X = import("./x.ts").X;',
      says: /may not import kube\//,
    },
    { path: core, bad: 'import "left-pad";', good: 'import "re2js";', says: /package left-pad; it may use: re2js/ },
    {
      path: "src/kinds/module/a.ts",
      bad: 'import "../all-kinds.ts";',
      good: 'import "./module/a.ts";',
      goodPath: "src/kinds/all-kinds.ts",
      says: /what two kinds share/,
    },
    { path: core, bad: 'import "vitest";', good: 'import "vitest";', goodPath: "src/core/a.test.ts", says: /vitest/ },
    { path: core, bad: 'import "yaml";', good: 'import "kubernetes-types/core/v1";', says: /package yaml/ },
    { path: core, bad: 'import "../../tools/b.ts";', good: 'import "./b.ts";', says: /outside the rooms/ },
    {
      path: "src/kinds/module/build/a.ts",
      bad: 'import "../../variant-set/api/b.ts";',
      good: 'import "../api/b.ts";',
      says: /module\/ may not import src\/kinds\/variant-set\/api/,
    },
    {
      path: "src/kinds/schema/a.ts",
      bad: 'import "../module/b.ts";',
      good: 'import "../forecast/b.ts";',
      says: /schema\/ may not import/,
    },
    {
      path: "src/kinds/module/a.test.ts",
      bad: 'import "../variant-set/b.ts";',
      good: 'import "../variant-set/b.ts";',
      goodPath: "src/kinds/schema/a.test.ts",
      says: /module\/ may not import/,
    },
    {
      path: "src/core/json/a.ts",
      bad: 'import "../../kube/cache/b.ts";',
      good: 'import "../hash/b.ts";',
      says: /core\/ may not import kube\//,
    },
    {
      path: core,
      bad: 'import "./testing/b.ts";',
      good: 'import "./testing/b.ts";',
      goodPath: "src/core/a.test.ts",
      says: /imports the fixture/,
    },
    {
      path: "sim/nodes/a.ts",
      bad: 'import "../scenarios/b.ts";',
      good: 'import "../nodes/b.ts";',
      goodPath: "sim/scenarios/a.ts",
      says: /sim\/ may not import scenarios\//,
    },
    { path: core, bad: 'import "./b.test.ts";', good: 'import "./b.ts";', says: /imports the test/ },
    { path: "bench/a.ts", bad: 'import "./b.test.ts";', good: 'import "../src/core/b.ts";', says: /imports the test/ },
  ],
  "imports can be read": [
    { path: core, bad: "const a = import(`node:fs`);", good: 'const a = import("./b.ts");', says: /computed name/ },
    { path: core, bad: 'const a = import("node:" + b);', good: 'const a = import("./b.ts");', says: /computed name/ },
    { path: kube, bad: 'require("node:fs");', good: "const f = (require: F) => require();", says: /by require/ },
    { path: kube, bad: "require(a);", good: "require(a);", goodPath: "bench/a.ts", says: /by require/ },
    { path: kube, bad: 'import fs = require("node:fs");', good: 'import fs from "./fs.ts";', says: /by require/ },
  ],
  "no barrels": [
    {
      path: core,
      bad: 'export * from "./b.ts";\nexport { c } from "./c.ts";',
      good: 'export { c } from "./c.ts";\nexport const d = 1;',
      says: /only hands on/,
    },
    {
      path: core,
      bad: 'import { b } from "./b.ts";\nexport { b };',
      good: 'import { b } from "./b.ts";\nconst c = b;\nexport { c };',
      says: /only hands on/,
    },
    {
      path: core,
      bad: 'import { b } from "./b.ts";\nexport default b;',
      good: 'import { b } from "./b.ts";\nexport default () => b;',
      says: /only hands on/,
    },
    { path: core, bad: 'export * from "./b.ts";\nexport {};', good: "export {};", says: /only hands on/ },
    {
      path: core,
      bad: 'export { b } from "./b.ts";\nexport type X = 1;',
      good: "export type X = 1;",
      says: /only hands on/,
    },
  ],
};
