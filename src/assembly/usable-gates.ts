// Feature gates that need something of the API server: one that it does not have is switched off, and said so, before anything begins.
import type { Gates } from "../kinds/daemon-set/gates.ts";
import type { Client } from "../kube/client.ts";
import { hasSubresource } from "../kube/discovery.ts";
import type { Logger } from "../runtime/log.ts";

/** A server that is away must not keep us from starting; then the gate counts as it was set. */
const ASK_MS = 5_000;

/** The gates as this server lets us use them. */
export async function usableGates(gates: Gates, client: Client, log: Logger): Promise<Gates> {
  if (!gates.InPlaceWorkloadVerticalScaling) return gates;
  try {
    const resize = { group: "", version: "v1", name: "pods/resize" };
    if (await hasSubresource(client, resize, { timeoutMs: ASK_MS })) return gates;
  } catch (error) {
    log.warn("cannot ask the API server for pods/resize; feature gate InPlaceWorkloadVerticalScaling stays on", {
      error,
    });
    return gates;
  }
  const why = "the API server has no pods/resize; pods are made anew for other amounts of cpu and memory";
  log.warn(`feature gate InPlaceWorkloadVerticalScaling has no effect: ${why}`);
  return { ...gates, InPlaceWorkloadVerticalScaling: false };
}
