import { describe, expect, test } from "vitest";
import { classifyRequest, className, isWrite } from "./request-class.ts";

describe("classifyRequest()", () => {
  test.each([
    ["GET", "/api/v1/pods?limit=500", "list pods"],
    ["GET", "/api/v1/pods?watch=true&allowWatchBookmarks=true", "watch pods"],
    ["GET", "/api/v1/pods?watch=1", "watch pods"],
    ["GET", "/api/v1/namespaces/kube-system/pods/a", "get pods"],
    ["POST", "/apis/apps/v1/namespaces/x/daemonsets", "create daemonsets.apps"],
    ["PUT", "/apis/apps/v1/namespaces/x/daemonsets/d/status", "update daemonsets.apps/status"],
    ["PATCH", "/api/v1/namespaces/x/pods/p/status?fieldManager=k", "patch pods/status"],
    ["POST", "/api/v1/namespaces/x/pods/p/eviction", "create pods/eviction"],
    ["DELETE", "/api/v1/nodes/n", "delete nodes"],
    ["DELETE", "/api/v1/namespaces/x/pods", "deletecollection pods"],
    ["GET", "/api/v1/namespaces", "list namespaces"],
    ["GET", "/api/v1/namespaces/x", "get namespaces"],
    ["PUT", "/api/v1/namespaces/x/finalize", "update namespaces/finalize"],
    ["GET", "/readyz?verbose", "get /readyz"],
    ["GET", "/apis/apps/v1", "get /apis/apps/v1"],
  ])("%s %s is: %s", (method, path, expected) => {
    expect(className(classifyRequest(method, path))).toBe(expected);
  });

  test("tells namespace and name apart", () => {
    expect(classifyRequest("GET", "/api/v1/namespaces/ns/pods/p%2Fq")).toMatchObject({ namespace: "ns", name: "p/q" });
    expect(classifyRequest("GET", "/api/v1/namespaces/ns")).toMatchObject({ namespace: "", name: "ns" });
  });

  test("a write is what may change something", () => {
    expect(isWrite(classifyRequest("POST", "/api/v1/nodes"))).toBe(true);
    expect(isWrite(classifyRequest("GET", "/api/v1/nodes?watch=1"))).toBe(false);
  });
});
