// The program as it is installed: the manifest applied to a real control plane with RBAC, the operator as a process of its own with
// exactly the rights of its service account, and the examples fitted on simulated nodes.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_DEFINITIONS } from "../../src/kinds/all-definitions.ts";
import { daemonSetCrd } from "../../src/kinds/daemon-set/api/crd.ts";
import { customResourceDefinition } from "../../src/kinds/schema/crd.ts";
import { definitions } from "../../src/kube/client/built-in-resources.ts";
import { installObjects } from "../../tools/gen/deploy/install.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type Kubectl, runKubectl } from "../kubectl/kubectl.ts";
import { MISSING, machines, promises } from "./example-promises.ts";
import { type InstalledCluster, startInstalledCluster } from "./installed-cluster.ts";
import { type OperatorProcess, startOperatorProcess } from "./operator-process.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SOON = { deadlineMs: 60_000, everyMs: 500 };

describeWith("controllers", "the installed program", (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), "farrier-program-"));
  let world: InstalledCluster;
  let kubectl: Kubectl;
  let operator: OperatorProcess;

  /** Runs kubectl; what it prints, if it succeeds. */
  const run = async (command: string, input?: string): Promise<string> => {
    const { code, out, err } = await runKubectl(kubectl, command, input === undefined ? {} : { input });
    if (code !== 0) throw new Error(err);
    return out;
  };

  beforeAll(async () => {
    world = await startInstalledCluster({ binaries, machines });
    const program = binaries.get("kubectl") ?? "kubectl";
    kubectl = { program, kubeconfig: world.cluster.kubeconfigFile(), home: folder, folder: ROOT };
    // The definitions come later: an operator that is there first waits for them.
    await run("apply --server-side -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: allButDefinitions }));
    operator = await startOperatorProcess(world.operatorKubeconfig, {
      ...{ webhooks: true, flags: ["--registry-probe", "false"] },
    });
  });
  afterAll(async () => {
    await operator?.kill();
    await world?.stop();
    rmSync(folder, { recursive: true });
  });

  /** The ready pods of one maker, by node, as the promises tell them. */
  const fits = async (maker: RegExp): Promise<Readonly<Record<string, string>>> => {
    const { items }: { readonly items: readonly StoredPod[] } = JSON.parse(await run("get pods -o json"));
    const made = items.filter((pod) => maker.test(pod.metadata.ownerReferences?.[0]?.name ?? "") && isServing(pod));
    return Object.fromEntries(made.map(({ spec }) => [spec.nodeName ?? "", imageAndEnvironment(spec)]).sort());
  };

  test("without definitions it starts, waits, and says for which", async () => {
    for (const { names } of ALL_DEFINITIONS) {
      const name = `${names.plural}.${names.group}`;
      const isSaid = () =>
        operator
          .said()
          .split("\n")
          .some((line) => line.includes("waiting for") && line.includes(name));
      await eventually(`it says that it waits for ${name}`, () => isSaid() || undefined, SOON);
    }
  });

  test("with another operator's definition it says what is missing there, and leaves the objects alone", async () => {
    await run("create -f -", JSON.stringify(definitionWithoutPatches()));
    const create = async () => (await runKubectl(kubectl, "apply -f -", { input: JSON.stringify(early) })).code === 0;
    await eventually("a set can be stored", async () => (await create()) || undefined, SOON);
    const lacks = "daemonsets.apps.kruise.io is not ours and lacks spec.patches";
    const lines = () => operator.said().split("\n");
    const isSaid = () => lines().some((line) => line.includes("left alone") && line.includes(lacks));
    await eventually("it says why it does nothing", () => isSaid() || undefined, SOON);
    expect(await fits(/^early$/)).toEqual({});
  });

  test("with ours in its place that kind is served, too", async () => {
    await run(
      "apply --server-side -f deploy/crds/modules.kmm.sigs.x-k8s.io.yaml -f deploy/crds/variantsets.farrier.dev.yaml",
    );
    // Its conversion is the operator's by now.
    const { versions } = Object(customResourceDefinition(daemonSetCrd).spec);
    const body = { spec: { versions } };
    await world.admin.client.patch(definitions, "daemonsets.apps.kruise.io", { type: "merge", body });
    const isServed = async () => Object.keys(await fits(/^early$/)).length === machines.length || undefined;
    await eventually("every node has its pod", isServed, SOON);
    await run("delete daemonset.apps.kruise.io early");
  });

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

  test("every example is here", () => {
    const files = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" });
    const told = [...promises.map(({ file }) => file), "story/4-nydus-broken.yaml"];
    expect(files.filter((file) => file.endsWith(".yaml")).sort()).toEqual(told.sort());
  });

  test.each(promises)(
    "$file is taken without a warning, does what it promises, and $object says so",
    async (promised) => {
      const { code, err } = await runKubectl(kubectl, `apply -f examples/${promised.file}`);
      expect([code, err]).toEqual([0, ""]);
      await eventually(
        "the nodes have what the example promises",
        async () => {
          expect(await fits(promised.maker)).toEqual(promised.fits);
          return true;
        },
        SOON,
      );
      await run(`wait --for=condition=Ready=${promised.ready} --timeout=25s ${promised.object}`);
    },
  );

  test("story/4-nydus-broken.yaml costs one node, and the others keep what they have", async () => {
    world.kubelets.pullFrom((image) => (image === MISSING ? { is: "missing" } : { is: "there", pullMs: 0 }));
    await run("apply -f examples/story/4-nydus-broken.yaml");
    const left = async () => {
      const there = Object.keys(await fits(/^nydus$/));
      return there.length === machines.length - 1 ? there : undefined;
    };
    await eventually("one node is without", left, SOON);
    const held = async () => {
      const status = await run("get daemonset.apps.kruise.io nydus -o jsonpath={.status.updatedNumberScheduled}");
      return status === "1" || undefined;
    };
    await eventually("the status counts one", held, SOON);
    expect(await left()).toHaveLength(machines.length - 1);
  });

  test.each([
    ["modules", "NAME NODES KERNELS FITTED UNFIT BUILDING READY AGE"],
    ["modules -o wide", "NAME NODES KERNELS FITTED UNFIT BUILDING READY AGE REASON SELECTOR"],
    ["variantsets", "NAME VARIANTS NODES FITTED HELD UNKNOWN READY AGE"],
  ])("kubectl get %s shows %s", async (what, columns) => {
    const [header] = (await run(`get ${what}`)).split("\n");
    expect(header?.trim().split(/\s+/).join(" ")).toBe(columns);
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
    const metrics = await (await operator.page("/metrics")).text();
    expect(metrics).toMatch(/^farrier_api_requests_total\{.*code="20[01]"/m);
    expect(metrics.match(/^farrier_api_requests_total\{.*code="403".*$/gm)).toBeNull();
    expect(operator.said()).not.toContain("forbidden");
  });

  test("asked to stop, it gives back its lease and ends well", async () => {
    expect([await operator.end(), operator.said()]).toEqual([0, expect.stringContaining("asked to stop")]);
    const lease = JSON.parse(await run("get lease farrier -n farrier-system -o json"));
    expect(lease.spec.holderIdentity ?? "").toBe("");
  });

  test("while nobody serves the webhooks, only writes of our kinds are refused", async () => {
    const refused = await runKubectl(kubectl, "apply -f -", { input: JSON.stringify(early) });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("failed calling webhook")]);
    await run("create configmap somebody --from-literal=a=b");
    await run("label node plain-2 somebody=was-here");
    await run("delete pod --wait=false -l app=nydus-snapshotter");
  });
});

