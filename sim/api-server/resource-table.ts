// The resources that the server serves: one endpoint for each version of each. Custom resources come and go with their
// definitions; all versions of one resource share a table of the store.
import type { JsonObject } from "../../src/core/json/json.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { Siblings } from "./admission/siblings.ts";
import { withFields } from "./api-object.ts";
import type { ResourceType } from "./resource-type.ts";
import { EventBytes } from "./store/event-bytes.ts";
import type { PrintedEvents } from "./store/printed-events.ts";

/** Brings objects from one version into another; at once, unless a webhook has to be asked. */
export type Convert = (object: JsonObject, apiVersion: string) => JsonObject | Promise<JsonObject>;

export type Endpoint = {
  readonly type: ResourceType;
  /** "v1", "apps/v1". */
  readonly apiVersion: string;
  /** Where the store keeps the objects: "daemonsets.apps". */
  readonly table: string;
  /** The version that the store keeps. */
  readonly storedVersion: string;
  readonly convert: Convert;
  readonly bytes: EventBytes;
  readonly siblings: Siblings;
};

/** Conversion without a webhook: only the version's name changes. */
export function renameVersion(object: JsonObject, apiVersion: string): JsonObject {
  return object.apiVersion === apiVersion ? object : withFields(object, { apiVersion });
}

export class ResourceTable {
  readonly #printed: PrintedEvents | undefined;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #versions = new Map<string, readonly Endpoint[]>();

  /** `printed` is told what all events of the server say. */
  constructor(printed?: PrintedEvents) {
    this.#printed = printed;
  }

  /** Serves the versions of one resource, the preferred one first; replaces what was served of it before. */
  serve(types: readonly ResourceType[], stored: ResourceType, convert: Convert = renameVersion): void {
    const table = tableOf(stored);
    this.withdraw(table);
    const endpoints = types.map((type): Endpoint => {
      const apiVersion = apiVersionOf(type);
      const bytes = new EventBytes((object) => convert(object, apiVersion), this.#printed);
      return { type, apiVersion, table, storedVersion: apiVersionOf(stored), convert, bytes, siblings: new Siblings() };
    });
    for (const endpoint of endpoints) this.#endpoints.set(addressOf(endpoint.type), endpoint);
    this.#versions.set(table, endpoints);
  }

  /** Serves a resource no longer. */
  withdraw(table: string): void {
    for (const { type } of this.#versions.get(table) ?? []) this.#endpoints.delete(addressOf(type));
    this.#versions.delete(table);
  }

  find(group: string, version: string, plural: string): Endpoint | undefined {
    return this.#endpoints.get(addressOf({ group, version, plural }));
  }

  /** All versions in which a resource is served. */
  versionsOf(table: string): readonly Endpoint[] {
    return this.#versions.get(table) ?? [];
  }

  all(): Iterable<Endpoint> {
    return this.#endpoints.values();
  }

  /** True if anything is served under a group and version. */
  serves(group: string, version: string): boolean {
    return [...this.#endpoints.values()].some(({ type }) => type.group === group && type.version === version);
  }
}

/** The store's name for a resource: "daemonsets.apps", or "pods" in the core group. */
export function tableOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function addressOf({ group, version, plural }: Pick<ResourceType, "group" | "version" | "plural">): string {
  return `${group}/${version}/${plural}`;
}
