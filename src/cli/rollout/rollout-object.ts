// The object of a `rollout` command, and how it is written to: always this very object, never a successor of its name.
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client, Patch } from "../../kube/client/client.ts";
import { namedKey } from "../../kube/resource.ts";
import type { CommandSetting } from "../command-setting.ts";
import { type KnownObject, knownObjects, oneWished, parseWish } from "../input/named-object.ts";
import { readSource, type SourceOptions } from "../input/source.ts";

export type RolloutOptions = SourceOptions & { readonly namespace?: string | undefined };

export type RolloutTarget = KnownObject & { readonly objects: readonly JsonObject[]; readonly origin: string };

/** Reads the cluster and finds the object in it. */
export async function rolloutTarget(
  text: string,
  options: RolloutOptions,
  { kinds, ports }: CommandSetting,
): Promise<RolloutTarget> {
  const wish = parseWish(text, options.namespace, kinds);
  const { objects, origin } = await readSource(options, kinds, ports);
  return { ...oneWished(knownObjects(objects, kinds), wish, text, origin), objects, origin };
}

/** Patches the object on its API server; `isDryRun` lets the server judge the patch and store nothing. */
export async function patchObject(
  { kind, stored }: KnownObject,
  patch: Patch,
  options: RolloutOptions & { readonly isDryRun: boolean },
  { ports }: CommandSetting,
): Promise<void> {
  const { client, close } = await ports.connect(options);
  try {
    const key = namedKey(stored.name, stored.namespace);
    await patchWith(client, kind, key, patch, options.isDryRun);
  } finally {
    close();
  }
}

async function patchWith(client: Client, kind: Kind, key: string, patch: Patch, dryRun: boolean): Promise<void> {
  const { group, version, plural, kind: name } = kind;
  await client.patch({ group, version, plural, kind: name, namespaced: true }, key, patch, { dryRun });
}
