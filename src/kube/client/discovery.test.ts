import { expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../../sim/scripted-transport.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "./create-client.ts";
import { discoverGroups, discoverResources, hasSubresource, minorOf, readServerVersion } from "./discovery.ts";

function serverOf(pages: Readonly<Record<string, unknown>>) {
  const transport = new ScriptedTransport((request): Scripted => {
    const json = pages[request.path];
    return json === undefined ? { status: 404, text: "404 page not found" } : { status: 200, json };
  });
  return createClient({ transport, clock: new VirtualClock(), rand: { next: () => 0 }, fieldManager: "tester" });
}

test("the version of the server", async () => {
  const client = serverOf({ "/version": { major: "1", minor: "35", gitVersion: "v1.35.4", platform: "linux/amd64" } });
  expect(await readServerVersion(client)).toEqual({ major: "1", minor: "35", gitVersion: "v1.35.4" });
});

test.each([
  ["1", "35", 35],
  ["1", "34+", 34],
  ["1", "", undefined],
  ["1", "?", undefined],
  ["2", "35", undefined],
])("version %j.%j is read as %j", (major, minor, read) => {
  expect(minorOf({ major, minor, gitVersion: "" })).toBe(read);
});

test("its groups, the core group first", async () => {
  const client = serverOf({
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": { groups: [{ name: "apps", versions: [{ groupVersion: "apps/v1", version: "v1" }] }, { name: "batch" }] },
  });
  expect(await discoverGroups(client)).toEqual([
    { name: "", versions: ["v1"] },
    { name: "apps", versions: ["v1"] },
    { name: "batch", versions: [] },
  ]);
});

test("the resources of a group version, without subresources; undefined when it is not served", async () => {
  const client = serverOf({
    "/apis/apps/v1": {
      resources: [
        { name: "daemonsets", kind: "DaemonSet", namespaced: true, verbs: ["get", "list"] },
        { name: "daemonsets/status", kind: "DaemonSet", namespaced: true, verbs: ["get"] },
      ],
    },
    "/api/v1": { resources: [{ name: "nodes", kind: "Node", namespaced: false }] },
  });
  expect(await discoverResources(client, "apps", "v1")).toEqual([
    { plural: "daemonsets", kind: "DaemonSet", namespaced: true, verbs: ["get", "list"] },
  ]);
  expect(await discoverResources(client, "", "v1")).toEqual([
    { plural: "nodes", kind: "Node", namespaced: false, verbs: [] },
  ]);
  expect(await discoverResources(client, "example.com", "v1")).toBeUndefined();
});

test("nonsense in an answer is left out, not passed on", async () => {
  const client = serverOf({ "/api": { versions: "v1" }, "/apis": { groups: [null, 5, { name: 7, versions: [1] }] } });
  expect(await discoverGroups(client)).toEqual([
    { name: "", versions: [] },
    { name: "", versions: [] },
  ]);
});

test("whether there is a subresource", async () => {
  const client = serverOf({ "/api/v1": { resources: [{ name: "pods" }, { name: "pods/resize" }] } });
  expect(await hasSubresource(client, { group: "", version: "v1", name: "pods/resize" })).toBe(true);
  expect(await hasSubresource(client, { group: "", version: "v1", name: "pods/shrink" })).toBe(false);
});
