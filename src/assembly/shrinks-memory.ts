// Whether the API server lets memory be taken from containers that run. Kubernetes 1.33 refuses it; from 1.34 on the kubelet does it as
// soon as the container uses less.
import type { Client } from "../kube/client.ts";
import { readServerVersion } from "../kube/discovery.ts";
import type { Logger } from "../runtime/log.ts";

/** A server that is away must not keep us from starting; then pods are made anew, which every server takes. */
const ASK_MS = 5_000;
const SINCE_MINOR = 34;

/** Asks the server for its version, and says what follows from it. */
export async function shrinksMemory(client: Client, log: Logger): Promise<boolean> {
  try {
    const { major, minor } = await readServerVersion(client, { timeoutMs: ASK_MS });
    // Some providers write the minor version as "34+".
    return major === "1" && Number.parseInt(minor, 10) >= SINCE_MINOR;
  } catch (error) {
    log.warn("cannot ask the API server for its version; pods that get less memory are made anew", { error });
    return false;
  }
}
