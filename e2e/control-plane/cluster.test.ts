import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "./cluster.ts";
import { describeWith } from "./describe-with.ts";
import { eventually } from "./eventually.ts";
import { freePorts } from "./free-ports.ts";
import { type Answer, call } from "./https-call.ts";
import { startTcpProxy } from "./proxy/tcp-proxy.ts";
import { NOBODY } from "./users.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const GONE_DEADLINE = { deadlineMs: 10_000 };

function ask(cluster: Cluster, path: string, user?: string, body?: unknown): Promise<Answer> {
  const { url, ca } = cluster.address;
  return call(url + path, { ca, token: cluster.token(user), ...(body === undefined ? {} : { body }) });
}

function configMap(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function allGone(pids: readonly number[], folder: string): Promise<boolean> {
  const probe = () => (pids.some(isAlive) || existsSync(folder) ? undefined : true);
  return eventually("programs and folder are gone", probe, GONE_DEADLINE);
}

describeWith("api", "a cluster", (binaries) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({
      binaries,
      parts: "api",
      users: [{ name: "viewer", groups: ["system:monitoring"] }],
    });
  });
  afterAll(() => cluster?.stop());

  test("serves the pinned version with RBAC: each user has the rights of its groups and no others", async () => {
    expect(JSON.parse((await ask(cluster, "/version")).text)).toMatchObject({ major: "1" });
    expect((await ask(cluster, "/api/v1/nodes")).status).toBe(200);
    expect((await ask(cluster, "/api/v1/nodes", NOBODY.name)).status).toBe(403);
    expect((await ask(cluster, "/metrics", NOBODY.name)).status).toBe(403);
    expect((await ask(cluster, "/metrics", "viewer")).status).toBe(200);
  });

  test("the audit log tells every write: who, what, and how it was answered", async () => {
    await ask(cluster, CONFIG_MAPS, undefined, configMap("audited"));
    await ask(cluster, CONFIG_MAPS, NOBODY.name, configMap("refused"));
    await ask(cluster, `${CONFIG_MAPS}/audited`);
    const mine = cluster.audit().filter((write) => write.resource === "configmaps" && write.namespace === "default");
    expect(mine.map(({ user, verb, name, code }) => [user, verb, name, code])).toEqual([
      ["admin", "create", "audited", 201],
      // The API server refuses before it reads the body, where the name is.
      ["nobody", "create", "", 403],
    ]);
  });

  test("what was written survives SIGKILL and restart of etcd and of the API server", async () => {
    expect((await ask(cluster, CONFIG_MAPS, undefined, configMap("kept"))).status).toBe(201);
    const before = cluster.part("etcd").pid;
    await cluster.part("etcd").restart();
    await cluster.part("kube-apiserver").restart();
    expect(cluster.part("etcd").pid).not.toBe(before);
    expect((await ask(cluster, `${CONFIG_MAPS}/kept`)).status).toBe(200);
  });

  test("a killed API server refuses connections until it is started again", async () => {
    await cluster.part("kube-apiserver").kill();
    await expect(ask(cluster, "/readyz")).rejects.toThrow(/ECONNREFUSED/);
    await cluster.part("kube-apiserver").start();
    expect((await ask(cluster, "/readyz")).status).toBe(200);
  });

  test("a replica that is cut off from etcd goes on serving the old world", async () => {
    const link = await startTcpProxy(cluster.etcdPort);
    const replica = await cluster.startReplica(link.port);
    const { ca } = replica.address;
    const fromReplica = async () => {
      const list = await call(`${replica.address.url}${CONFIG_MAPS}?resourceVersion=0`, { ca, token: cluster.token() });
      return list.text;
    };
    await ask(cluster, CONFIG_MAPS, undefined, configMap("before-the-cut"));
    await eventually("the replica knows", async () => (await fromReplica()).includes("before-the-cut") || undefined, {
      deadlineMs: 10_000,
    });
    link.cut("answers");
    await ask(cluster, CONFIG_MAPS, undefined, configMap("after-the-cut"));
    expect(await fromReplica()).not.toContain("after-the-cut");
    link.heal();
    await eventually(
      "the replica catches up",
      async () => (await fromReplica()).includes("after-the-cut") || undefined,
      {
        deadlineMs: 10_000,
      },
    );
    await replica.part.kill();
    await link.stop();
  });

  test("a frozen etcd answers nothing, and everything after it is thawed", async () => {
    const { url, ca } = cluster.address;
    cluster.part("etcd").freeze();
    const write = call(url + CONFIG_MAPS, { ca, token: cluster.token(), body: configMap("late"), timeoutMs: 500 });
    await expect(write).rejects.toThrow(/abort|timeout/i);
    cluster.part("etcd").thaw();
    const read = async () => ((await ask(cluster, CONFIG_MAPS)).status === 200 ? true : undefined);
    expect(await eventually("reads work again", read, { deadlineMs: 20_000 })).toBe(true);
  });
});

describeWith("api", "the life of a cluster", (binaries) => {
  test("two run at once and know nothing of each other; stop() leaves no program and no folder", async () => {
    const clusters = await Promise.all([0, 1].map(() => startCluster({ binaries, parts: "api" })));
    const [one, two] = clusters;
    if (one === undefined || two === undefined) throw new Error("two clusters were started");
    await ask(one, CONFIG_MAPS, undefined, configMap("only-in-one"));
    expect((await ask(one, `${CONFIG_MAPS}/only-in-one`)).status).toBe(200);
    expect((await ask(two, `${CONFIG_MAPS}/only-in-one`)).status).toBe(404);
    for (const cluster of clusters) {
      const pids = [cluster.part("etcd").pid, cluster.part("kube-apiserver").pid, cluster.supervisorPid];
      await cluster.stop();
      expect(pids.filter(isAlive)).toEqual([]);
      expect(existsSync(cluster.folder)).toBe(false);
    }
  });

  test("nothing stays behind when the process that started it is killed with SIGKILL", async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "testing", "cluster-fixture.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { folder, pids }: { folder: string; pids: number[] } = JSON.parse(line);
    expect(pids.filter(isAlive)).toEqual(pids);
    child.kill("SIGKILL");
    expect(await allGone(pids, folder)).toBe(true);
  });

  test("nothing stays behind when the supervisor is killed with SIGKILL", async () => {
    const cluster = await startCluster({ binaries, parts: "api" });
    const pids = [cluster.part("etcd").pid, cluster.part("kube-apiserver").pid];
    process.kill(cluster.supervisorPid, "SIGKILL");
    expect(await allGone(pids, cluster.folder)).toBe(true);
    await cluster.stop();
  });

  test("a port that is taken is said so, before anything is started", async () => {
    const [port] = await freePorts(1);
    const squatter = createServer().listen(port, "127.0.0.1");
    await once(squatter, "listening");
    await expect(startCluster({ binaries, parts: "api", port: port ?? 0 })).rejects.toThrow(
      `port ${port} is taken; choose another or leave it out to get a free one`,
    );
    squatter.close();
  });

  test("a part that cannot start is reported with the end of its log", async () => {
    const extraArgs = { "kube-apiserver": ["--authorization-mode=Nonsense"] };
    const wrong = startCluster({ binaries, parts: "api", extraArgs });
    await expect(wrong).rejects.toThrow(/kube-apiserver ended with 1 before it served:[\s\S]*Nonsense/);
  });
});