/** What an installation has besides the definitions. */
const allButDefinitions = installObjects().filter(({ kind }) => kind !== "CustomResourceDefinition");

const early = {
  ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", metadata: { name: "early", namespace: "default" } },
  spec: {
    selector: { matchLabels: { app: "early" } },
    template: {
      metadata: { labels: { app: "early" } },
      spec: { containers: [{ name: "c", image: "example.com/e:1" }] },
    },
  },
};

/** The definition of advanced DaemonSets as an operator has it that knows no patches. */
function definitionWithoutPatches(): object {
  const withoutPatches = (key: string, value: unknown) => (key === "patches" ? undefined : value);
  return JSON.parse(JSON.stringify(customResourceDefinition(daemonSetCrd)), withoutPatches);
}

type Container = { readonly image: string; readonly env?: readonly { readonly value?: string }[] };
type StoredPod = {
  readonly metadata: {
    readonly ownerReferences?: readonly { readonly name: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly Container[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

function isServing({ metadata, status }: StoredPod): boolean {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
  return isReady && metadata.deletionTimestamp === undefined;
}

function imageAndEnvironment({ containers }: StoredPod["spec"]): string {
  const [container] = containers;
  const values = (container?.env ?? []).flatMap(({ value }) => value ?? []);
  return [container?.image.split("/").at(-1), ...values].join(" ");
}
