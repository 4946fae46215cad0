// The installation on a real API server with RBAC and Pod Security: every object is taken as it is, the operator's pods may run in their
// namespace, and its identity may do what it needs and nothing that it does not.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installObjects } from "../../tools/gen/deploy/install.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type Kubectl, runKubectl } from "../kubectl/kubectl.ts";
import { startOperatorProcess } from "../program/operator-process.ts";

const OPERATOR = "system:serviceaccount:farrier-system:farrier";
const SOON = { deadlineMs: 60_000, everyMs: 200 };
const manifest = new URL("../../deploy/farrier.yaml", import.meta.url);

describeWith("api", "the installation", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-install-"));
  let cluster: Cluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    kubectl = {
      program: binaries.get("kubectl") ?? "kubectl",
      kubeconfig: cluster.kubeconfigFile(),
      home: folder,
      folder,
    };
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  test("one kubectl apply installs everything, and a second one changes nothing", async () => {
    const first = await runKubectl(kubectl, `apply --server-side -f ${manifest.pathname}`);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out.trim().split("\n")).toHaveLength(installObjects().length);
    const second = await runKubectl(kubectl, `diff --server-side -f ${manifest.pathname}`);
    expect(second).toMatchObject({ code: 0, out: "" });
  });

  test("after an operator outside the cluster has put its URL there, the Service takes its place by force", async () => {
    const operator = await startOperatorProcess(kubectl.kubeconfig, { webhooks: true });
    const asked = async () => {
      const configurations = "validatingwebhookconfigurations,mutatingwebhookconfigurations,customresourcedefinitions";
      const { out } = await runKubectl(kubectl, `get ${configurations} -o json`);
      return [...new Set(out.match(/"https:|"farrier-webhook"/g) ?? [])];
    };
    await eventually("its URL is there", async () => (await asked()).join() === '"https:' || undefined, SOON);
    expect(await operator.end()).toBe(0);
    const refused = await runKubectl(kubectl, `apply --server-side -f ${manifest.pathname}`);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("clientConfig.url")]);
    expect(refused.err).not.toContain("is invalid");
    const forced = await runKubectl(kubectl, `apply --server-side --force-conflicts -f ${manifest.pathname}`);
    expect(forced).toMatchObject({ code: 0, err: "" });
    expect(await asked()).toEqual(['"farrier-webhook"']);
  });

  test("a pod of the operator meets the restricted standard of its namespace, a privileged one does not", async () => {
    const [deployment] = installObjects().filter(({ kind }) => kind === "Deployment");
    const { metadata, spec } = Object(deployment?.spec).template;
    const aPod = (container: object) => ({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name: "try", namespace: "farrier-system" } },
      spec: { ...spec, containers: spec.containers.map((each: object) => ({ ...each, ...container })) },
    });
    const attempt = (container: object) =>
      runKubectl(kubectl, "create --dry-run=server -f -", { input: JSON.stringify(aPod(container)) });
    expect(await attempt({})).toMatchObject({ code: 0, err: "" });
    const refused = await attempt({ securityContext: { privileged: true } });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('violates PodSecurity "restricted')]);
  });

  test.each<readonly [string, string]>([
    ["yes", "patch nodes"],
    ["yes", "create daemonsets.apps -n elsewhere"],
    ["yes", "patch daemonsets.apps.kruise.io --subresource=status -n elsewhere"],
    ["yes", "patch pods --subresource=resize -n elsewhere"],
    ["yes", "update leases.coordination.k8s.io/farrier -n farrier-system"],
    ["yes", "update secrets/farrier-certificates -n farrier-system"],
    ["yes", "patch validatingwebhookconfigurations/farrier-validator"],
    ["no", "patch validatingwebhookconfigurations/somebody-elses"],
    ["no", "get secrets -n elsewhere"],
    ["no", "list secrets -n farrier-system"],
    ["yes", "get configmaps -n elsewhere"],
    ["no", "list configmaps -n elsewhere"],
    ["no", "update modules.kmm.sigs.x-k8s.io -n elsewhere"],
    ["no", "delete nodes"],
    ["no", "create pods --subresource=exec -n elsewhere"],
    ["no", "patch nodes --subresource=status"],
  ])("the operator's identity: %s, it may %s", async (answer, request) => {
    // The authorizer learns of roles a moment after they are stored.
    const isAnswered = async () => {
      const { out } = await runKubectl(kubectl, `auth can-i ${request} --as=${OPERATOR}`);
      return out.trim() === answer || undefined;
    };
    await eventually(`"${request}" is answered with ${answer}`, isAnswered, { deadlineMs: 10_000 });
  });
});
