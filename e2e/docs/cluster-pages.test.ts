// Every command that the documentation shows for a cluster of somebody's own, typed on a real control plane with RBAC: the installation, the ways
// from other operators, and back. Pods that a page promises to leave alone are the same ones in the end.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { repositoryRoot } from "../../tools/repository.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { startClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";
import { InstalledOperator } from "./installed-operator.ts";
import { pageCommands } from "./page-commands.ts";
import { openPageShell } from "./page-shell.ts";
import { csiDefinition, type PageStage, pageStages, stageMachines } from "./page-stages.ts";

const SOON = { deadlineMs: 60_000, everyMs: 300 };
const PATIENCE_MS = 400_000;
const INSTALL = "kubectl apply --server-side -f deploy/farrier.yaml";
/** Whoever stored what is there before: not the one who types the page. */
const STORE = "kubectl apply --server-side --field-manager=another -f -";

const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: repositoryRoot }).toSorted()]
  .map((path) => ({
    path,
    commands: pageCommands(readFileSync(join(repositoryRoot, path), "utf8")).filter(({ on }) => on === "cluster"),
  }))
  .filter(({ commands }) => commands.length > 0);

test("every page about a cluster has a stage, and the other way round", () => {
  expect(Object.keys(pageStages).sort()).toEqual(pages.map(({ path }) => path).sort());
});

describeWith("controllers", "a page about a cluster of one's own", (binaries) => {
  const shell = openPageShell(binaries);
  afterAll(() => shell.close());

  /** The identities of the pods that stay, once they are all ready. */
  const podsOf = async ({ keeps }: PageStage, kubeconfig: string): Promise<readonly string[]> => {
    if (keeps === undefined) return [];
    const look = "-o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[0].ready}{\"\\n\"}{end}'";
    const told = async () => (await shell.ask(`kubectl get pods ${keeps.pods} ${look}`, kubeconfig)).trim().split("\n");
    const areReady = (pods: readonly string[]) =>
      pods.length === keeps.count && pods.every((pod) => pod.endsWith(" true"));
    const ready = async () => {
      const pods = await told();
      if (!areReady(pods)) throw new Error(pods.join("; "));
      return pods.toSorted();
    };
    return eventually("its pods are ready", ready, SOON);
  };

  /** Stores what the page finds. */
  const prepare = async (stage: PageStage, kubeconfig: string): Promise<void> => {
    if (stage.isInstalled) await shell.ask(INSTALL, kubeconfig);
    for (const [name, text] of Object.entries(stage.files ?? {})) writeFileSync(join(shell.folder, name), text);
    for (const text of stage.manifests) {
      const uid = `kubectl get ${stage.owner} -o jsonpath={.metadata.uid}`;
      const known = text.includes("OWNER_UID") ? text.replaceAll("OWNER_UID", await shell.ask(uid, kubeconfig)) : text;
      // A definition that has just been stored is served a moment later.
      await eventually("it is stored", () => shell.ask(STORE, kubeconfig, known), SOON);
    }
  };

  test.each(pages)(
    "$path does what it says",
    async ({ path, commands }) => {
      const stage = pageStages[path] ?? { isInstalled: false, manifests: [] };
      const world = await startClusterWithNodes({ binaries, machines: stageMachines, definitions: [csiDefinition] });
      const operator = new InstalledOperator(world, shell);
      try {
        const kubeconfig = world.cluster.kubeconfigFile();
        await prepare(stage, kubeconfig);
        await operator.follow();
        const before = await podsOf(stage, kubeconfig);
        const until = commands.findIndex(({ command }) => command.startsWith(stage.keeps?.until ?? "nothing"));
        for (const [at, command] of commands.entries()) {
          if (at === until) expect(await podsOf(stage, kubeconfig)).toEqual(before);
          expect(await shell.type(path, command, kubeconfig)).toBe("");
          await operator.follow();
        }
        if (until < 0) expect(await podsOf(stage, kubeconfig)).toEqual(before);
      } finally {
        await operator.stop();
        await world.stop();
      }
    },
    PATIENCE_MS,
  );
});
