import { describe, expect, test } from "vitest";
import { diskOf, ScriptedPrograms } from "../../../sim/disk-of-texts.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "../client/create-client.ts";
import { pause } from "../clock.ts";
import type { Program, Programs } from "../files.ts";
import type { ConfigParts } from "./cluster-config.ts";
import { loadConfig } from "./config.ts";
import type { CredentialSource } from "./credentials.ts";

const version = "client.authentication.k8s.io/v1";
const pem = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
const ca = pem("CERTIFICATE", "authority");

const printed = (status: object, changes: object = {}) => ({
  stdout: JSON.stringify({ apiVersion: version, kind: "ExecCredential", status, ...changes }),
});

function stage(
  answer: ConstructorParameters<typeof ScriptedPrograms>[0],
  exec = "",
  { cluster = "", head = `apiVersion: ${version}, command: login` } = {},
) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const programs = new ScriptedPrograms(answer);
  const text = `
current-context: a
clusters: [{name: a, cluster: {server: "https://a.test", ${cluster}}}]
users: [{name: a, user: {exec: {${head}, ${exec}}}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
`;
  const env = { KUBECONFIG: "/k/config", PATH: "/bin", LOST: undefined };
  const load = async (changes: Partial<ConfigParts> = {}): Promise<CredentialSource> =>
    (await loadConfig({ files: diskOf({ "/k/config": text }), programs, clock, env, ...changes })).credentials;
  return { clock, programs, load };
}
const tokenOf = async (source: CredentialSource) => (await source.current()).headers.authorization;

describe("starting a plugin", () => {
  test("it gets its arguments, our environment with its own additions, and the request", async () => {
    const { programs, load } = stage(() => printed({ token: "t" }), "args: [get, --x], env: [{name: A, value: b}]");
    expect(await tokenOf(await load())).toBe("Bearer t");
    const { env = {}, ...rest }: Partial<Program> = programs.started[0] ?? {};
    expect(rest).toEqual({ command: "login", args: ["get", "--x"], timeoutMs: 25_000, outputMax: 1_048_576 });
    const { KUBERNETES_EXEC_INFO, ...others } = env;
    expect(others).toEqual({ KUBECONFIG: "/k/config", PATH: "/bin", A: "b" });
    expect(JSON.parse(KUBERNETES_EXEC_INFO ?? "")).toEqual({
      apiVersion: version,
      kind: "ExecCredential",
      spec: { interactive: false },
    });
  });

  test("a command with a slash is a file beside the kubeconfig; a bare one is for the PATH", async () => {
    const head = `apiVersion: ${version}, command: bin/login`;
    const { programs, load } = stage(() => printed({ token: "t" }), "", { head });
    await tokenOf(await load());
    expect(programs.started[0]?.command).toBe("/k/bin/login");
  });

  test("it is told about the cluster when it asks for that", async () => {
    const cluster = `certificate-authority-data: ${btoa(ca)}, extensions: [{name: ${version.replace("/v1", "/exec")}, extension: {x: 1}}]`;
    const { programs, load } = stage(() => printed({ token: "t" }), "provideClusterInfo: true", { cluster });
    await tokenOf(await load());
    expect(JSON.parse(programs.started[0]?.env.KUBERNETES_EXEC_INFO ?? "").spec.cluster).toEqual({
      server: "https://a.test",
      "certificate-authority-data": btoa(ca),
      config: { x: 1 },
    });
  });

  test("it may hand out a certificate", async () => {
    const cert = pem("CERTIFICATE", "me");
    const key = pem("PRIVATE KEY", "mine");
    const { load } = stage(() => printed({ clientCertificateData: `${cert}\n`, clientKeyData: key }));
    expect(await (await load()).current()).toEqual({ headers: {}, tls: { cert, key } });
  });
});

describe("how long its answer is used", () => {
  const counting = (status: object = {}) => stage((_program, index) => printed({ token: `t${index}`, ...status }));

  test("until shortly before the time it says", async () => {
    const { clock, load } = counting({ expirationTimestamp: "2026-01-01T01:00:00Z" });
    const source = await load();
    expect([await tokenOf(source), await tokenOf(source)]).toEqual(["Bearer t0", "Bearer t0"]);
    clock.advance(3_600_000 - 10_001);
    expect(await tokenOf(source)).toBe("Bearer t0");
    clock.advance(1);
    expect(await tokenOf(source)).toBe("Bearer t1");
  });

  test("for ever when it says nothing, unless a server refuses it", async () => {
    const { clock, load } = counting();
    const source = await load();
    const first = await source.current();
    clock.advance(1e9);
    expect(await tokenOf(source)).toBe("Bearer t0");
    source.refused(first);
    expect(await tokenOf(source)).toBe("Bearer t1");
  });

  test.each(["2025-12-31T23:59:59Z", "2026-01-01T00:00:08Z"])(
    "what has ended already or does so soon (%s) does not make us start it for every request",
    async (expirationTimestamp) => {
      const { clock, programs, load } = counting({ expirationTimestamp });
      const source = await load();
      for (let i = 0; i < 10; i++) expect(await tokenOf(source)).toBe("Bearer t0");
      expect(programs.started).toHaveLength(1);
      clock.advance(5_000);
      expect(await tokenOf(source)).toBe("Bearer t1");
    },
  );

  test("requests at the same time share one start", async () => {
    const { programs, load } = counting();
    const source = await load();
    await Promise.all([source.current(), source.current(), source.current()]);
    expect(programs.started).toHaveLength(1);
  });

  test("a server that refuses everything does not make us start it without pause", async () => {
    const { clock, programs, load } = counting();
    const source = await load();
    for (let i = 0; i < 10; i++) source.refused(await source.current());
    expect(programs.started).toHaveLength(1);
    clock.advance(5_000);
    source.refused(await source.current());
    await source.current();
    expect(programs.started).toHaveLength(2);
  });

  test("a failure is remembered for a moment, then tried again", async () => {
    const { clock, programs, load } = stage((_program, index) =>
      index === 0 ? new Error("login: oops") : printed({ token: "t" }),
    );
    const source = await load();
    for (let i = 0; i < 5; i++) await expect(source.current()).rejects.toThrow("login: oops");
    expect(programs.started).toHaveLength(1);
    clock.advance(5_000);
    expect(await tokenOf(source)).toBe("Bearer t");
  });
});

