// Every resource that a server offers and that can be listed, watched and deleted, in one version each: what the garbage
// collector watches and what the end of a namespace removes.
import type { Client } from "../../src/kube/client/client.ts";
import { discoverGroups, discoverResources } from "../../src/kube/client/discovery.ts";
import { type Resource, resourceName } from "../../src/kube/resource.ts";
import type { ApiObject } from "./api-resources.ts";

const needed = ["list", "watch", "delete"];

/** Asks the server; a group that cannot be read is an error, because what it holds would be missed. */
export async function discoverAll(client: Client, signal: AbortSignal): Promise<readonly Resource<ApiObject>[]> {
  const found = new Map<string, Resource<ApiObject>>();
  for (const { name: group, versions } of await discoverGroups(client, { signal })) {
    for (const version of versions) {
      for (const { plural, kind, namespaced, verbs } of (await discoverResources(client, group, version, { signal })) ??
        []) {
        const resource = { group, version, plural, kind, namespaced };
        const isUsable = needed.every((verb) => verbs.includes(verb));
        if (isUsable && !found.has(resourceName(resource))) found.set(resourceName(resource), resource);
      }
    }
  }
  return [...found.values()];
}
