// The operator in the demo: the same program that `farrier run` runs, in the process of the embedded control plane.
import { freePorts } from "../e2e/control-plane/free-ports.ts";
import { demoRegistry } from "../sim/demo/demo-registry.ts";
import type { Tenant } from "../sim/demo/run-demo.ts";
import { runProgram } from "../src/assembly/assemble.ts";
import { collectSettings, readSettings } from "../src/cli/settings/run-settings.ts";
import { KIND_NAMES } from "../src/kinds/all-kinds.ts";
import { customResourceDefinition } from "../src/kinds/schema/crd.ts";
import { definitions, namespaces } from "../src/kube/client/built-in-resources.ts";
import type { Client } from "../src/kube/client/client.ts";
import { createClient } from "../src/kube/client/create-client.ts";
import type { Clock } from "../src/kube/clock.ts";
import type { Rand } from "../src/kube/rand.ts";
import type { Transport } from "../src/kube/transport.ts";
import type { Logger } from "../src/runtime/log/log.ts";
import { kindSources } from "./gen/crds.ts";

/** Installs the kinds and starts the operator; resolves when that has begun. */
export async function startOperator(
  transport: Transport,
  ports: { readonly clock: Clock; readonly rand: Rand; readonly log: Logger },
  end: AbortSignal,
): Promise<Tenant> {
  const [webhookPort = 0] = await freePorts(1);
  const flags = {
    leaderElect: "false",
    httpPort: "0",
    webhook: `https://localhost:${webhookPort}`,
    webhookPort: `${webhookPort}`,
  };
  const settings = readSettings(collectSettings({ flags, env: {} }), KIND_NAMES);
  if (!settings.ok) throw new Error(JSON.stringify(settings.problems));
  const client = createClient({ transport, ...ports, fieldManager: "demo" });
  await installKinds(client, settings.value.namespace);
  const running = runProgram(
    { identity: "demo", transport, registry: demoRegistry(client), ...ports },
    settings.value,
    end,
  );
  return { ended: running.catch((error) => ports.log.error("the operator has ended", { error })) };
}

/** Makes the definitions of the kinds and the namespace of the operator. */
export async function installKinds(client: Client, namespace: string): Promise<void> {
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const [, source] of kindSources) {
    await client.create(definitions, customResourceDefinition(source));
  }
}
