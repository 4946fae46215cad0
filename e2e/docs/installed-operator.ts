// Stands in for the pods of the installation, which have no image here: while their Deployment asks for replicas, the operator runs as a process
// with the rights of their service account, and the API server asks its webhooks by URL.
import { NAME, NAMESPACE } from "../../tools/gen/deploy/names.ts";
import { eventually } from "../control-plane/eventually.ts";
import type { ClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";
import { OPERATOR } from "../program/installed-cluster.ts";
import { type OperatorProcess, startOperatorProcess } from "../program/operator-process.ts";
import { issueToken } from "../runtime/access.ts";
import type { PageShell } from "./page-shell.ts";

const SOON = { deadlineMs: 60_000, everyMs: 200 };
const REPLICAS = `kubectl -n ${NAMESPACE} get deployment ${NAME} --ignore-not-found -o jsonpath={.spec.replicas}`;
/** An object for each configuration of webhooks that could refuse it. */
const TRIAL = "kubectl create --dry-run=server -f examples/variant-set.yaml -f examples/daemon-set.yaml";

export class InstalledOperator {
  readonly #world: ClusterWithNodes;
  readonly #shell: PageShell;
  readonly #kubeconfig: string;
  #process: OperatorProcess | undefined;
  #tokens = 0;

  constructor(world: ClusterWithNodes, shell: PageShell) {
    this.#world = world;
    this.#shell = shell;
    this.#kubeconfig = world.cluster.kubeconfigFile();
  }

  /** Starts or ends the process as the Deployment says; resolves when it is so. */
  async follow(): Promise<void> {
    const replicas = Number(await this.#shell.ask(REPLICAS, this.#kubeconfig));
    if (replicas > 0 && this.#process === undefined) await this.#start();
    else if (replicas === 0) await this.stop();
  }

  async stop(): Promise<void> {
    await this.#process?.end();
    this.#process = undefined;
  }

  async #start(): Promise<void> {
    const { cluster, admin } = this.#world;
    const account = { kind: "ServiceAccount", name: NAME, namespace: NAMESPACE } as const;
    this.#tokens += 1;
    const { token } = await issueToken(cluster, admin.client, account, `operator-token-${this.#tokens}`);
    const kubeconfig = cluster.kubeconfigFile(OPERATOR, cluster.address, token);
    const flags = ["--registry-probe", "false"];
    const started = await startOperatorProcess(kubeconfig, { webhooks: true, flags });
    this.#process = started;
    await eventually("it leads", () => started.said().includes('"leading"') || undefined, SOON);
    // The API server learns of the webhooks a moment after their certificate is published.
    await eventually("writes are judged", () => this.#shell.ask(TRIAL, this.#kubeconfig), SOON);
  }
}
