// The program as it is installed: the manifest applied to a real control plane with RBAC, the operator as a process of its own with
// exactly the rights of its service account, and the examples fitted on simulated nodes.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expandFleet } from "../../sim/fleets/expand-fleet.ts";
import { readFleet } from "../../sim/fleets/read-fleet.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { freePorts } from "../control-plane/free-ports.ts";
import { type Kubectl, runKubectl } from "../kubectl/kubectl.ts";
import { type ClusterWithNodes, startClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const OPERATOR = "system:serviceaccount:farrier-system:farrier";
const SOON = { deadlineMs: 60_000, everyMs: 500 };

describeWith("controllers", "the installed program", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-program-"));
  let world: ClusterWithNodes;
  let kubectl: Kubectl;
  let operator: ChildProcess;
  let said = "";
  let httpPort = 0;

  /** Runs kubectl; what it prints, if it succeeds. */
  const run = async (command: string, input?: string): Promise<string> => {
    const { code, out, err } = await runKubectl(kubectl, command, input === undefined ? {} : { input });
    if (code !== 0) throw new Error(err);
    return out;
  };

  beforeAll(async () => {
    const users = [{ name: OPERATOR, groups: ["system:serviceaccounts", "system:authenticated"] }];
    world = await startClusterWithNodes({ binaries, machines: expandFleet(readFleet("small-5")), users });
    const program = binaries.get("kubectl") ?? "kubectl";
    kubectl = { program, kubeconfig: world.cluster.kubeconfigFile(), home: folder, folder: ROOT };
    await run("apply --server-side -f deploy/farrier.yaml");
    const [http = 0, webhook = 0] = await freePorts(2);
    httpPort = http;
    const flags = [
      "--http-port",
      `${http}`,
      "--webhook",
      `https://localhost:${webhook}`,
      "--webhook-port",
      `${webhook}`,
    ];
    const kubeconfig = world.cluster.kubeconfigFile(OPERATOR);
    const args = [join(ROOT, "src", "main.ts"), "run", "--kubeconfig", kubeconfig, ...flags];
    operator = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    operator.stdout?.on("data", (bytes) => (said += bytes));
    operator.stderr?.on("data", (bytes) => (said += bytes));
    await eventually("the operator is ready", isReady, SOON);
  });
  afterAll(async () => {
    operator?.kill("SIGKILL");
    await world?.stop();
    rmSync(folder, { recursive: true });
  });

  async function isReady(): Promise<true | undefined> {
    const { status } = await fetch(`http://127.0.0.1:${httpPort}/readyz`);
    return status === 200 || undefined;
  }

  test("its webhook refuses what cannot work, with the field and the remedy", async () => {
    const bad = {
      ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", metadata: { name: "bad", namespace: "default" } },
      spec: {
        selector: { matchLabels: { app: "bad" } },
        template: { metadata: { labels: { app: "bad" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        patches: [{ selector: {}, patch: { spec: { template: { spec: {} } } } }],
      },
    };
    // The API server learns of the webhook a moment after the certificate is published.
    const refused = async () => {
      const { err } = await runKubectl(kubectl, "create --dry-run=server -f -", { input: JSON.stringify(bad) });
      return err.includes('admission webhook "daemonset-patches.kruise.io" denied the request') ? err : undefined;
    };
    expect(await eventually("the webhook refuses", refused, SOON)).toContain("spec.patches[0].patch");
  });

  test("the examples are taken and fitted, and kubectl can wait for that", async () => {
    await run("apply -f examples/variant-set.yaml -f examples/daemon-set.yaml");
    await run("wait --for=condition=Ready --timeout=25s variantset/csi-baremetal-node");
    await run("wait --for=condition=Ready --timeout=25s daemonset.apps.kruise.io/nydus-snapshotter");
    const pods = JSON.parse(await run("get pods -o json")).items.map(
      (pod: { spec: { nodeName: string } }) => pod.spec.nodeName,
    );
    const nodes = JSON.parse(await run("get nodes -o json")).items.filter(
      (node: { spec: { taints?: unknown } }) => !node.spec.taints,
    );
    expect(pods).toHaveLength(2 * nodes.length);
  });

  test("a client of the older version reads and writes the same object", async () => {
    const older = JSON.parse(await run("get daemonsets.v1alpha1.apps.kruise.io nydus-snapshotter -o json"));
    expect(older.apiVersion).toBe("apps.kruise.io/v1alpha1");
    expect(older.spec.patches).toHaveLength(1);
    expect(older.status.daemonSetHash).toMatch(/./);
    const paused = { spec: { updateStrategy: { rollingUpdate: { paused: true } } } };
    await run(`patch daemonsets.v1alpha1.apps.kruise.io nydus-snapshotter --type merge -p '${JSON.stringify(paused)}'`);
    const newer = JSON.parse(await run("get daemonsets.v1beta1.apps.kruise.io nydus-snapshotter -o json"));
    expect(newer.spec.updateStrategy.rollingUpdate.paused).toBe(true);
    expect(newer.spec.patches).toEqual(older.spec.patches);
  });

  test("it was never refused anything: its role is enough", async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
    expect(metrics).toMatch(/^farrier_api_requests_total\{.*code="20[01]"/m);
    expect(metrics.match(/^farrier_api_requests_total\{.*code="403".*$/gm)).toBeNull();
    expect(said).not.toContain("forbidden");
  });

  test("asked to stop, it gives back its lease and ends well", async () => {
    operator.kill("SIGTERM");
    const [code] = await once(operator, "exit");
    expect([code, said]).toEqual([0, expect.stringContaining("asked to stop")]);
    const lease = JSON.parse(await run("get lease farrier -n farrier-system -o json"));
    expect(lease.spec.holderIdentity ?? "").toBe("");
  });
});
