// One session of the real kubectl with the embedded server and with a real kube-apiserver. The first is a golden, to be read in
// reviews (FARRIER_RECORD=1 writes it anew); the second must be the same but for the differences that are named.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Binaries } from "../control-plane/binaries.ts";
import { type Cluster, startCluster } from "../control-plane/cluster.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { differences } from "./differences.ts";
import { type EmbeddedApi, startEmbeddedApi } from "./embedded-api.ts";
import { session } from "./session.ts";
import { play, printTranscript, type Scene } from "./transcript.ts";

const golden = new URL("transcript.golden.txt", import.meta.url);
const manifests = join(import.meta.dirname, "manifests");

async function playOn(binaries: Binaries, folder: string, kubeconfigText: string): Promise<readonly Scene[]> {
  const kubeconfig = join(folder, "kubeconfig");
  mkdirSync(folder);
  writeFileSync(kubeconfig, kubeconfigText);
  const program = binaries.get("kubectl") ?? "kubectl";
  return play({ program, kubeconfig, home: join(folder, "home"), folder: manifests }, session);
}

const textOf = (scenes: readonly Scene[]) => scenes.map(({ command, text }) => `$ kubectl ${command}\n${text}`);

describeWith("api", "kubectl", (binaries) => {
  const hasKubectl = binaries.has("kubectl");
  let folder: string;
  let embedded: EmbeddedApi;
  let cluster: Cluster;
  let here: readonly Scene[] = [];
  let there: readonly Scene[] = [];

  beforeAll(async () => {
    if (!hasKubectl) return;
    folder = mkdtempSync(join(tmpdir(), "farrier-kubectl-"));
    embedded = await startEmbeddedApi();
    cluster = await startCluster({ binaries, parts: "api" });
    here = await playOn(binaries, join(folder, "here"), embedded.kubeconfig);
    there = await playOn(binaries, join(folder, "there"), readFileSync(cluster.kubeconfigFile(), "utf8"));
  });

  afterAll(async () => {
    await embedded?.stop();
    await cluster?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(!hasKubectl)("has the recorded session with the embedded server", () => {
    const transcript = printTranscript(session, here);
    if (process.env.FARRIER_RECORD === "1") writeFileSync(golden, transcript);
    expect(transcript).toBe(readFileSync(golden, "utf8"));
    expect(embedded.faults).toEqual([]);
  });

  test.skipIf(!hasKubectl)("has the same session with a real server, but for the differences that are named", () => {
    const named = new Set(differences.map(({ command }) => command));
    const alike = (scenes: readonly Scene[]) => textOf(scenes.filter(({ command }) => !named.has(command)));
    expect(alike(here)).toEqual(alike(there));
  });

  test.skipIf(!hasKubectl).each(differences)("is shown a difference by $command: $because", (difference) => {
    const shown = (scenes: readonly Scene[]) => scenes.find(({ command }) => command === difference.command)?.text;
    const [mine = "", real = ""] = [shown(here), shown(there)];
    expect(mine).not.toBe("");
    expect(mine).not.toBe(real);
    const odd = mine.split("\n").filter((line) => !real.split("\n").includes(line));
    expect(difference.isPart === true ? odd : []).toEqual([]);
  });
});
