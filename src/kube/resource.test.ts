import { describe, expect, test } from "vitest";
import {
  apiVersionOf,
  collectionPath,
  keyOf,
  namedKey,
  objectPath,
  type Resource,
  resourceName,
  splitKey,
} from "./resource.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const nodes: Resource = { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false };
const sets: Resource = { group: "apps", version: "v1", plural: "daemonsets", kind: "DaemonSet", namespaced: true };

describe("paths", () => {
  test.each([
    ["a core object", objectPath(pods, "web/a"), "/api/v1/namespaces/web/pods/a"],
    ["a cluster-wide object", objectPath(nodes, "w-1"), "/api/v1/nodes/w-1"],
    ["a group's object", objectPath(sets, "web/a"), "/apis/apps/v1/namespaces/web/daemonsets/a"],
    ["a subresource", objectPath(pods, "web/a", "status"), "/api/v1/namespaces/web/pods/a/status"],
    ["all namespaces", collectionPath(pods), "/api/v1/pods"],
    ["one namespace", collectionPath(sets, "web"), "/apis/apps/v1/namespaces/web/daemonsets"],
    [
      "a query, its absent parts left out",
      collectionPath(pods, "web", { limit: 500, labelSelector: "a in (b,c)", continue: undefined, watch: true }),
      "/api/v1/namespaces/web/pods?limit=500&labelSelector=a%20in%20(b%2Cc)&watch=true",
    ],
    ["a name with odd characters", objectPath(nodes, "a b?c#d%"), "/api/v1/nodes/a%20b%3Fc%23d%25"],
    ["a second slash stays inside the name", objectPath(pods, "web/a/b"), "/api/v1/namespaces/web/pods/a%2Fb"],
  ])("%s", (_what, path, expected) => {
    expect(path).toBe(expected);
  });

  test.each([
    ["a namespaced resource without namespace", () => objectPath(pods, "a"), 'key "a" does not fit pods'],
    ["a cluster-wide resource with namespace", () => objectPath(nodes, "x/a"), 'key "x/a" does not fit nodes'],
    ["an empty name", () => objectPath(pods, "web/"), '"" cannot be part of an API path'],
    ["a name that climbs", () => objectPath(pods, "web/.."), '".." cannot be part of an API path'],
    ["a namespace that climbs", () => collectionPath(pods, ".."), '".." cannot be part of an API path'],
  ])("%s is refused before anything is sent", (_what, build, message) => {
    expect(build).toThrow(message);
  });
});

describe("keys and names", () => {
  test("a key is the name, with its namespace where there is one", () => {
    expect(keyOf({ metadata: { name: "a", namespace: "web" } })).toBe("web/a");
    expect(namedKey("w-1")).toBe("w-1");
    expect(namedKey("w-1", "")).toBe("w-1");
  });

  test("splitting undoes joining", () => {
    expect(splitKey(namedKey("a", "web"))).toEqual({ namespace: "web", name: "a" });
    expect(splitKey(namedKey("w-1"))).toEqual({ name: "w-1" });
  });

  test("the core group has no prefix", () => {
    expect([apiVersionOf(pods), apiVersionOf(sets)]).toEqual(["v1", "apps/v1"]);
    expect([resourceName(pods), resourceName(sets)]).toEqual(["pods", "daemonsets.apps"]);
  });
});
