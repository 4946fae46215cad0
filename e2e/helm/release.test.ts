// The chart on a real API server with RBAC, in a namespace of its own choice: installed, filled by the operator, upgraded, uninstalled and
// installed again. No container runs; the operator is a process with the rights of the installed identity.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHART } from "../../tools/gen/deploy/helm/chart.ts";
import { installObjects } from "../../tools/gen/deploy/install.ts";
import { repositoryRoot } from "../../tools/repository.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { connect } from "../control-plane/connect.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type Kubectl, runKubectl, wordsOf } from "../kubectl/kubectl.ts";
import { startOperatorProcess } from "../program/operator-process.ts";
import { issueToken } from "../runtime/access.ts";
import { describeWithHelm, type Helm, runHelm } from "./helm.ts";

const NAMESPACE = "drivers";
const SOON = { deadlineMs: 60_000, everyMs: 200 };
const INSTALL = `upgrade --install farrier ${CHART} --namespace ${NAMESPACE} --create-namespace`;
const UNINSTALL = `uninstall farrier --namespace ${NAMESPACE}`;
const definitions = namesOf("CustomResourceDefinition");
const webhooks = [...namesOf("ValidatingWebhookConfiguration"), ...namesOf("MutatingWebhookConfiguration")];
const wide = [...namesOf("ClusterRole"), ...namesOf("ClusterRoleBinding")];
const own = [
  ...["Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy", "Lease", "Secret"],
  ...["ServiceAccount", "Role", "RoleBinding"],
].flatMap(namesOf);
const agent = {
  ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "agent", namespace: "default" } },
  spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } }, default: {} },
};
const daemon = {
  ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", metadata: { name: "daemon", namespace: "default" } },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

function namesOf(kind: string): readonly string[] {
  return installObjects()
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => `${kind.toLowerCase()}/${Object(metadata).name}`);
}

