// The client of src/kube against a real API server: what the scripted tests assume about its answers must be so.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reviewAccess } from "../src/kube/client/access-review.ts";
import { isAlreadyExists, isConflict, isForbidden } from "../src/kube/client/api-error.ts";
import type { Client } from "../src/kube/client/client.ts";
import { createClient } from "../src/kube/client/create-client.ts";
import { discoverGroups, discoverResources, readServerVersion } from "../src/kube/client/discovery.ts";
import { evict } from "../src/kube/client/eviction.ts";
import { readPodLog } from "../src/kube/client/pod-log.ts";
import { loadConfig } from "../src/kube/config/config.ts";
import type { KubeObject, Resource } from "../src/kube/resource.ts";
import type { Transport } from "../src/kube/transport.ts";
import { nodeClock } from "../src/runtime/node/node-clock.ts";
import { nodeFiles, nodePrograms } from "../src/runtime/node/node-files.ts";
import { nodeRand } from "../src/runtime/node/node-rand.ts";
import { createNodeTransport, type NodeTransport } from "../src/runtime/node/node-transport.ts";
import { type Cluster, startCluster } from "./control-plane/cluster.ts";
import { describeWith } from "./control-plane/describe-with.ts";
import { eventually } from "./control-plane/eventually.ts";
import { NOBODY } from "./control-plane/users.ts";

type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };
const configMaps: Resource<ConfigMap> = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };

const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

