// The operator as a process of its own, which a test can end as a cluster does, politely, or kill as a machine does: at once, in the middle
// of whatever it sends.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually } from "../control-plane/eventually.ts";
import { freePorts } from "../control-plane/free-ports.ts";

const MAIN = join(import.meta.dirname, "..", "..", "src", "main.ts");
const SOON = { deadlineMs: 60_000, everyMs: 200 };

export type OperatorOptions = {
  /** How its pod would be called; its identity begins so. */
  readonly name?: string;
  /** Serve webhooks, which the API server then asks. */
  readonly webhooks?: boolean;
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
};

export type OperatorProcess = {
  /** What it has printed so far. */
  said(): string;
  /** What it answers on its port. */
  page(path: string): Promise<Response>;
  /** SIGTERM; the code with which the process ends. */
  end(): Promise<number>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
};

/** Starts one with the rights of a kubeconfig; resolves when it calls itself ready. */
export async function startOperatorProcess(
  kubeconfig: string,
  options: OperatorOptions = {},
): Promise<OperatorProcess> {
  const [http = 0, webhook = 0] = await freePorts(2);
  const hooks = ["--webhook", `https://localhost:${webhook}`, "--webhook-port", `${webhook}`];
  const flags = ["--http-port", `${http}`, ...(options.webhooks ? hooks : []), ...(options.flags ?? [])];
  const name = options.name === undefined ? {} : { POD_NAME: options.name };
  const env = { ...process.env, ...name, ...options.variables };
  const args = [MAIN, "run", "--kubeconfig", kubeconfig, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += String(bytes)));
  const kill = async () => void (await ended(child, "SIGKILL"));
  const page = (path: string) => fetch(`http://127.0.0.1:${http}${path}`);
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`the operator has ended: ${said.slice(-2_000)}`);
    return (await page("/readyz")).status === 200 || undefined;
  };
  try {
    await eventually("the operator is ready", isReady, SOON);
  } catch (error) {
    await kill();
    throw error;
  }
  return { said: () => said, page, end: () => ended(child, "SIGTERM"), kill };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number> {
  if (child.exitCode !== null) return child.exitCode;
  if (child.signalCode !== null) return -1;
  const exit = once(child, "exit");
  child.kill(signal);
  const [code] = await exit;
  return code ?? -1;
}
