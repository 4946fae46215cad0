// What the server says of itself: its groups, versions and resources, its health and its own version. Resources are told in
// two ways, as by the real server: one list per group and version, or everything at once for clients that ask so.
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { compareVersions } from "../custom-resources/version-order.ts";
import { answerOpenApi } from "../openapi/answer-openapi.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { Endpoint, ResourceTable } from "../resource-table.ts";
import { type Answer, jsonAnswer, textAnswer } from "../server-parts.ts";

/** The release whose answers the contract records. */
const SERVER_VERSION = { major: "1", minor: "35", gitVersion: "v1.35.4" };

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const customVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const healthPath = /^\/(healthz|livez|readyz)(\/ping)?$/;
const wholeForm =
  /^application\/json;(?=.*\bg=apidiscovery\.k8s\.io\b)(?=.*\bas=APIGroupDiscoveryList\b).*\bv=(?<version>v2(beta1)?)\b/;

/** Answers a path that names no resource; undefined when it names nothing at all. */
export function discover(
  { path: given, headers }: Pick<ApiRequest, "path" | "headers">,
  resources: ResourceTable,
  serverAddress: string,
): Answer | undefined {
  const path = given.length > 1 && given.endsWith("/") ? given.slice(0, -1) : given;
  if (healthPath.test(path)) return textAnswer(200, "ok");
  if (path === "/version") return jsonAnswer(200, { ...SERVER_VERSION, platform: "linux/amd64" });
  const whole = path === "/api" || path === "/apis" ? wholeVersion(headers.accept ?? "") : undefined;
  if (whole !== undefined) return wholeDiscovery(resources, path === "/api", whole);
  return answerOpenApi(path, resources) ?? discoverGroups(path, resources, serverAddress);
}

function discoverGroups(path: string, resources: ResourceTable, serverAddress: string): Answer | undefined {
  const [root, group, version, ...rest] = path.split("/").filter((segment) => segment !== "");
  if (root === "api" && group === undefined) return jsonAnswer(200, coreVersions(serverAddress));
  if (root === "api" && group === "v1" && version === undefined) return resourceList(resources, "", "v1");
  if (root !== "apis" || rest.length > 0) return undefined;
  const groups = groupsOf(resources);
  if (group === undefined)
    return jsonAnswer(200, {
      kind: "APIGroupList",
      apiVersion: "v1",
      groups: [...groups.keys()].filter((name) => name !== "").map((name) => groupOf(name, groups)),
    });
  if (!groups.has(group)) return undefined;
  if (version === undefined) return jsonAnswer(200, { kind: "APIGroup", apiVersion: "v1", ...groupOf(group, groups) });
  return resourceList(resources, group, version);
}

function coreVersions(serverAddress: string): JsonObject {
  const addresses = [{ clientCIDR: "0.0.0.0/0", serverAddress }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: addresses };
}

/** The groups with their versions, the preferred one first. */
function groupsOf(resources: ResourceTable): ReadonlyMap<string, readonly string[]> {
  const byGroup = Map.groupBy(resources.all(), ({ type }) => type.group);
  const versions = (endpoints: readonly Endpoint[]) =>
    [...new Set(endpoints.map(({ type }) => type.version))].sort(compareVersions);
  return new Map([...byGroup].map(([group, endpoints]) => [group, versions(endpoints)]));
}

function groupOf(name: string, groups: ReadonlyMap<string, readonly string[]>): JsonObject {
  const versions = (groups.get(name) ?? []).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] ?? {} };
}

function endpointsOf(resources: ResourceTable, group: string, version: string): readonly Endpoint[] {
  return [...resources.all()].filter(({ type }) => type.group === group && type.version === version);
}

function resourceList(resources: ResourceTable, group: string, version: string): Answer | undefined {
  const endpoints = endpointsOf(resources, group, version);
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
  const { plural, singular, namespaced, kind } = type;
  const hash = createHash("sha256").update(`${storedVersion}/${kind}`).digest().subarray(0, 8).toString("base64");
  const own = {
    ...{ name: plural, singularName: singular, namespaced, kind, verbs: verbsOf(endpoint) },
    ...namesOf(endpoint),
    storageVersionHash: hash,
  };
  const below = type.subresources.map((subresource) => ({
    ...{ name: `${plural}/${subresource}`, singularName: "", namespaced },
    ...kindOf(endpoint, subresource),
    verbs: subresourceVerbs(subresource),
  }));
  return [own, ...below];
}

function namesOf({ type: { shortNames, categories } }: Endpoint): JsonObject {
  return { ...(shortNames === undefined ? {} : { shortNames }), ...(categories === undefined ? {} : { categories }) };
}

/** Namespaces are deleted one by one. */
function verbsOf({ type, table }: Endpoint): readonly string[] {
  if (type.isCustom) return customVerbs;
  return table === "namespaces" ? verbs.filter((verb) => verb !== "deletecollection") : verbs;
}

function subresourceVerbs(subresource: string): readonly string[] {
  switch (subresource) {
    case "binding":
    case "eviction":
      return ["create"];
    case "finalize":
      return ["update"];
    case "log":
      return ["get"];
    default:
      return ["get", "patch", "update"];
  }
}

/** What is read or written at a subresource, where that is no object of the kind itself. */
const otherKinds: Readonly<Record<string, JsonObject>> = {
  scale: { group: "autoscaling", version: "v1", kind: "Scale" },
  eviction: { group: "policy", version: "v1", kind: "Eviction" },
  binding: { kind: "Binding" },
};

function kindOf({ type }: Endpoint, subresource: string): JsonObject {
  return otherKinds[subresource] ?? { kind: type.kind };
}

function wholeVersion(accept: string): string | undefined {
  for (const clause of accept.split(",")) {
    const { version } = wholeForm.exec(clause.trim())?.groups ?? {};
    if (version !== undefined) return version;
  }
  return undefined;
}

/** Everything at once: the core group under `/api`, the named ones under `/apis`. */
function wholeDiscovery(resources: ResourceTable, isCore: boolean, version: string): Answer {
  const groups = [...groupsOf(resources)].filter(([group]) => (group === "") === isCore);
  const items = groups.map(([group, versions]) => ({
    metadata: group === "" ? {} : { name: group },
    versions: versions.map((each) => ({
      version: each,
      resources: endpointsOf(resources, group, each).map(wholeEntry),
      freshness: "Current",
    })),
  }));
  const body = { kind: "APIGroupDiscoveryList", apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return jsonAnswer(200, body, { "content-type": type, vary: "Accept" });
}

function wholeEntry(endpoint: Endpoint): JsonObject {
  const { plural, singular, namespaced, kind, subresources } = endpoint.type;
  const below = subresources.map((subresource) => ({
    subresource,
    responseKind: responseKind(kindOf(endpoint, subresource)),
    verbs: subresourceVerbs(subresource),
  }));
  return {
    ...{ resource: plural, responseKind: responseKind({ kind }), scope: namespaced ? "Namespaced" : "Cluster" },
    ...{ singularResource: singular, verbs: verbsOf(endpoint), ...namesOf(endpoint) },
    ...(below.length === 0 ? {} : { subresources: below }),
  };
}

/** An empty group and version mean those of the resource. */
function responseKind({ group = "", version = "", kind = "" }: JsonObject): Json {
  return { group, version, kind };
}
