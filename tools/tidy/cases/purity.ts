// What core/ and kinds/ may not do: act when they are loaded, keep state, wait.
import type { RuleCases } from "./rule-case.ts";

const core = "src/core/a.ts";
const kind = "src/kinds/module/a.ts";

export const purityCases: RuleCases = {
  "loading core and kinds has no effect": [
    { path: core, bad: "register();", good: "const table = new Map([[1, 2]]);", says: /runs when the file is loaded/ },
    { path: core, bad: "const a = parse(text());", good: "const a = () => parse(text());", says: /computes something/ },
    {
      path: core,
      bad: "const a = [1].map((x) => side(x));",
      good: "const a = [1].map((x) => [x, x + 1]);",
      says: /computes something/,
    },
    { path: core, bad: "const a = [1].map(side);", good: "const a = [1].map(String);", says: /computes something/ },
    { path: core, bad: "const a = side().map((x) => x);", good: "const a = rows.map((x) => x);", says: /computes/ },
    {
      path: core,
      bad: "const a = Array.from({ length: 9 }, (_, n) => { seen[n] = n; return n; });",
      good: "const a = Array.from({ length: 9 }, (_, n) => { let c = n; for (const k of [1, 2]) c ^= k; return c; });",
      says: /computes something/,
    },
    { path: core, bad: "export class A { static x = side(); }", good: "class A { x = side(); }", says: /computes/ },
    { path: core, bad: "class A { static { side(); } }", good: "class A { static f() { side(); } }", says: /computes/ },
    { path: core, bad: "class A extends side() {}", good: "class A extends Error {}", says: /computes something/ },
    { path: core, bad: "class A { [side()] = 1; }", good: 'class A { ["x"] = 1; }', says: /computes something/ },
    { path: core, bad: "const { a = side() } = {};", good: "const { a = 1 } = b;", says: /computes something/ },
    { path: core, bad: "enum A { B }", good: "type A = 1;", says: /runs when the file is loaded/ },
    { path: core, bad: 'import "./effect.ts";', good: 'import { a } from "./effect.ts";', says: /for its effect/ },
    { path: core, bad: 'export {} from "./effect.ts";', good: 'import type {} from "./a.ts";', says: /for its effect/ },
    { path: core, bad: "export default side();", good: "export default () => side();", says: /computes something/ },
    { path: core, bad: "const a = (() => side())();", good: "const a = (() => side);", says: /computes something/ },
    { path: core, bad: "const a = side`x`;", good: "const a = `x`;", says: /computes something/ },
    { path: core, bad: "const a = new Queue();", good: 'const a = new Set(["a"]);', says: /computes something/ },
    {
      path: kind,
      bad: "const a = z.string().transform(side).parse(1);",
      good: "const a = z.string().transform(side).optional();",
      says: /computes something/,
    },
    {
      path: kind,
      bad: "const a = z.object({ b: side() });",
      good: "const a = z.object({ b: imageSchema.optional().refine((x) => side(x)) });",
      says: /computes something/,
    },
  ],
  "core and kinds keep no state": [
    { path: kind, bad: "let memo = 0;", good: "const memo = 0;", says: /keeps state/ },
    { path: core, bad: "const cache = new Map();", good: "const f = () => new Map();", says: /cache starts empty/ },
    { path: core, bad: "const seen = new WeakSet([]);", good: "const seen = new Set([1]);", says: /seen starts empty/ },
    {
      path: core,
      bad: "const seen: string[] = [];",
      good: "const none: readonly string[] = [];",
      says: /starts empty/,
    },
    { path: core, bad: "const a: Memo = {};", good: "const a: Labels = Object.freeze({});", says: /starts empty/ },
    { path: core, bad: "const a = Object.fromEntries([]);", good: "const a = [] as const;", says: /starts empty/ },
    {
      path: core,
      bad: "const a = Object.freeze({ cache: new Map() });",
      good: "const a: ReadonlyMap<string, A> = new Map();",
      says: /starts empty/,
    },
    {
      path: core,
      bad: "const state = { n: 0 };\nconst f = () => { state.n += 1; };",
      good: "const limit = { n: 0 };\nconst f = () => limit.n + 1;",
      says: /changes state/,
    },
    {
      path: core,
      bad: "const state = { n: 0 };\nconst f = () => { const s = state; s.n += 1; };",
      good: "const limit: Limit = { n: 0 };\nconst f = () => g(limit);",
      says: /through another name/,
    },
    {
      path: core,
      bad: "export const a = { n: 0 };",
      good: "export const a = { n: 0 } as const;",
      says: /another name/,
    },
    {
      path: core,
      bad: "export const a = new Map([[1, 2]]);",
      good: "export const a: ReadonlyMap<number, number> = new Map([[1, 2]]);",
      says: /another name/,
    },
    {
      path: core,
      bad: "const a: List = [1];\nconst f = () => a.push(2);",
      good: "const a: List = [1];\nconst f = (a: number[]) => a.push(2);",
      says: /changes a/,
    },
    {
      path: core,
      bad: "const a = new Map([[1, [2]]]);\nconst f = () => a.get(1)?.push(3);",
      good: "const a = { add: (b: number) => b };\nconst f = () => a.add(3);",
      says: /changes a/,
    },
    {
      path: core,
      bad: "const a: A = { n: 1 };\nconst f = () => Object.assign(a, { n: 2 });",
      good: "const a: A = { n: 1 };\nconst f = () => ({ ...a, n: 2 });",
      says: /changes a/,
    },
    {
      path: core,
      bad: "function f() { f.calls = 1; }",
      good: "function f() { const f = { calls: 0 }; f.calls = 1; }",
      says: /changes f/,
    },
    { path: core, bad: "class A { static n = 0; }", good: "class A { static readonly n = 0; }", says: /in a class/ },
    {
      path: core,
      bad: "class A { static readonly memo = new Map(); }",
      good: "class A { readonly memo = new Map(); }",
      says: /memo starts empty/,
    },
  ],
  "core and kinds do not wait": [
    { path: core, bad: "async function f() {}", good: "function f() {}", says: /asynchronous/ },
    { path: core, bad: "Promise.resolve().then(f);", good: "({ Promise: 1 }).Promise;", says: /asynchronous/ },
    { path: core, bad: "type F = () => Promise<void>;", good: "type F = () => void;", says: /asynchronous/ },
    { path: core, bad: "queueMicrotask(f);", good: "queue(f);", says: /asynchronous/ },
    { path: core, bad: 'const f = () => import("./b.ts");', good: 'import { b } from "./b.ts";', says: /asynchronous/ },
  ],
};
