// Every manifest in the documentation is one that an API server with our definitions stores as it is, and that nobody warns about.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../sim/api-server/built-in/built-in-kinds.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { readManifests } from "../../src/cli/input/read-manifests.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { ALL_DEFINITIONS } from "../../src/kinds/all-definitions.ts";
import { createKinds } from "../../src/kinds/all-kinds.ts";
import { customResourceDefinition } from "../../src/kinds/schema/crd.ts";
import { type AnyResource, configMaps, daemonSets, definitions } from "../../src/kube/client/built-in-resources.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import { apiVersionOf, collectionPath } from "../../src/kube/resource.ts";
import { repositoryRoot } from "../repository.ts";
import { pageManifests } from "./page-manifests.ts";

const kinds = createKinds();
const ours: readonly AnyResource[] = kinds.map(({ group, version, plural, kind }) => ({
  ...{ group, version, plural, kind, namespaced: true },
}));

/** A server that has our kinds; what it says to an object that somebody wants to store. */
async function aServer() {
  const clock = new VirtualClock();
  const transport = createApiServer({ clock, rand: seededRand(1), builtIn: builtInKinds() }).transport();
  const client = createClient({ transport, clock, rand: seededRand(2), fieldManager: "docs" });
  for (const source of ALL_DEFINITIONS) await client.create(definitions, customResourceDefinition(source));
  return async (object: JsonObject): Promise<readonly string[]> => {
    const at = [...ours, daemonSets, configMaps].find(
      (each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion,
    );
    if (at === undefined) return [`${object.apiVersion} ${object.kind} is a kind that this test does not know`];
    const path = collectionPath(at, "default", { fieldValidation: "Strict" });
    const headers = { "content-type": "application/json" };
    const {
      status,
      headers: told,
      body,
    } = await transport.request({
      ...{ method: "POST", path, headers, body: JSON.stringify(object), lane: "calls" },
    });
    const kind = kinds.find((each) => each.kind === object.kind && at.group === each.group);
    const { problems = [], warnings = [] } = kind?.admit(object, undefined) ?? {};
    return [
      ...(status === 201 ? [] : [new TextDecoder().decode(body)]),
      ...(told.warning === undefined ? [] : [told.warning]),
      ...problems.map((each) => `${each.path}: ${each.message}`),
      ...warnings,
    ];
  };
}

const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: repositoryRoot }).toSorted()];
const manifests = pages.flatMap((page) =>
  pageManifests(readFileSync(join(repositoryRoot, page), "utf8")).map(({ text, line }) => {
    return { name: `${page}:${line}`, text };
  }),
);

describe("a manifest of a page", () => {
  test("is found with its line", () => {
    expect(pageManifests("# A\n\n```yaml\na: 1\n```\n\n```console\n$ b\n```\n")).toEqual([{ text: "a: 1\n", line: 4 }]);
    expect(manifests.length).toBeGreaterThanOrEqual(4);
  });

  test("with a field that nobody knows would be told", async () => {
    const store = await aServer();
    const spec = { template: { spec: { containers: [{ name: "a", image: "b" }] } }, varaints: [] };
    const object = { apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", metadata: { name: "a" }, spec };
    expect((await store(object)).join()).toContain("varaints");
  });

  test.each(manifests)("at $name is stored as it is, without a warning", async ({ name, text }) => {
    const store = await aServer();
    const { objects, problems } = readManifests(name, text);
    expect([problems, objects.length > 0]).toEqual([[], true]);
    for (const object of objects) expect(await store(object)).toEqual([]);
  });
});
