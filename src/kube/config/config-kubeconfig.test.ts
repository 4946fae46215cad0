import { describe, expect, test } from "vitest";
import { diskOf, ScriptedPrograms } from "../../../sim/disk-of-texts.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { loadConfig } from "./config.ts";

const pem = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
const ca = pem("CERTIFICATE", "authority");

type Stage = {
  readonly disk: Record<string, string>;
  readonly env?: Record<string, string>;
  readonly clock?: VirtualClock;
};
const load = ({ disk, env = { KUBECONFIG: "/k/config" }, clock }: Stage, wishes = {}) =>
  loadConfig(
    {
      files: diskOf(disk),
      programs: new ScriptedPrograms(() => new Error("no program expected")),
      clock: clock ?? new VirtualClock(),
      env,
    },
    wishes,
  );

/** A file with one cluster, one user and one context, all named "a". */
const simple = (user: string, cluster = "server: https://a.test:6443") => `
apiVersion: v1
kind: Config
current-context: a
clusters:
- name: a
  cluster: {${cluster}}
users:
- name: a
  user: {${user}}
contexts:
- name: a
  context: {cluster: a, user: a, namespace: web}
`;
const current = async (stage: Stage) => (await load(stage)).credentials.current();

describe("one file", () => {
  test("gives server, namespace and a token", async () => {
    const config = await load({ disk: { "/k/config": simple("token: abc") } });
    expect(config).toMatchObject({
      origin: 'context "a" of /k/config',
      server: "https://a.test:6443",
      namespace: "web",
    });
    expect(await config.credentials.current()).toEqual({ headers: { authorization: "Bearer abc" }, tls: {} });
  });

  test("gives the proxy of the server", async () => {
    const cluster = "server: https://a.test, proxy-url: 'http://p.test:3128'";
    const { proxyUrl } = await load({ disk: { "/k/config": simple("token: abc", cluster) } });
    expect(proxyUrl).toBe("http://p.test:3128");
  });

  test("gives what the TLS side needs, from data or from files beside it", async () => {
    const cert = pem("CERTIFICATE", "client");
    const key = pem("PRIVATE KEY", "key");
    const cluster = `server: https://a.test, certificate-authority-data: ${btoa(ca)}, tls-server-name: b.test`;
    const disk = {
      "/k/config": simple("client-certificate: pki/me.pem, client-key: /abs/me.key", cluster),
      "/k/pki/me.pem": `${cert}\n`,
      "/abs/me.key": key,
    };
    expect(await current({ disk })).toEqual({ headers: {}, tls: { ca, cert, key, serverName: "b.test" } });
  });

  test("may prefer data to a file, and a token file to a token", async () => {
    const user = `token: old, tokenFile: token, client-certificate: lost.pem, client-certificate-data: ${btoa(ca)}`;
    const disk = { "/k/config": simple(user), "/k/token": "new\n" };
    expect(await current({ disk })).toEqual({ headers: { authorization: "Bearer new" }, tls: { cert: ca } });
  });

  test("may switch the proof of the server off", async () => {
    const disk = { "/k/config": simple("", "server: https://a.test, insecure-skip-tls-verify: true") };
    expect(await current({ disk })).toEqual({ headers: {}, tls: { skipVerify: true } });
  });

  test("may act as somebody else", async () => {
    const user = 'token: t, as: jane, as-uid: "7", as-groups: [a, b], as-user-extra: {Scopes/X: [r, w]}';
    expect((await current({ disk: { "/k/config": simple(user) } })).headers).toEqual({
      authorization: "Bearer t",
      "impersonate-user": "jane",
      "impersonate-uid": "7",
      "impersonate-group": ["a", "b"],
      "impersonate-extra-scopes%2Fx": ["r", "w"],
    });
  });

  test("may be JSON", async () => {
    const json = JSON.stringify({
      "current-context": "x",
      clusters: [{ name: "c", cluster: { server: "https://c.test" } }],
      contexts: [{ name: "x", context: { cluster: "c" } }],
      users: null,
    });
    expect(await load({ disk: { "/k/config": json } })).toMatchObject({
      server: "https://c.test",
      namespace: "default",
    });
  });

  test("has its token file read again while we run", async () => {
    const clock = new VirtualClock();
    const disk: Record<string, string> = { "/k/config": simple("tokenFile: token"), "/k/token": "one" };
    const { credentials } = await load({ disk, clock });
    const token = async () => (await credentials.current()).headers.authorization;
    expect(await token()).toBe("Bearer one");
    disk["/k/token"] = "two";
    expect(await token()).toBe("Bearer one");
    clock.advance(60_000);
    expect(await token()).toBe("Bearer two");
  });

  test("has its certificate files read again; what did not change stays the same object", async () => {
    const clock = new VirtualClock();
    const disk: Record<string, string> = {
      "/k/config": simple("token: t, client-certificate: c, client-key: c"),
      "/k/c": pem("X", "1"),
    };
    const { credentials } = await load({ disk, clock });
    const first = await credentials.current();
    clock.advance(60_000);
    expect(await credentials.current()).toBe(first);
    disk["/k/c"] = pem("X", "2");
    clock.advance(60_000);
    expect((await credentials.current()).tls).toEqual({ cert: pem("X", "2"), key: pem("X", "2") });
  });

  test("has its token file read again when a server refuses the token", async () => {
    const clock = new VirtualClock();
    const disk: Record<string, string> = { "/k/config": simple("tokenFile: token"), "/k/token": "one" };
    const { credentials } = await load({ disk, clock });
    const first = await credentials.current();
    disk["/k/token"] = "two";
    clock.advance(10_000);
    credentials.refused(first);
    expect((await credentials.current()).headers.authorization).toBe("Bearer two");
  });
});