describe("a plugin that fails", () => {
  const half = pem("CERTIFICATE", "s3cret").slice(0, 40);
  test.each<[string, ConstructorParameters<typeof ScriptedPrograms>[0], string]>([
    ["cannot start", () => new Error("login: no such program"), "login: no such program; run it by hand to see why"],
    [
      "hangs",
      () => new Error("login: still running after 25000 ms"),
      "login: still running after 25000 ms; run it by hand",
    ],
    [
      "ends badly",
      () => ({ code: 3, stdout: "s3cret", stderr: "please\n\u001b[31mlog in" }),
      "login: ended with code 3 and said: please [31mlog in; run it by hand to see more",
    ],
    ["prints garbage", () => ({ stdout: "s3cret" }), "login: it printed 6 characters that are no ExecCredential"],
    ["prints nothing", () => ({}), "login: it printed 0 characters that are no ExecCredential"],
    ["prints another kind", () => ({ stdout: '{"kind":"Pod"}' }), "that are no ExecCredential"],
    [
      "prints another version",
      () => printed({ token: "s3cret" }, { apiVersion: "client.authentication.k8s.io/v1beta1" }),
      "it printed another apiVersion than the client.authentication.k8s.io/v1 of the kubeconfig; make them equal",
    ],
    ["prints no status", () => printed({}, { status: null }), "it printed neither a token nor a certificate"],
    [
      "prints a token of two lines",
      () => printed({ token: "s3cret\nx: y" }),
      "status.token that it printed holds something",
    ],
    ["prints a token that is no text", () => printed({ token: 5 }), "status.token that it printed is not text"],
    [
      "prints half a certificate",
      () => printed({ clientCertificateData: half }),
      "clientCertificateData that it printed",
    ],
    ["prints a certificate alone", () => printed({ clientCertificateData: ca }), "a certificate without key"],
    [
      "prints no time",
      () => printed({ token: "s3cret", expirationTimestamp: "soon" }),
      "expirationTimestamp that it printed",
    ],
  ])("%s", async (_what, answer, message) => {
    const source = await stage(answer).load();
    const error = await source.current().then(
      () => expect.unreachable("it was accepted"),
      (e: unknown) => e as Error,
    );
    expect(error.message).toContain("/k/config:4:32: users[0].user.exec: the credential plugin failed: login: ");
    expect(error.message).toContain(message);
    expect(`${error.message} ${String(error.cause)}`).not.toMatch(/s3cret/);
    expect(error.message).not.toContain("\u001b");
  });

  test("and hangs is named to the caller, whose own patience is longer", async () => {
    const { clock } = stage(() => ({}));
    const hanging: Programs = {
      run: async ({ command, timeoutMs }) => {
        await pause(clock, timeoutMs);
        throw new Error(`${command}: still running after ${timeoutMs} ms`);
      },
    };
    const source = await stage(() => ({})).load({ programs: hanging, clock });
    const answer = { status: 200, headers: {}, body: new Uint8Array() };
    const request = () => source.current().then(() => answer);
    const transport = { request, stream: () => Promise.reject(new Error("not asked for")) };
    const client = createClient({ transport, clock, rand: { next: () => 0 }, fieldManager: "test" });
    const get = client.call({ verb: "create", resource: "x", method: "POST", path: "/x", repeatable: false });
    const end = expect(get).rejects.toThrow(
      "the credential plugin failed: login: still running after 25000 ms; run it",
    );
    await clock.elapse(60_000);
    await end;
  });

  test("tells how to install it when its author says so", async () => {
    const { load } = stage(() => new Error("login: no such program"), 'installHint: "get it from example.test"');
    await expect((await load()).current()).rejects.toThrow("login: no such program; get it from example.test");
  });

  test.each([
    [
      `apiVersion: ${version}, command: login, interactiveMode: Always`,
      "it wants to ask questions (interactiveMode: Always)",
    ],
    [`apiVersion: ${version}`, "no command is given"],
    ["command: login", 'login: apiVersion "" is not known; set client.authentication.k8s.io/v1 or'],
    ["command: login, apiVersion: client.authentication.k8s.io/v1alpha1", 'v1alpha1" is not known; set'],
  ])("is not started with {%s}", async (head, message) => {
    const { programs, load } = stage(() => printed({ token: "t" }), "", { head });
    await expect((await load()).current()).rejects.toThrow(message);
    expect(programs.started).toEqual([]);
  });
});
