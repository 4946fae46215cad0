// What a server offers: its version, its API groups and the resources of one group version.
import { isNotFound } from "./api-error.ts";
import type { CallOptions, Client } from "./client.ts";
import { isFields, parseFields } from "./object-answer.ts";

export type ServerVersion = { readonly major: string; readonly minor: string; readonly gitVersion: string };

export type ApiGroup = {
  /** Empty for the core group. */
  readonly name: string;
  /** In the server's order of preference. */
  readonly versions: readonly string[];
};

export type ApiResource = {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
};

/** Entries read of one discovery answer; the largest clusters have some thousand. */
const ENTRIES_MAX = 10_000;

/** The version the server says it has. */
export async function readServerVersion(client: Client, options: CallOptions = {}): Promise<ServerVersion> {
  const { major, minor, gitVersion } = await discover(client, "/version", options);
  return { major: textOf(major), minor: textOf(minor), gitVersion: textOf(gitVersion) };
}

/** Its N in 1.N, also where a provider writes "34+"; undefined of a version that tells nothing. */
export function minorOf({ major, minor }: ServerVersion): number | undefined {
  const read = Number.parseInt(minor, 10);
  return major === "1" && !Number.isNaN(read) ? read : undefined;
}

/** The named API groups and their versions; the core group, which every server has, comes first. */
export async function discoverGroups(client: Client, options: CallOptions = {}): Promise<readonly ApiGroup[]> {
  const core = await discover(client, "/api", options);
  const named = await discover(client, "/apis", options);
  const groups = listOf(named.groups).map((group) => ({
    name: textOf(group.name),
    versions: listOf(group.versions).map((version) => textOf(version.version)),
  }));
  return [{ name: "", versions: textsOf(core.versions) }, ...groups];
}

/** The resources of a group version, without subresources; undefined when the server does not serve it. */
export async function discoverResources(
  client: Client,
  group: string,
  version: string,
  options: CallOptions = {},
): Promise<readonly ApiResource[] | undefined> {
  try {
    const { resources } = await discover(client, pathOf(group, version), options);
    return listOf(resources)
      .filter((resource) => !textOf(resource.name).includes("/"))
      .map((resource) => ({
        plural: textOf(resource.name),
        kind: textOf(resource.kind),
        namespaced: resource.namespaced === true,
        verbs: textsOf(resource.verbs),
      }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the server has a subresource, such as `pods/resize`, of a resource in a group version. */
export async function hasSubresource(
  client: Client,
  { group, version, name }: { readonly group: string; readonly version: string; readonly name: string },
  options: CallOptions = {},
): Promise<boolean> {
  const { resources } = await discover(client, pathOf(group, version), options);
  return listOf(resources).some((resource) => textOf(resource.name) === name);
}

function pathOf(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

async function discover(client: Client, path: string, options: CallOptions) {
  const { signal, timeoutMs } = options;
  const call = {
    verb: "get",
    resource: "discovery",
    method: "GET",
    path,
    repeatable: true,
    signal,
    timeoutMs,
  } as const;
  return parseFields(`GET ${path}`, await client.call(call));
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.slice(0, ENTRIES_MAX).filter(isFields) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.slice(0, ENTRIES_MAX).filter((entry) => typeof entry === "string") : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
