// The clock, chance, the process and Node's modules, in every spelling that reaches them.
import type { RuleCases } from "./rule-case.ts";

const core = "src/core/a.ts";
const reachTheMachine =
  "setInterval setImmediate clearTimeout clearInterval clearImmediate performance Atomics navigator fetch XMLHttpRequest EventSource MessageChannel BroadcastChannel Worker crypto console localStorage sessionStorage";

export const machineCases: RuleCases = {
  "node: stays at the edge": [
    { path: core, bad: 'import "node:fs";', good: 'import "./fs.ts";', says: /imports node:fs/ },
    { path: "src/kube/a.ts", bad: 'import "node:https";', good: "export {};", says: /imports node:https/ },
    { path: core, bad: 'type S = import("node:fs").Stats;', good: "type S = Stats;", says: /imports node:fs/ },
  ],
  "time and chance come in as arguments": [
    { path: core, bad: "f(Math.random());", good: "f(Math.floor(1.5));", says: /uses Math.random freely; take a Rand/ },
    { path: core, bad: 'Math["random"]();', good: 'Math["floor"](1);', says: /take a Rand/ },
    { path: core, bad: "Math[`random`]();", good: "Math[`floor`](1);", says: /take a Rand/ },
    { path: core, bad: "Math[x]();", good: "x[Math.PI]();", says: /take a Rand/ },
    { path: core, bad: "const { random } = Math;", good: "const { random } = source;", says: /take a Rand/ },
    {
      path: "src/runtime/a.ts",
      bad: "export const f = () => setTimeout(f, 1);",
      good: "export const f = (setTimeout: () => void) => setTimeout();",
      says: /uses setTimeout; take Clock.after/,
    },
    { path: core, bad: "Date.now();", good: "const f = (at: number) => new Date(at);", says: /uses Date.now/ },
    { path: core, bad: "new Date();", good: "const f = (now: Date) => now;", says: /take a Clock or the time/ },
    { path: core, bad: "Date();", good: 'Date.parse("2026-01-01T00:00:00Z");', says: /uses Date freely/ },
    { path: core, bad: "const D = Date;", good: "type D = Date;", says: /uses Date freely/ },
    { path: core, bad: "const { now } = Date;", good: "const { now } = clock;", says: /uses Date freely/ },
    { path: core, bad: 'Date["now"]();', good: 'Date["UTC"](2026, 1);', says: /uses Date.now/ },
    { path: core, bad: "new Date(...[]);", good: "new Date(at);", says: /uses Date freely/ },
    { path: core, bad: "new Date(2026, 1);", good: "new Date(Date.UTC(2026, 1));", says: /uses Date freely/ },
    { path: core, bad: "new Clock(Date);", good: "a instanceof Date;", says: /uses Date freely/ },
    { path: "src/cli/a.ts", bad: "process.env;", good: "(o: { process: 1 }) => o.process;", says: /uses process/ },
    { path: core, bad: "(process as Env).env;", good: "(a as typeof process).env;", says: /uses process/ },
    { path: core, bad: "export { process };", good: "export { a as process };", says: /uses process/ },
    {
      path: core,
      bad: "const f = (process: P) => process.x; process.exit();",
      good: "const f = (process: P) => { if (process) g(() => process.exit()); };",
      says: /uses process/,
    },
    {
      path: core,
      bad: "{ const process = 1; } process.exit();",
      good: "{ const { a: [process = 1] } = b; f(process); }",
      says: /uses process/,
    },
    {
      path: core,
      bad: "declare const process: P; f(process);",
      good: "const process = p; f(process);",
      says: /process/,
    },
    { path: core, bad: "globalThis.process;", good: "o.globalThis;", says: /uses globalThis/ },
    { path: core, bad: "globalThis.setTimeout(f);", good: "clock.setTimeout(f);", says: /uses globalThis/ },
    { path: core, bad: "global.Date.now();", good: "({ global: 1 });", says: /uses global;/ },
    { path: core, bad: "window.fetch(a);", good: "(window: W) => window.a;", says: /uses window/ },
    { path: core, bad: "self.fetch(a);", good: "const self = a; self.b();", says: /uses self/ },
    { path: core, bad: "Temporal.Now.instant();", good: "clock.Temporal;", says: /uses Temporal/ },
    { path: core, bad: "new Intl.DateTimeFormat();", good: "o.Intl;", says: /uses Intl/ },
    {
      path: "src/kube/a.ts",
      bad: "AbortSignal.timeout(1);",
      good: "AbortSignal.any([a, b]);",
      says: /take Clock.after/,
    },
    { path: core, bad: "new WebSocket(url);", good: "(socket: WebSocket) => socket;", says: /take Transport/ },
    { path: core, bad: 'eval("1");', good: "o.eval();", says: /uses eval/ },
    { path: core, bad: 'new Function("return 1");', good: "(f: Function) => f;", says: /uses Function/ },
    { path: core, bad: "try {} catch (e) { self(e); }", good: "try {} catch (self) { f(self); }", says: /uses self/ },
    { path: core, bad: "for (const a of self) f(a);", good: "for (const self of b) f(self);", says: /uses self/ },
    { path: core, bad: "f(class A { b = self; });", good: "f(class self { b = self; });", says: /uses self/ },
    { path: core, bad: "f(b[Math]);", good: "f(b[Math.PI]);", says: /uses Math freely/ },
    ...reachTheMachine.split(" ").map((name) => ({
      path: core,
      bad: `f(${name});`,
      good: `f(a.${name});`,
      says: new RegExp(`uses ${name}; take`),
    })),
    { path: core, bad: "import.meta.dirname;", good: "function f() { return new.target; }", says: /uses import.meta/ },
  ],
};
