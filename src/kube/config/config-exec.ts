// Credential plugins of a kubeconfig (`exec`): a program prints a token or a certificate, which is good until the time it says.
import type { ConfigParts } from "./cluster-config.ts";
import type { ClusterEntry, ExecEntry } from "./config-kubeconfig-file.ts";
import type { CredentialPlugin, PluginCredential } from "./credential-parts.ts";
import { type HeldCredential, parseExecCredential } from "./exec-credential.ts";

/**
 * Long enough for a plugin that asks a login server, and shorter than a caller waits: otherwise a plugin that hangs would
 * look like a server that does not answer.
 */
export const PLUGIN_TIMEOUT_MS = 25_000;
export const PLUGIN_OUTPUT_MAX = 1024 * 1024;
/** A plugin is not started more often than this, whether it fails, a server refuses what it hands out or that ends at once. */
export const PLUGIN_PAUSE_MS = 5_000;
/** Credentials are renewed this long before they end, so that a request under way does not meet the end. */
export const PLUGIN_MARGIN_MS = 10_000;
const STDERR_QUOTED_MAX = 500;

const apiVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

type Target = { readonly cluster: ClusterEntry; readonly ca: string | undefined };

export class ExecPlugin implements CredentialPlugin {
  readonly #parts: ConfigParts;
  readonly #exec: ExecEntry;
  readonly #target: () => Promise<Target>;
  readonly #origin: string;
  #held: HeldCredential | undefined;
  #failure: { readonly error: unknown } | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #running: Promise<PluginCredential> | undefined;

  /** `origin` names the user and the file in messages. */
  constructor(parts: ConfigParts, exec: ExecEntry, target: () => Promise<Target>, origin: string) {
    this.#parts = parts;
    this.#exec = exec;
    this.#target = target;
    this.#origin = origin;
  }

  /** The current credential; starts the plugin when there is none or it ends soon. Rejects in words that name the command. */
  read(): Promise<PluginCredential> {
    const held = this.#held;
    const isFresh = held !== undefined && this.#parts.clock.wallMs() < held.expiresWallMs - PLUGIN_MARGIN_MS;
    // What it has just handed out is used even if it ends soon: the server's clock may see that differently.
    if (held !== undefined && (isFresh || this.#isTooSoon())) return Promise.resolve(held.credential);
    if (this.#failure !== undefined && this.#isTooSoon()) return Promise.reject(this.#failure.error);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  forget(): void {
    if (!this.#isTooSoon()) this.#held = undefined;
  }

  #isTooSoon(): boolean {
    return this.#parts.clock.monotonicMs() - this.#startedMs < PLUGIN_PAUSE_MS;
  }

  async #run(): Promise<PluginCredential> {
    this.#startedMs = this.#parts.clock.monotonicMs();
    try {
      this.#held = await runPlugin(this.#parts, this.#exec, await this.#target());
      this.#failure = undefined;
      return this.#held.credential;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const error = new Error(`${this.#origin}: the credential plugin failed: ${why}`, { cause });
      this.#failure = { error };
      throw error;
    }
  }
}

async function runPlugin(parts: ConfigParts, exec: ExecEntry, target: Target): Promise<HeldCredential> {
  const { command = "", apiVersion = "" } = exec;
  if (command === "") throw new Error("no command is given");
  if (!apiVersions.includes(apiVersion)) {
    throw new Error(`${command}: apiVersion "${apiVersion}" is not known; set ${apiVersions.join(" or ")}`);
  }
  if (exec.interactiveMode === "Always") {
    throw new Error(`${command}: it wants to ask questions (interactiveMode: Always), and nobody is here to answer`);
  }
  const result = await startPlugin(parts, exec, command, requestOf(exec, apiVersion, target));
  if (result.code !== 0) {
    throw new Error(`${command}: ended with code ${result.code}${quoted(result.stderr)}; run it by hand to see more`);
  }
  try {
    return parseExecCredential(result.stdout, apiVersion);
  } catch (cause) {
    throw new Error(`${command}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

async function startPlugin(parts: ConfigParts, exec: ExecEntry, command: string, request: string) {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.env)) if (value !== undefined) env[name] = value;
  try {
    return await parts.programs.run({
      command,
      args: exec.args,
      env: { ...env, ...exec.env, KUBERNETES_EXEC_INFO: request },
      timeoutMs: PLUGIN_TIMEOUT_MS,
      outputMax: PLUGIN_OUTPUT_MAX,
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = exec.installHint === undefined ? "run it by hand to see why" : exec.installHint.trim();
    throw new Error(`${why}; ${hint}`, { cause });
  }
}

function requestOf(exec: ExecEntry, apiVersion: string, { cluster, ca }: Target): string {
  const about = {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.skipVerify || undefined,
    "certificate-authority-data": ca === undefined ? undefined : btoa(ca),
    config: cluster.pluginConfig,
  };
  const spec = { interactive: false, ...(exec.provideClusterInfo ? { cluster: about } : {}) };
  return JSON.stringify({ apiVersion, kind: "ExecCredential", spec });
}

function quoted(stderr: string): string {
  const words = stderr.replace(/[\p{Cc}\s]+/gu, " ").trim();
  if (words === "") return "";
  return ` and said: ${words.length <= STDERR_QUOTED_MAX ? words : `${words.slice(0, STDERR_QUOTED_MAX)}…`}`;
}
