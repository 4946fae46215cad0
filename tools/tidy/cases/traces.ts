// Traces of a machine, and checks that somebody switched off. Texts that other rules look for are put together here.
import type { RuleCases } from "./rule-case.ts";

const doc = "docs/a.md";
const tested = "src/core/a.test.ts";
const dotted = (...parts: string[]) => parts.join(".");
const local = (...parts: string[]) => ["", ...parts].join("/");

export const traceCases: RuleCases = {
  "no registry hosts": [
    {
      path: "package-lock.json",
      bad: `{"resolved":"https://${dotted("registry", "npmjs", "org")}/zod"}`,
      good: '{"version":"1.0.0"}',
      says: /registry host/,
    },
  ],
  "no machine paths": [
    {
      path: doc,
      bad: `see ${local("home", "me", "a")}`,
      good: "see /var/lib/kubelet and ../a.md",
      says: /one machine/,
    },
    { path: doc, bad: `cd ${local("work", "me")}`, good: "https://example.com/work/a", says: /one machine/ },
  ],
  "nothing is switched off": [
    { path: tested, bad: 'test.only("x", f);', good: 'test.skipIf(noGo)("x", f);', says: /test.only/ },
    { path: tested, bad: `// ${["@ts", "ignore"].join("-")}`, good: "// fine", says: /silences the compiler/ },
  ],
};
