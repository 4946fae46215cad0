import { expect, test } from "vitest";
import { diskOf, ScriptedPrograms } from "../../../sim/disk-of-texts.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { loadConfig } from "./config.ts";

const failureOf = async (text: string, wishes = {}) => {
  const parts = {
    files: diskOf({ "/k/config": text }),
    programs: new ScriptedPrograms(() => new Error("no program expected")),
    clock: new VirtualClock(),
    env: { KUBECONFIG: "/k/config" },
  };
  try {
    const config = await loadConfig(parts, wishes);
    await config.credentials.current();
  } catch (error) {
    return error as Error;
  }
  return expect.unreachable("it was accepted");
};

const lines = (...text: string[]) => text.join("\n");
const withUser = (user: string) => `
current-context: a
clusters: [{name: a, cluster: {server: "https://a.test"}}]
users: [{name: a, user: {${user}}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
`;
const withCluster = (cluster: string, user = "") => `
current-context: a
clusters: [{name: a, cluster: {${cluster}}}]
users: [{name: a, user: {${user}}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
`;

test.each([
  ["broken YAML", lines("users:", "- name: a", "  user: {token: s3cret"), "/k/config:3:"],
  ["a stray scalar", lines("users: []", "s3cret"), "/k/config:2:"],
  ["a key twice", lines("users: []", "users: []"), "/k/config:2:1: not valid YAML: duplicate key"],
  ["two documents", lines("users: []", "---", "users: []"), "not valid YAML: multiple docs"],
  ["an endless alias", "users: &a [*a, *a]", "/k/config:1:12: users[0] needs a name"],
  [
    "aliases that multiply",
    lines("a: &a [x, x]", ...["b", "c", "d", "e"].map((to, i) => `${to}: &${to} [${`*${"abcd"[i]}, `.repeat(9)}]`)),
    "/k/config:2:8: not valid YAML: its aliases refer to nothing or multiply without end",
  ],
  ["an alias of nothing", lines("users: []", "contexts: *s3cret"), "/k/config:2:11: not valid YAML: its aliases refer"],
  ["brackets without end", `users: ${"[".repeat(10_000)}`, "/k/config:1:"],
  ["a list", "- s3cret", "/k/config:1:1: the file must be a mapping"],
  ["nothing", "", "no current-context is set"],
  ["users that are no list", "users: {a: s3cret}", "/k/config:1:8: users must be a list"],
  ["an entry without name", lines("users:", "- user: {token: s3cret}"), "/k/config:2:3: users[0] needs a name"],
  [
    "a token that YAML takes for a number",
    lines("users:", "- name: a", "  user:", "    token: 12345678"),
    "/k/config:4:12: users[0].user.token must be text; put it in quotes",
  ],
  [
    "a flag that is text",
    lines("clusters:", "- name: a", "  cluster:", '    insecure-skip-tls-verify: "yes"'),
    "/k/config:4:31: clusters[0].cluster.insecure-skip-tls-verify must be true or false",
  ],
  ["groups without user", withUser("as-groups: [s3cret]"), 'acts as a group, UID or extra, so it needs "as"'],
  ["no context", "contexts: []", "no current-context is set; give --context and choose one of: none"],
  [
    "an unknown context",
    "current-context: b\ncontexts: [{name: a}, {name: c}]",
    '/k/config:1:18: current-context: there is no context "b"; choose one of: a, c',
  ],
  [
    "an unknown cluster",
    "current-context: a\ncontexts: [{name: a, context: {cluster: x}}]",
    '/k/config:2:41: contexts[0].context.cluster: there is no cluster "x"; add it or name another',
  ],
  [
    "an unknown user",
    "current-context: a\nclusters: [{name: a, cluster: {}}]\ncontexts: [{name: a, context: {cluster: a, user: x}}]",
    '/k/config:3:50: contexts[0].context.user: there is no user "x"; add it or name another',
  ],
  [
    "no server",
    withCluster(""),
    "/k/config:3:31: clusters[0].cluster.server must be an address that begins with https://",
  ],
  [
    "a server that is no address",
    withCluster("server: ftp://a"),
    "/k/config:3:40: clusters[0].cluster.server must be an address that begins with https://",
  ],
  [
    "a server with a password",
    withCluster('server: "https://me:s3cret@a.test"'),
    "/k/config:3:40: clusters[0].cluster.server must not hold a password; use a token",
  ],
  [
    "a proxy",
    withCluster('server: "https://a.test", proxy-url: "socks5://s3cret@p"'),
    "/k/config:3:69: clusters[0].cluster.proxy-url must be an address that begins with http:// or https://",
  ],
  [
    "an authority that nobody asks",
    withCluster('server: "https://a.test", insecure-skip-tls-verify: true, certificate-authority: x'),
    "/k/config:3:84: clusters[0].cluster.insecure-skip-tls-verify and a certificate authority exclude each other; remove one",
  ],
  [
    "a token on a plain line",
    withCluster('server: "http://a.test"', "token: s3cret"),
    "/k/config:3:40: clusters[0].cluster.server is not https, so credentials would be readable on the way; use https://",
  ],
  [
    "a password",
    withUser("username: me, password: s3cret"),
    "/k/config:4:36: users[0].user.username: passwords are gone from Kubernetes; use a token",
  ],
  [
    "a provider of old",
    withUser("auth-provider: {name: gcp, config: {access-token: s3cret}}"),
    '/k/config:4:41: users[0].user.auth-provider: "gcp" is gone from Kubernetes; use its exec plugin instead',
  ],
  [
    "a token with a blank",
    withUser('token: "s3 cret"'),
    "/k/config:4:33: users[0].user.token holds something else than a token",
  ],
  [
    "data that is no base64",
    withUser("client-key-data: s3cret!"),
    "/k/config:4:43: users[0].user.client-key-data is not base64; it may be cut off, so fetch a new kubeconfig",
  ],
  [
    "data that is no PEM",
    withUser(`client-key-data: ${btoa("s3cret")}`),
    "users[0].user.client-key-data holds no whole PEM block",
  ],
  [
    "an authority that is no base64",
    withCluster('server: "https://a.test", certificate-authority-data: "s3cret!"'),
    "/k/config:3:86: clusters[0].cluster.certificate-authority-data is not base64; it may be cut off, so fetch a new",
  ],
  [
    "a plugin that cannot start",
    withUser(`exec: {apiVersion: client.authentication.k8s.io/v1, command: login}`),
    "/k/config:4:32: users[0].user.exec: the credential plugin failed: no program expected",
  ],
  ["a token file that is not there", withUser("tokenFile: lost"), "/k/lost: no such file"],
])("%s", async (_what, text, message) => {
  const error = await failureOf(text);
  expect(error.message).toContain(message);
  expect(`${error.message} ${error.stack} ${String(error.cause ?? "")}`).not.toMatch(/s3.?cret/);
});

test("a plain server without credentials, or on this machine, is accepted", async () => {
  const accepted = async (text: string) => {
    const parts = { programs: new ScriptedPrograms(() => ({})), clock: new VirtualClock(), env: { KUBECONFIG: "/k" } };
    return (await loadConfig({ ...parts, files: diskOf({ "/k": text }) })).server;
  };
  expect(await accepted(withCluster('server: "http://a.test"'))).toBe("http://a.test");
  expect(await accepted(withCluster('server: "http://127.0.0.1:8001"', "token: t"))).toBe("http://127.0.0.1:8001");
  expect(await accepted(withCluster('server: "http://[::1]:8001"', "token: t"))).toBe("http://[::1]:8001");
});