describeWithHelm("the chart on a cluster", (build) => {
  describeWith("api", "with RBAC", (binaries) => {
    const folder = mkdtempSync(join(tmpdir(), "farrier-release-"));
    let cluster: Cluster;
    let helm: Helm;
    let kubectl: Kubectl;
    beforeAll(async () => {
      const program = await build();
      cluster = await startCluster({ binaries, parts: "api" });
      const kubeconfig = cluster.kubeconfigFile();
      helm = { program, home: folder, kubeconfig };
      kubectl = { program: binaries.get("kubectl") ?? "kubectl", kubeconfig, home: folder, folder };
    });
    afterAll(async () => {
      await cluster?.stop();
      rmSync(folder, { recursive: true });
    });

    const type = async (command: string): Promise<string> => {
      const { code, out, err } = await runHelm(helm, wordsOf(command));
      if (code !== 0) throw new Error(`helm ${command}: ${err}`);
      return out;
    };
    const ask = async (command: string, input = ""): Promise<string> => {
      const { code, out, err } = await runKubectl(kubectl, command, { input });
      if (code !== 0) throw new Error(`kubectl ${command}: ${err}`);
      return out;
    };
    /** All that is installed, with the versions under which it is stored. */
    const stored = async (): Promise<ReadonlyMap<string, string>> => {
      const all = [...own, ...wide, ...definitions, ...webhooks].join(" ");
      const { items } = JSON.parse(await ask(`get ${all} -n ${NAMESPACE} -o json`));
      return new Map(
        items.map(({ kind, metadata }: { kind: string; metadata: { name: string; resourceVersion: string } }) => [
          ...[`${kind}/${metadata.name}`, metadata.resourceVersion],
        ]),
      );
    };
    /** Where the API server would ask, and whether it would believe the answer. */
    const asked = async () => {
      const text = await ask(
        `get ${[...webhooks, "customresourcedefinition/daemonsets.apps.kruise.io"].join(" ")} -o json`,
      );
      const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
      return {
        services: count(/"name": "farrier-webhook",\s*"namespace": "drivers"/g),
        bundles: count(/"caBundle": "LS0t/g),
      };
    };
    const runOperator = async () => {
      const admin = connect(cluster.address, cluster.token(), "test");
      const account = { kind: "ServiceAccount", name: "farrier", namespace: NAMESPACE } as const;
      const { token } = await issueToken(cluster, admin.client, account, "operator-token");
      admin.close();
      const kubeconfig = cluster.kubeconfigFile(`system:serviceaccount:${NAMESPACE}:farrier`, cluster.address, token);
      // As its container is told: with its arguments, and its namespace where the pod's own is asked for.
      const deployment = JSON.parse(await ask(`get deployment farrier -n ${NAMESPACE} -o json`));
      const { args, env } = deployment.spec.template.spec.containers[0];
      const ofNamespace = env.filter((each: object) => JSON.stringify(each).includes('"metadata.namespace"'));
      const variables = Object.fromEntries(ofNamespace.map(({ name }: { name: string }) => [name, NAMESPACE]));
      return startOperatorProcess(kubeconfig, { webhooks: true, flags: args.slice(1), variables });
    };

    test("one command installs what the single file installs, and says what to do next", async () => {
      const said = await type(INSTALL);
      expect(said).toContain(`kubectl -n ${NAMESPACE} rollout status deployment farrier`);
      expect((await stored()).size).toBe(installObjects().length - 1);
      expect(await asked()).toEqual({ services: 5, bundles: 0 });
    });

    test("the installed identity has the rights it needs there: it leads, and its certificate is made known", async () => {
      const operator = await runOperator();
      await eventually("it leads", () => operator.said().includes('"leading"') || undefined, SOON);
      const isKnown = async () => (await asked()).bundles === 5 || undefined;
      await eventually("its certificate is known", isKnown, SOON);
      expect(operator.said()).not.toContain("forbidden");
      expect(await operator.end()).toBe(0);
    });

    test("the same once more changes nothing, neither objects nor what the operator has written into them", async () => {
      const before = await stored();
      await type(INSTALL);
      expect(await stored()).toEqual(before);
      expect(await asked()).toEqual({ services: 5, bundles: 5 });
    });

    test("a second installation in the same cluster is refused", async () => {
      const second = INSTALL.replace("farrier", "second").replace(NAMESPACE, "elsewhere");
      const { code, err } = await runHelm(helm, wordsOf(second));
      expect([code, err]).toEqual([1, expect.stringContaining("invalid ownership metadata")]);
    });

    test("an upgrade changes what its values say and nothing else", async () => {
      const before = await stored();
      const off = "--set featureGates.AdvancedDaemonSetNodeLabelPatches=false --set replicas=3";
      await type(`${INSTALL} ${off}`);
      const deployment = JSON.parse(await ask(`get deployment farrier -n ${NAMESPACE} -o json`));
      expect(deployment.spec.replicas).toBe(3);
      expect(deployment.spec.template.spec.containers[0].args).toEqual([
        ...["run", "--webhook=service", "--feature-gates=AdvancedDaemonSetNodeLabelPatches=false"],
      ]);
      const changed = [...(await stored())].filter(([name, version]) => before.get(name) !== version);
      expect(changed.map(([name]) => name)).toEqual(["Deployment/farrier"]);
    });

    test("uninstalling takes all away but the definitions", async () => {
      expect(await type(UNINSTALL)).toContain("resource policy");
      expect(await ask(`get ${definitions.join(" ")} -o name`)).toBe(
        definitions.map((name) => `${name.replace("/", ".apiextensions.k8s.io/")}\n`).join(""),
      );
      const left = await ask(`get all,role,rolebinding,lease,networkpolicy,pdb -n ${NAMESPACE} -o name`);
      expect(left.split("\n").filter((name) => !name.startsWith("service/kubernetes") && name !== "")).toEqual([]);
      const wide = await ask("get validatingwebhookconfiguration,mutatingwebhookconfiguration,clusterrole -o name");
      expect(wide).not.toMatch(/farrier|daemonset-patches/);
    });

    test("an upgrade brings the definitions up to date, also those that an uninstalled release has left", async () => {
      const earlier = join(folder, "earlier");
      cpSync(join(repositoryRoot, CHART), earlier, { recursive: true });
      const file = join(earlier, "templates", "crds", "variantsets.farrier.dev.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace("- vset", "- earlier"));
      const shortNames = () => ask("get crd variantsets.farrier.dev -o jsonpath={.spec.names.shortNames}");
      await type(INSTALL.replace(CHART, earlier));
      expect(await shortNames()).toBe('["earlier"]');
      await type(INSTALL);
      expect(await shortNames()).toBe('["vset"]');
      await type(UNINSTALL);
    });

    test("users' objects live through installing over them and uninstalling again", async () => {
      for (const object of [agent, daemon]) await ask("create -f -", JSON.stringify(object));
      const objects = "variantset.farrier.dev/agent daemonset.apps.kruise.io/daemon -n default";
      const uids = () => ask(`get ${objects} -o jsonpath={.items[*].metadata.uid}`);
      const before = await uids();
      await type(INSTALL);
      expect(await uids()).toBe(before);
      await type(UNINSTALL);
      expect(await uids()).toBe(before);
      await ask(`label ${objects} still=mine`);
      // What the documents say of definitions that are left: nobody is there to convert.
      const converted = await runKubectl(kubectl, "get daemonsets.v1alpha1.apps.kruise.io daemon -n default");
      expect([converted.code, converted.err]).toEqual([1, expect.stringContaining("farrier-webhook")]);
      await ask(`delete ${objects} --timeout=30s`);
    });

    describe("where somebody else has been", () => {
      // Each begins with nothing, as whoever wants to be rid of everything leaves it.
      beforeEach(() => ask(`delete --ignore-not-found ${definitions.join(" ")} --timeout=30s`));
      afterEach(() => type(UNINSTALL));

      test("an installation by kubectl is taken over if that is said, and only then", async () => {
        const manifest = readFileSync(join(repositoryRoot, "deploy", "farrier.yaml"), "utf8");
        await ask("apply --server-side -f -", manifest.replaceAll("farrier-system", NAMESPACE));
        const refused = await runHelm(helm, wordsOf(INSTALL));
        expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("invalid ownership metadata")]);
        await type(`${INSTALL} --take-ownership --force-conflicts`);
      });

      test("a definition of another operator gives way by force", async () => {
        const theirs = readFileSync(join(repositoryRoot, "deploy", "crds", "modules.kmm.sigs.x-k8s.io.yaml"), "utf8");
        await ask(
          "apply --server-side --field-manager=another -f -",
          theirs.replace("singular: module", "singular: mod"),
        );
        await type(`${INSTALL} --take-ownership --force-conflicts`);
        expect(await ask("get crd modules.kmm.sigs.x-k8s.io -o jsonpath={.spec.names.singular}")).toBe("module");
      });
    });
  });
});