describe("several files", () => {
  const first = `
current-context: ""
clusters: [{name: c, cluster: {server: https://first.test}}]
users: [{name: u, user: {}}]
`;
  const second = `
current-context: x
clusters: [{name: c, cluster: {server: https://second.test, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: second}}, {name: v, user: {tokenFile: v-token}}]
contexts:
- {name: x, context: {cluster: c, user: u}}
- {name: y, context: {cluster: c, user: v}}
`;
  const disk = { "/one/config": first, "/two/config": second, "/two/v-token": "relative to its own file" };
  const env = { KUBECONFIG: "/one/config::/missing/config:/two/config" };

  test("the first that has a name decides the whole entry; the first current context that is set counts", async () => {
    const config = await load({ disk, env });
    expect(config.server).toBe("https://first.test");
    expect(await config.credentials.current()).toEqual({ headers: {}, tls: {} });
  });

  test("a context may be chosen, and its paths are relative to the file they stand in", async () => {
    const config = await load({ disk: { ...disk, "/two/v-token": "v" }, env }, { context: "y" });
    expect((await config.credentials.current()).headers).toEqual({ authorization: "Bearer v" });
  });

  test("a file that is named explicitly is the only one", async () => {
    const config = await load({ disk, env }, { kubeconfig: "/two/config" });
    expect(config.server).toBe("https://second.test");
    await expect(load({ disk, env }, { kubeconfig: "/no/config" })).rejects.toThrow("/no/config: no such file");
  });
});

describe("where we look", () => {
  const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  const home = { HOME: "/h" };
  const mounted = "/var/run/secrets/kubernetes.io/serviceaccount";
  const disk = {
    "/h/.kube/config": simple("", "server: https://home.test"),
    "/k/config": simple("", "server: https://listed.test"),
    [`${mounted}/token`]: "pod-token",
    [`${mounted}/ca.crt`]: ca,
    [`${mounted}/namespace`]: "own\n",
  };

  test.each([
    ["at home", home, {}, "https://home.test"],
    ["in a pod, before the home", { ...home, ...pod }, {}, "https://10.0.0.1:443"],
    ["in KUBECONFIG, before the pod", { ...home, ...pod, KUBECONFIG: "/k/config" }, {}, "https://listed.test"],
    ["where we are told, before all", { ...home, ...pod }, { kubeconfig: "/k/config" }, "https://listed.test"],
    ["at home for a context, even in a pod", { ...home, ...pod }, { context: "a" }, "https://home.test"],
  ])("%s", async (_what, env: Record<string, string>, wishes, server) => {
    expect((await load({ disk, env }, wishes)).server).toBe(server);
  });

  test("a pod brings its token, authority and namespace", async () => {
    const config = await load({ disk, env: pod });
    expect(config).toMatchObject({ origin: "the service account of this pod", namespace: "own" });
    expect(await config.credentials.current()).toEqual({ headers: { authorization: "Bearer pod-token" }, tls: { ca } });
  });

  test("an IPv6 address stands in brackets; a missing namespace file is no reason to stop", async () => {
    const { [`${mounted}/namespace`]: _, ...rest } = disk;
    const config = await load({ disk: rest, env: { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" } });
    expect([config.server, config.namespace]).toEqual(["https://[fd00::1]:443", "default"]);
  });

  test.each([
    ["no token", { [`${mounted}/ca.crt`]: ca }, `${mounted}/token: no such file`],
    ["an empty token", { [`${mounted}/ca.crt`]: ca, [`${mounted}/token`]: "\n" }, `${mounted}/token: is empty`],
    ["half an authority", { [`${mounted}/token`]: "t", [`${mounted}/ca.crt`]: ca.slice(0, 30) }, "may be half-written"],
  ])("a pod with %s is told what it lacks", async (_what, files: Record<string, string>, message) => {
    const end = load({ disk: files, env: pod });
    await expect(end).rejects.toThrow("this pod has no credentials for its cluster: ");
    await expect(end).rejects.toThrow(message);
    await expect(end).rejects.toThrow("leave automountServiceAccountToken on");
  });

  test("nowhere is an error that says where we looked", async () => {
    await expect(load({ disk: {}, env: home })).rejects.toThrow(
      "no kubeconfig is there (looked for /h/.kube/config), and this is not a pod; set KUBECONFIG or give --kubeconfig",
    );
    await expect(load({ disk: {}, env: {} })).rejects.toThrow("no kubeconfig is there (no HOME is set)");
  });
});
