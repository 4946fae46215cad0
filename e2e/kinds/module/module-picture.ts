// A cluster as far as one Module goes: what each node is bound to, whether its driver is ready, and which images of the Module run there.

import { modules } from "../../../sim/scenarios/module/simulated-module.ts";
import { type AnyObject, daemonSets, nodes, pods } from "../../../sim/scenarios/operator/toy-picture.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { bindingLabel, readyLabel } from "../../../src/kinds/module/module-labels.ts";
import type { Client } from "../../../src/kube/client/client.ts";

export type ModulePicture = {
  /** `5.14.0-… ready driver-el9:v1`, by node; only nodes that the Module has to do with. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Kernels of its DaemonSets. */
  readonly kernels: readonly string[];
  /** `True AllNodesFitted`, by type; only of the present generation. */
  readonly conditions: Readonly<Record<string, string>>;
};

/** Reads the picture from the server. */
export async function modulePicture(client: Client, name: string, namespace = "default"): Promise<ModulePicture> {
  const module = await client.get(modules, `${namespace}/${name}`);
  const sets = (await client.list(daemonSets)).items.filter((set) => ownerOf(set) === module?.metadata.uid);
  const uids = new Set(sets.map((set) => set.metadata.uid ?? ""));
  const own = (await client.list(pods)).items.filter((pod) => uids.has(ownerOf(pod) ?? "-"));
  const lines = (await client.list(nodes)).items.flatMap((node): readonly [string, string][] => {
    const labels = node.metadata.labels ?? {};
    const bound = labels[bindingLabel({ namespace, name })];
    const images = own.filter((pod) => fieldsOf(pod.spec).nodeName === node.metadata.name).map(podText);
    if (bound === undefined && images.length === 0) return [];
    const ready = readyLabel({ namespace, name }) in labels ? ["ready"] : [];
    return [[node.metadata.name, [bound ?? "-", ...ready, ...images.sort()].join(" ")]];
  });
  const kernels = sets.map(
    ({ metadata }) => metadata.labels?.["kmm.node.kubernetes.io/kernel-version.full"] ?? "plugin",
  );
  return {
    nodes: Object.fromEntries(lines),
    kernels: kernels.sort(),
    conditions: module === undefined ? {} : conditionsOf(module.status ?? {}, module.metadata.generation),
  };
}

function podText(pod: AnyObject): string {
  const [first] = listOf(fieldsOf(pod.spec).containers);
  // What was built is pinned to a digest behind its tag.
  const image = String(first?.image ?? "").replace(/@.*$/, "");
  const short = image.slice(image.lastIndexOf("/") + 1);
  if (pod.metadata.deletionTimestamp !== undefined) return `${short}(leaving)`;
  const isReady = listOf(fieldsOf(pod.status).conditions).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
  return isReady ? short : `${short}(starting)`;
}

function conditionsOf(status: JsonObject, generation: number | undefined): Readonly<Record<string, string>> {
  const current = listOf(status.conditions).filter((each) => each.observedGeneration === generation);
  return Object.fromEntries(current.map(({ type, status: is, reason }) => [String(type), `${is} ${reason}`]));
}

function ownerOf({ metadata }: AnyObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function fieldsOf(value: unknown): JsonObject {
  return isJson(value) && isJsonObject(value) ? value : {};
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** What a server answered was JSON. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}
