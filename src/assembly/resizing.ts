// What the API server lets us change in the resources of pods that run, asked once before anything begins.
import type { Client } from "../kube/client/client.ts";
import { hasSubresource, minorOf, readServerVersion } from "../kube/client/discovery.ts";
import type { Logger } from "../runtime/log/log.ts";

/** Nothing; anything but less memory; anything. */
export type Resizing = "none" | "growing" | "free";

/** A server that is away must not keep us from starting. */
const ASK_MS = 5_000;
/** Kubernetes 1.33 refuses to take memory from containers; from 1.34 on the kubelet does it as soon as the container uses less. */
const SHRINKS_SINCE_MINOR = 34;
const GATE = "feature gate InPlaceWorkloadVerticalScaling";

/** Asks the server what it can do, and says it where that is less than the gate promises. */
export async function askResizing(client: Client, log: Logger): Promise<Resizing> {
  if (!(await hasResize(client, log))) return "none";
  try {
    const minor = minorOf(await readServerVersion(client, { timeoutMs: ASK_MS }));
    return (minor ?? 0) >= SHRINKS_SINCE_MINOR ? "free" : "growing";
  } catch (error) {
    log.warn("cannot ask the API server for its version; pods that get less memory are made anew", { error });
    return "growing";
  }
}

/** Of a server that does not tell, the gate is believed: a refused resize is told of its pod. */
async function hasResize(client: Client, log: Logger): Promise<boolean> {
  try {
    const resize = { group: "", version: "v1", name: "pods/resize" };
    if (await hasSubresource(client, resize, { timeoutMs: ASK_MS })) return true;
  } catch (error) {
    log.warn(`cannot ask the API server for pods/resize; ${GATE} stays on`, { error });
    return true;
  }
  const why = "the API server has no pods/resize; pods are made anew for other amounts of cpu and memory";
  log.warn(`${GATE} has no effect: ${why}`);
  return false;
}
