// Traces of a machine, and checks that somebody switched off. Texts that other rules look for are put together here.
import type { RuleCases } from "./rule-case.ts";

const doc = "docs/a.md";
const tested = "src/core/a.test.ts";
const dotted = (...parts: string[]) => parts.join(".");
const local = (...parts: string[]) => ["", ...parts].join("/");
const ignore = ["biome", "ignore"].join("-");
const hostCase = (host: string) => ({
  path: doc,
  bad: `see https://${host}/x`,
  good: "see https://x.test",
  says: /registry/,
});

export const traceCases: RuleCases = {
  "no registry hosts": [
    {
      path: "package-lock.json",
      bad: `{"resolved":"https://${dotted("registry", "npmjs", "org")}/zod"}`,
      good: '{"version":"1.0.0"}',
      says: /registry host/,
    },
    {
      path: "package-lock.json",
      bad: '{"resolved": "https://a.test/b.tgz"}',
      good: '{"resolved": ""}',
      says: /registry/,
    },
    {
      path: ".npmrc",
      bad: "@a:registry=https://a.test",
      good: "omit-lockfile-registry-resolved=true",
      says: /registry/,
    },
    hostCase(dotted("REGISTRY", "NPMJS", "org")),
    hostCase(dotted("registry", "npmmirror", "com")),
    hostCase(dotted("registry", "yarnpkg", "com")),
    hostCase(dotted("npm", "pkg", "github", "com")),
    hostCase(dotted("goproxy", "cn")),
    hostCase(dotted("pypi", "org")),
    hostCase(dotted("a", "jfrog", "io")),
    hostCase(dotted("proxy", "golang", "org")),
    hostCase(dotted("sum", "golang", "org")),
    hostCase(dotted("files", "pythonhosted", "org")),
    hostCase(dotted("rubygems", "org")),
    hostCase(dotted("static", "crates", "io")),
    hostCase(dotted("deb", "debian", "org")),
    hostCase(dotted("archive", "ubuntu", "com")),
    hostCase(dotted("dl-cdn", "alpinelinux", "org")),
  ],
  "no machine paths": [
    {
      path: doc,
      bad: `see ${local("home", "me", "a")}`,
      good: "see /var/lib/kubelet and ../a.md",
      says: /one machine/,
    },
    { path: doc, bad: `cd ${local("work", "me")}`, good: "https://example.com/work/a", says: /one machine/ },
    { path: doc, bad: `cd ${local("tmp", "x")}`, good: "the default is /tmp", says: /one machine/ },
    { path: doc, bad: `\`${local("tmp", "$" + "{name}")}\``, good: "join(tmpdir(), name)", says: /one machine/ },
    { path: doc, bad: `cd ${local("root")}`, good: "cd /rootless", says: /one machine/ },
    { path: doc, bad: `cd ${local("home", "Me")}`, good: "home/Me", says: /one machine/ },
    { path: doc, bad: `cd ${local("Users", "Me")}`, good: "/Users", says: /one machine/ },
    { path: doc, bad: `file://${local("work", "a")}`, good: "file:///etc/a", says: /one machine/ },
  ],
  "nothing is switched off": [
    { path: tested, bad: `test.${"only"}("x", f);`, good: 'test.skipIf(noGo)("x", f);', says: /test.only/ },
    { path: tested, bad: "test.each([1]).skip('x', f);", good: "test.each([1])('x', f);", says: /test.each.skip/ },
    { path: tested, bad: "test.each`a`.skip('x', f);", good: "test.each`a`('x', f);", says: /test.each.skip/ },
    { path: tested, bad: "test.concurrent.skip('x', f);", good: "test.concurrent('x', f);", says: /concurrent.skip/ },
    { path: tested, bad: "describe.sequential.only('x', f);", good: "describe.sequential('x', f);", says: /l.only/ },
    { path: tested, bad: "test['skip']('x', f);", good: "list.skip('x', f);", says: /test.skip/ },
    { path: tested, bad: "test('x', { skip: true }, f);", good: "test('x', { retry: 1 }, f);", says: /option skip/ },
    { path: tested, bad: "test.skipIf(true)('x', f);", good: "test.skipIf(!go)('x', f);", says: /fixed condition/ },
    { path: tested, bad: `// ${["@ts", "ignore"].join("-")}`, good: "// fine", says: /silences the compiler/ },
    {
      path: tested,
      bad: `// ${ignore} lint/a/b: `,
      good: `// ${ignore} lint/a/b: the port needs it`,
      says: /a reason/,
    },
    {
      path: tested,
      bad: `// ${ignore} lint/a/b`,
      good: `// ${ignore} lint/a/b(x): the port needs it`,
      says: /a reason/,
    },
  ],
};
