// The operator as a process of its own, which a test can kill as a machine does: at once, in the middle of whatever it sends.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Cluster } from "../../control-plane/cluster.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { freePorts } from "../../control-plane/free-ports.ts";

const MAIN = join(import.meta.dirname, "..", "..", "..", "src", "main.ts");
const SOON = { deadlineMs: 60_000, everyMs: 200 };

export type OperatorOptions = {
  /** Whose rights it has. */
  readonly user?: string;
  /** Serve webhooks, which the API server then asks. */
  readonly webhooks?: boolean;
  readonly flags?: readonly string[];
};

export type OperatorProcess = {
  /** What it has printed so far. */
  said(): string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
};

/** Starts one; resolves when it calls itself ready. */
export async function startOperatorProcess(cluster: Cluster, options: OperatorOptions = {}): Promise<OperatorProcess> {
  const [http = 0, webhook = 0] = await freePorts(2);
  const hooks = ["--webhook", `https://localhost:${webhook}`, "--webhook-port", `${webhook}`];
  const flags = ["--kinds", "DaemonSet", "--http-port", `${http}`, ...(options.webhooks ? hooks : [])];
  const kubeconfig = cluster.kubeconfigFile(options.user);
  const args = [MAIN, "run", "--kubeconfig", kubeconfig, ...flags, ...(options.flags ?? [])];
  const process_ = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [process_.stdout, process_.stderr]) stream.on("data", (bytes) => (said += String(bytes)));
  const kill = () => ended(process_);
  const isReady = async () => {
    if (process_.exitCode !== null) throw new Error(`the operator has ended: ${said.slice(-2_000)}`);
    const { status } = await fetch(`http://127.0.0.1:${http}/readyz`);
    return status === 200 || undefined;
  };
  try {
    await eventually("the operator is ready", isReady, SOON);
  } catch (error) {
    await kill();
    throw error;
  }
  return { said: () => said, kill };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
