// The operator's program put together: the operator over its ports, probes and metrics, webhooks. main.ts runs it as a process of its own,
// the demo beside its embedded control plane.
import type { RunSettings } from "../cli/settings/run-settings.ts";
import { RivalWatch } from "../controllers/coexistence/rival-watch.ts";
import { createOperator } from "../controllers/loop/create-operator.ts";
import type { OperatorPorts } from "../controllers/loop/operator-ports.ts";
import { ImageProbes } from "../controllers/registry/probe-images.ts";
import type { JsonObject } from "../core/json/json.ts";
import { definitionSource } from "../kinds/all-definitions.ts";
import { createKinds } from "../kinds/all-kinds.ts";
import type { Kind } from "../kinds/kind.ts";
import { customResourceDefinition } from "../kinds/schema/crd.ts";
import { createClient } from "../kube/client/create-client.ts";
import type { RegistryTransport } from "../runtime/http/registry-transport.ts";
import { type Ending, runParts } from "../runtime/lifecycle.ts";
import { createMetrics } from "../runtime/metrics/metrics.ts";
import { addProcessMetrics } from "../runtime/node/node-process-metrics.ts";
import { httpPart } from "./http-part.ts";
import { patiencePart } from "./patience-part.ts";
import { PROGRAM, type ProgramRun } from "./program-run.ts";
import { askResizing } from "./resizing.ts";
import { webhookPart } from "./webhook-part.ts";

export type ProgramPorts = OperatorPorts & {
  readonly registry: RegistryTransport;
};

/** Runs the program until the signal; resolves with how it ended. */
export async function runProgram(ports: ProgramPorts, settings: RunSettings, stop: AbortSignal): Promise<Ending> {
  const { transport, clock, rand, log, registry } = ports;
  const metrics = createMetrics(PROGRAM);
  addProcessMetrics(metrics.registry);
  for (const note of settings.gateNotes) log.warn(note);
  const client = createClient({ transport, clock, rand, fieldManager: PROGRAM });
  const resizing = settings.gates.InPlaceWorkloadVerticalScaling ? await askResizing(client, log) : "none";
  const gates = { ...settings.gates, InPlaceWorkloadVerticalScaling: resizing !== "none" };
  const { bindPods: binding, site } = settings;
  const wish = { gates, binding, site, canShrinkMemory: resizing === "free" };
  const kinds = createKinds(wish).filter(({ kind }) => settings.kinds.includes(kind));
  const trustedHostsOf = (host: string) => settings.registry.tokenHosts.get(host) ?? [];
  const images = new ImageProbes({ registry, clock, rand, log, trustedHostsOf });
  const watched = kinds.filter(({ kind }) => !settings.takeOver.includes(kind));
  const rivals = new RivalWatch({ kinds: watched, definitions: definitionsOf(kinds), clock, rand, log });
  const lease = { namespace: settings.namespace, name: settings.leaseName };
  const operator = createOperator(ports, {
    ...{ kinds, namespaces: settings.namespaces, program: PROGRAM, images, rivals, metrics },
    ...(settings.leaderElect ? { lease } : {}),
  });
  const run: ProgramRun = { settings, kinds, client, clock, rand, log, metrics };
  const { parts: webhooks, checks } = webhookPart(run);
  const parts = [httpPart(run, operator, checks), ...webhooks, patiencePart(run, operator), ...operator.parts];
  return runParts(parts, stop, { clock, log });
}

function definitionsOf(kinds: readonly Kind[]): ReadonlyMap<Kind, () => JsonObject> {
  const known = kinds.flatMap((kind) => {
    const source = definitionSource(kind);
    return source === undefined ? [] : [[kind, () => customResourceDefinition(source)] as const];
  });
  return new Map(known);
}
