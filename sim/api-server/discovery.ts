// What the server says of itself: its groups, versions and resources, its health and its own version.
import { createHash } from "node:crypto";
import type { JsonObject } from "../../src/core/json.ts";
import type { Endpoint, ResourceTable } from "./resource-table.ts";
import { type Answer, jsonAnswer, textAnswer } from "./server-parts.ts";

/** The release whose answers the contract records. */
export const SERVER_VERSION = { major: "1", minor: "35", gitVersion: "v1.35.4" };

const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const builtInVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const healthPaths = new Set(["/healthz", "/livez", "/readyz"]);

/** Answers a path that names no resource; undefined when it names nothing at all. */
export function discover(path: string, resources: ResourceTable, serverAddress: string): Answer | undefined {
  if (healthPaths.has(path)) return textAnswer(200, "ok");
  if (path === "/version") return jsonAnswer(200, { ...SERVER_VERSION, platform: "linux/amd64" });
  const [root, group, version, ...rest] = path.split("/").filter((segment) => segment !== "");
  if (root === "api" && group === undefined) return jsonAnswer(200, coreVersions(serverAddress));
  if (root === "api" && group === "v1" && version === undefined) return resourceList(resources, "", "v1");
  if (root !== "apis" || rest.length > 0) return undefined;
  const groups = groupsOf(resources);
  if (group === undefined)
    return jsonAnswer(200, {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [...groups.keys()].map((name) => groupOf(name, groups)),
    });
  if (!groups.has(group)) return undefined;
  if (version === undefined) return jsonAnswer(200, { kind: "APIGroup", apiVersion: "v1", ...groupOf(group, groups) });
  return resourceList(resources, group, version);
}

function coreVersions(serverAddress: string): JsonObject {
  const addresses = [{ clientCIDR: "0.0.0.0/0", serverAddress }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: addresses };
}

/** The named groups with their versions, the preferred one first. */
function groupsOf(resources: ResourceTable): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { type } of resources.all()) {
    if (type.group === "") continue;
    const versions = groups.get(type.group) ?? new Set();
    groups.set(type.group, versions.add(type.version));
  }
  return groups;
}

function groupOf(name: string, groups: ReadonlyMap<string, ReadonlySet<string>>): JsonObject {
  const versions = [...(groups.get(name) ?? [])].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] ?? {} };
}

function resourceList(resources: ResourceTable, group: string, version: string): Answer | undefined {
  const endpoints = [...resources.all()].filter(({ type }) => type.group === group && type.version === version);
  if (endpoints.length === 0) return undefined;
  const groupVersion = group === "" ? version : `${group}/${version}`;
  return jsonAnswer(200, {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion,
    resources: endpoints.flatMap(entriesOf),
  });
}

function entriesOf(endpoint: Endpoint): readonly JsonObject[] {
  const { type, storedVersion } = endpoint;
  const { plural, singular, namespaced, kind, shortNames, categories, isCustom } = type;
  const hash = createHash("sha256").update(`${storedVersion}/${kind}`).digest().subarray(0, 8).toString("base64");
  const own = {
    ...{ name: plural, singularName: singular, namespaced, kind, verbs: isCustom ? customVerbs : builtInVerbs },
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    storageVersionHash: hash,
  };
  return [own, ...type.subresources.map((subresource) => subresourceEntry(endpoint, subresource))];
}

function subresourceEntry({ type }: Endpoint, subresource: string): JsonObject {
  const { plural, namespaced, kind } = type;
  const other: JsonObject = subresource === "scale" ? { group: "autoscaling", version: "v1", kind: "Scale" } : { kind };
  const verbs = subresource === "binding" || subresource === "eviction" ? ["create"] : ["get", "patch", "update"];
  return { name: `${plural}/${subresource}`, singularName: "", namespaced, ...other, verbs };
}