describeWith("api", "the client on a real API server", (binaries) => {
  const transports: NodeTransport[] = [];
  let cluster: Cluster;
  let client: Client;

  async function clientOf(kubeconfig: string): Promise<Client> {
    const clock = nodeClock();
    const parts = { files: nodeFiles(), programs: nodePrograms(clock), clock, env: { PATH: process.env.PATH } };
    const { server, credentials } = await loadConfig(parts, { kubeconfig });
    const transport = createNodeTransport({ server, credentials, clock });
    transports.push(transport);
    return createClient({ transport, clock, rand: nodeRand(), fieldManager: "client-test" });
  }

  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    client = await clientOf(cluster.kubeconfigFile());
  });
  afterAll(async () => {
    for (const transport of transports) transport.close();
    await cluster?.stop();
  });

  test("create, get, and a name that is taken", async () => {
    const made = await client.create(configMaps, map("one", { a: "1" }));
    expect(await client.get(configMaps, "default/one")).toEqual(made);
    expect(await client.get(configMaps, "default/none")).toBeUndefined();
    await expect(client.create(configMaps, map("one"))).rejects.toSatisfy(isAlreadyExists);
    expect(new TextDecoder().decode(await client.getBytes(configMaps, "default/one"))).toContain('"a":"1"');
  });

  test("of what is made the server sends the metadata alone, where its maker goes by what it sent", async () => {
    const [transport] = transports;
    if (transport === undefined) throw new Error("nobody is connected");
    const kinds: unknown[] = [];
    const overheard: Transport = {
      ...transport,
      async request(request) {
        const answer = await transport.request(request);
        kinds.push(JSON.parse(new TextDecoder().decode(answer.body)).kind);
        return answer;
      },
    };
    const unreadAnswers = new Map([["configmaps", { written: [], created: "metadata" as const }]]);
    const ports = { transport: overheard, clock: nodeClock(), rand: nodeRand() };
    const brief = createClient({ ...ports, fieldManager: "client-test", unreadAnswers });
    const made = await brief.create(configMaps, map("brief", { a: "1" }));
    const { managedFields: _, ...metadata } = {
      managedFields: 0,
      ...(await client.get(configMaps, "default/brief"))?.metadata,
    };
    expect(made).toEqual({ ...map("brief", { a: "1" }), metadata });
    await expect(brief.create(configMaps, map("brief"))).rejects.toSatisfy(isAlreadyExists);
    expect(await brief.remove(configMaps, "default/brief")).toBe(true);
    expect(kinds).toEqual(["PartialObjectMetadata", "Status", "Status"]);
  });

  test("update replaces one version and no other", async () => {
    const first = await client.create(configMaps, map("versioned", { a: "1" }));
    const second = await client.update(configMaps, { ...first, data: { a: "2" } });
    expect(second.data).toEqual({ a: "2" });
    await expect(client.update(configMaps, { ...first, data: { a: "3" } })).rejects.toSatisfy(isConflict);
  });

  test("each kind of patch changes what it names", async () => {
    await client.create(configMaps, map("patched", { a: "1", b: "1" }));
    const key = "default/patched";
    await client.patch(configMaps, key, { type: "merge", body: { data: { a: null } } });
    await client.patch(configMaps, key, { type: "strategic", body: { data: { c: "2" } } });
    const end = await client.patch(configMaps, key, {
      type: "json",
      body: [{ op: "add", path: "/data/d", value: "3" }],
    });
    expect(end.data).toEqual({ b: "1", c: "2", d: "3" });
    const stale = { type: "merge", body: { metadata: { resourceVersion: "1" }, data: { x: "y" } } } as const;
    await expect(client.patch(configMaps, key, stale)).rejects.toSatisfy(isConflict);
  });

  test("apply owns its fields; another owner needs force", async () => {
    await client.apply(configMaps, map("applied", { a: "1" }));
    const other = { fieldManager: "somebody-else" };
    await expect(client.apply(configMaps, map("applied", { a: "2" }), other)).rejects.toSatisfy(isConflict);
    const forced = await client.apply(configMaps, map("applied", { a: "2" }), { ...other, force: true });
    expect(forced.data).toEqual({ a: "2" });
  });

  test("a status is written through its subresource", async () => {
    await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "w-1" } });
    const body = { status: { nodeInfo: { bootID: "x" } } };
    const patched = await client.patch(nodes, "w-1", { type: "merge", body }, { subresource: "status" });
    expect(patched).toMatchObject({ status: { nodeInfo: { bootID: "x" } } });
  });

  test("delete names its object by UID, waits for nobody, and finds it gone the second time", async () => {
    const made = await client.create(configMaps, map("doomed"));
    const key = "default/doomed";
    await expect(client.remove(configMaps, key, { uid: "another" })).rejects.toSatisfy(isConflict);
    const options = { uid: made.metadata.uid, propagation: "Background" } as const;
    expect(await client.remove(configMaps, key, options)).toBe(true);
    expect(await client.remove(configMaps, key, options)).toBe(false);
  });

  test("a list of many pages is one snapshot", async () => {
    await Promise.all(Array.from({ length: 25 }, (_, i) => client.create(configMaps, labelled(`page-${i}`))));
    const list = await client.list(configMaps, { namespace: "default", labelSelector: "for=paging", pageSize: 10 });
    expect(list.items.map((item) => item.metadata.name)).toHaveLength(25);
    expect(list.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    const page = await client.listPage(configMaps, { labelSelector: "for=paging", pageSize: 10 });
    expect([page.items.length, page.continueFrom === undefined]).toEqual([10, false]);
  });

  test("a dry run stores nothing, and strict validation refuses unknown fields", async () => {
    await client.create(configMaps, map("dry"), { dryRun: true });
    expect(await client.get(configMaps, "default/dry")).toBeUndefined();
    const odd = { ...map("odd"), surplus: true };
    await expect(client.create(configMaps, odd, { fieldValidation: "Strict" })).rejects.toThrow(
      'unknown field "surplus"',
    );
  });

  test("eviction removes a pod of that UID, and says when it is gone", async () => {
    const spec = { serviceAccountName: "default", containers: [{ name: "main", image: "example.test/x:1" }] };
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } };
    await client.apply({ ...pods, plural: "serviceaccounts", kind: "ServiceAccount" }, account);
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "lone", namespace: "default" }, spec };
    const made = await client.create(pods, pod);
    // The server itself tries for ten seconds before it admits that the UID does not fit.
    expect(await evict(client, "default/lone", { uid: "another" })).toMatchObject({ evicted: false, reason: "Gone" });
    expect(await evict(client, "default/lone", { uid: made.metadata.uid })).toEqual({ evicted: true });
    expect(await evict(client, "default/lone", { uid: made.metadata.uid })).toMatchObject({ reason: "Gone" });
    expect(await readPodLog(client, "default/lone")).toBeUndefined();
  });

  test("discovery and reviews answer for this server and this user", async () => {
    expect((await readServerVersion(client)).gitVersion).toMatch(/^v1\./);
    expect((await discoverGroups(client)).map((group) => group.name)).toEqual(expect.arrayContaining(["", "apps"]));
    expect(await discoverResources(client, "apps", "v1")).toContainEqual(
      expect.objectContaining({ plural: "daemonsets", kind: "DaemonSet", namespaced: true }),
    );
    expect(await discoverResources(client, "no.such.group", "v1")).toBeUndefined();
    const nobody = await clientOf(cluster.kubeconfigFile(NOBODY.name));
    const access = { verb: "list", group: "", resource: "nodes" };
    expect((await reviewAccess(client, access)).allowed).toBe(true);
    expect((await reviewAccess(nobody, access)).allowed).toBe(false);
    await expect(nobody.list(nodes)).rejects.toSatisfy(isForbidden);
  });

  test("a token that is replaced in its file is taken up when the old one is refused", async () => {
    const token = join(cluster.folder, "rotating-token");
    const ca = Buffer.from(cluster.address.ca).toString("base64");
    const kubeconfig = join(cluster.folder, "rotating.kubeconfig");
    writeFileSync(
      kubeconfig,
      `
current-context: a
clusters: [{name: a, cluster: {server: "${cluster.address.url}", certificate-authority-data: "${ca}"}}]
users: [{name: a, user: {tokenFile: rotating-token}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
`,
    );
    writeFileSync(token, "no-good");
    const rotating = await clientOf(kubeconfig);
    await expect(rotating.get(nodes, "w-1")).rejects.toThrow("401 Unauthorized");
    writeFileSync(token, cluster.token());
    // Within five seconds of the last read the file is left alone.
    const look = async () => (await rotating.get(nodes, "w-1"))?.metadata.name;
    expect(await eventually("the new token is taken up", look, { deadlineMs: 15_000 })).toBe("w-1");
  });
});

function labelled(name: string): ConfigMap {
  return { ...map(name), metadata: { name, namespace: "default", labels: { for: "paging" } } };
}
