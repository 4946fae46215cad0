// What the contract cannot show because a real server is not asked that way: racing writers, compaction under a list, and
// that the same calls give the same bytes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInKinds } from "./built-in/built-in-kinds.ts";
import type { Change } from "./store/store.ts";
import { aServer, call, follow } from "./testing/plain-kinds.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const aMap = (name: string, n = 0, labels: Readonly<Record<string, string>> = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { n: `${n}` } },
});
const namesOf = (body: { readonly items?: unknown }) =>
  (body.items as readonly { readonly metadata: { readonly name: string } }[]).map(({ metadata }) => metadata.name);

test.each([
  ["a percent sign that stands for nothing is refused", "%zz", 400],
  ["one at the end, too", "a%", 400],
  ["bytes that are no text name nothing", "%ff", 404],
])("in a path %s", async (_what, name, status) => {
  const { transport } = aServer();
  expect((await call(transport, "GET", `${maps}/${name}`)).status).toBe(status);
});

describe("writes", () => {
  test("of two writers from one version exactly one gets through, and nothing is lost", async () => {
    const { transport } = aServer();
    const { body } = await call(transport, "POST", maps, aMap("a"));
    const version = (body.metadata as { readonly resourceVersion: string }).resourceVersion;
    const replace = (n: number) =>
      call(transport, "PUT", `${maps}/a`, { ...aMap("a", n), metadata: { name: "a", resourceVersion: version } });
    const outcomes = (await Promise.all([replace(1), replace(2)])).map(({ status }) => status);
    expect(outcomes).toEqual([200, 409]);
    await Promise.all([1, 2, 3].map((n) => call(transport, "PATCH", `${maps}/a`, { data: { [`k${n}`]: "1" } })));
    expect((await call(transport, "GET", `${maps}/a`)).body.data).toEqual({ n: "1", k1: "1", k2: "1", k3: "1" });
  });

  test("generated names that are taken are made again", async () => {
    const { transport } = aServer({ rand: { next: () => 0 } });
    const generated = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "a-" } };
    expect((await call(transport, "POST", maps, generated)).status).toBe(201);
    expect((await call(transport, "POST", maps, generated)).body.reason).toBe("AlreadyExists");
  });

  test("identities are random UUIDs of version 4", async () => {
    const { transport } = aServer();
    const { body } = await call(transport, "POST", maps, aMap("a"));
    const { uid } = body.metadata as { readonly uid: string };
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("a replacement cannot take the mark of deletion away", async () => {
    const { transport } = aServer();
    const held = { ...aMap("a"), metadata: { name: "a", finalizers: ["example.dev/hold"] } };
    await call(transport, "POST", maps, held);
    await call(transport, "DELETE", `${maps}/a`);
    const { body } = await call(transport, "PUT", `${maps}/a`, { ...held, data: { n: "9" } });
    expect(body).toMatchObject({ data: { n: "9" }, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
  });

  test("a held pod without time left still learns from a later delete what becomes of its dependents", async () => {
    const { transport } = aServer({ builtIn: builtInKinds() });
    const pods = "/api/v1/namespaces/default/pods";
    const metadata = { name: "a", finalizers: ["example.dev/hold"] };
    const spec = { containers: [{ name: "a", image: "a:1" }] };
    await call(transport, "POST", pods, { apiVersion: "v1", kind: "Pod", metadata, spec });
    await call(transport, "DELETE", `${pods}/a`);
    const { body } = await call(transport, "DELETE", `${pods}/a?propagationPolicy=Orphan`);
    expect(body).toMatchObject({ metadata: { finalizers: ["example.dev/hold", "orphan"] } });
  });

  test("a rehearsed replacement of nothing shows the version that was sent; a real one gets its own", async () => {
    const { transport } = aServer({ builtIn: builtInKinds() });
    const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
    const metadata = { name: "a", resourceVersion: "1" };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: {} };
    const rehearsed = await call(transport, "PUT", `${path}?dryRun=All`, lease);
    expect(rehearsed).toMatchObject({ status: 201, body: { metadata: { resourceVersion: "1" } } });
    expect((await call(transport, "GET", path)).status).toBe(404);
    const { status, body } = await call(transport, "PUT", path, lease);
    expect(status).toBe(201);
    expect(body.metadata).not.toMatchObject({ resourceVersion: "1" });
  });

  test("the hook hears of every commit once, in order, before the writer is answered", async () => {
    const { server, transport } = aServer();
    const heard: string[] = [];
    server.onCommit(({ type, key }: Change) => heard.push(`${type} ${key}`));
    await call(transport, "POST", maps, aMap("a"));
    expect(heard).toEqual(["ADDED default/a"]);
    await call(transport, "PATCH", `${maps}/a`, { data: { n: "1" } });
    await call(transport, "PATCH", `${maps}/a`, { data: { n: "1" } });
    await call(transport, "DELETE", `${maps}/a`);
    expect(heard).toEqual(["ADDED default/a", "MODIFIED default/a", "DELETED default/a"]);
  });

  test("a nesting that no stack holds is refused, and the server goes on", async () => {
    const { transport } = aServer();
    const body = `{"metadata":{"name":"a"},"data":${'{"a":'.repeat(9_990)}1${"}".repeat(9_990)}}`;
    const { status } = await transport.request({ method: "POST", path: maps, headers: {}, body, lane: "calls" });
    expect([201, 500]).toContain(status);
    expect((await call(transport, "GET", maps)).status).toBe(200);
  });

  test("the same calls give the same bytes", async () => {
    const play = async () => {
      const { transport, server } = aServer();
      const watch = follow(transport, `${maps}?watch=true`);
      const texts: string[] = [];
      for (const name of ["b", "a"]) texts.push(JSON.stringify(await call(transport, "POST", maps, aMap(name))));
      texts.push(JSON.stringify(await call(transport, "PATCH", `${maps}/a`, { data: { n: "9" } })));
      texts.push(JSON.stringify(await call(transport, "GET", maps)));
      return [...texts, JSON.stringify(watch.seen), server.revision()];
    };
    expect(await play()).toEqual(await play());
  });
});

describe("namespaces", () => {
  const namespaces = "/api/v1/namespaces";
  const aNamespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
  const aWholeServer = () => aServer({ builtIn: builtInKinds() });

  test("end when their finalizers are taken away through the subresource, and by nothing else", async () => {
    const { transport } = aWholeServer();
    await call(transport, "POST", namespaces, aNamespace);
    await call(transport, "PATCH", `${namespaces}/n`, { spec: { finalizers: [] } });
    expect((await call(transport, "DELETE", `${namespaces}/n`)).body.status).toEqual({ phase: "Terminating" });
    expect((await call(transport, "DELETE", `${namespaces}/n`)).status).toBe(200);
    await call(transport, "PATCH", `${namespaces}/n`, { metadata: { labels: { a: "b" } } });
    const { body } = await call(transport, "GET", `${namespaces}/n`);
    expect(body.spec).toEqual({ finalizers: ["kubernetes"] });
    expect((await call(transport, "PUT", `${namespaces}/n/finalize`, { ...body, spec: {} })).status).toBe(200);
    expect((await call(transport, "GET", `${namespaces}/n`)).status).toBe(404);
  });

  test("with a finalizer of their own end when that goes, by whatever write, once their content is gone", async () => {
    const { transport } = aWholeServer();
    const metadata = { name: "n", finalizers: ["example.dev/hold"] };
    await call(transport, "POST", namespaces, { ...aNamespace, metadata });
    await call(transport, "DELETE", `${namespaces}/n`);
    const { body } = await call(transport, "GET", `${namespaces}/n`);
    await call(transport, "PUT", `${namespaces}/n/finalize`, { ...body, spec: {} });
    expect((await call(transport, "GET", `${namespaces}/n`)).status).toBe(200);
    await call(transport, "PATCH", `${namespaces}/n`, { metadata: { finalizers: null } });
    expect((await call(transport, "GET", `${namespaces}/n`)).status).toBe(404);
  });

  test("that the cluster needs cannot be deleted", async () => {
    const { transport } = aWholeServer();
    expect((await call(transport, "DELETE", `${namespaces}/kube-system`)).status).toBe(403);
  });

  test.each([
    ["GET", "/api/v1/configmaps/a", 404],
    ["GET", "/api/v1/namespaces/default/nodes", 404],
    ["POST", "/api/v1/configmaps", 405],
    ["GET", "/api/v1/configmaps", 200],
  ] as const)("%s %s is %d: what has a namespace is named in one", async (method, path, status) => {
    const { transport } = aWholeServer();
    expect((await call(transport, method, path, method === "POST" ? aMap("a") : undefined)).status).toBe(status);
  });
});

describe("lists", () => {
  test("pages show one version, whatever is written between them", async () => {
    const write = fc.record({ name: fc.constantFrom("a", "b", "c", "d", "e", "f"), isDelete: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(write, { maxLength: 4 }), { minLength: 1, maxLength: 6 }), async (rounds) => {
        const { transport } = aServer();
        for (const name of ["a", "c", "d", "f"]) await call(transport, "POST", maps, aMap(name));
        const whole = (await call(transport, "GET", maps)).body.items;
        const pages: unknown[] = [];
        let position = "";
        for (const writes of [...rounds, [], [], [], []]) {
          const { body } = await call(transport, "GET", `${maps}?limit=1&continue=${position}`);
          pages.push(...(body.items as readonly unknown[]));
          position = (body.metadata as { readonly continue?: string }).continue ?? "";
          if (position === "") break;
          for (const { name, isDelete } of writes)
            await (isDelete ? call(transport, "DELETE", `${maps}/${name}`) : call(transport, "POST", maps, aMap(name)));
        }
        expect(pages).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  test("a position from before compaction is 410, with one that goes on at the present", async () => {
    const { transport, server } = aServer();
    for (const name of ["a", "b", "c"]) await call(transport, "POST", maps, aMap(name));
    const first = await call(transport, "GET", `${maps}?limit=1`);
    const position = (first.body.metadata as { readonly continue: string }).continue;
    await call(transport, "POST", maps, aMap("d"));
    server.compact();
    const late = await call(transport, "GET", `${maps}?limit=1&continue=${position}`);
    expect(late).toMatchObject({ status: 410, body: { reason: "Expired" } });
    const next = (late.body.metadata as { readonly continue: string }).continue;
    expect(namesOf((await call(transport, "GET", `${maps}?limit=9&continue=${next}`)).body)).toEqual(["b", "c", "d"]);
  });

  test.each([
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
    ["resourceVersion=1&resourceVersionMatch=Sideways", 422],
    ["resourceVersionMatch=NotOlderThan&continue=abc", 422],
    ["sendInitialEvents=true", 422],
    ["continue=!", 400],
    ["labelSelector=a%3Db%3Dc", 400],
    ["fieldSelector=metadata.name", 400],
  ])("%s is refused with %d", async (query, status) => {
    const { transport } = aServer();
    expect((await call(transport, "GET", `${maps}?${query}`)).status).toBe(status);
  });

  test("an answer that is longer than the caller can use is an error", async () => {
    const { transport } = aServer();
    await call(transport, "POST", maps, aMap("a"));
    const request = { method: "GET", path: maps, headers: {}, lane: "calls" } as const;
    await expect(transport.request({ ...request, answerBytesMax: 100 })).rejects.toMatchObject({ reason: "too-large" });
    expect((await transport.request({ ...request, answerBytesMax: 10_000 })).status).toBe(200);
  });

  test("history has an end: the latest revisions can be read, those long before are 410", async () => {
    const { transport, server } = aServer({ historyRevisions: 20 });
    const early = server.revision();
    await call(transport, "POST", maps, aMap("a"));
    for (let n = 1; n <= 100; n++) await call(transport, "PATCH", `${maps}/a`, { data: { n: `${n}` } });
    const exactly = (revision: number) =>
      call(transport, "GET", `${maps}?resourceVersion=${revision}&resourceVersionMatch=Exact`);
    expect((await exactly(early)).status).toBe(410);
    expect((await exactly(server.revision() - 20)).body).toMatchObject({ items: [{ data: { n: "80" } }] });
    expect(server.revision() - server.store.compactedTo).toBeLessThanOrEqual(30);
  });

  test("an exact version from before compaction is 410", async () => {
    const { transport, server } = aServer();
    const version = server.revision();
    await call(transport, "POST", maps, aMap("a"));
    const exact = `${maps}?resourceVersion=${version}&resourceVersionMatch=Exact`;
    expect(namesOf((await call(transport, "GET", exact)).body)).toEqual([]);
    server.compact();
    expect((await call(transport, "GET", exact)).status).toBe(410);
  });
});
