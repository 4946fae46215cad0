// What the server says of itself, in both ways; that kubectl reads it as a real server's is shown in e2e/kubectl.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Transport } from "../../../src/kube/transport.ts";
import { parseJson } from "../../../src/kube/wire/json-text.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, call } from "../testing/plain-kinds.ts";

const whole = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

async function get(transport: Transport, path: string, accept = "application/json") {
  const answer = await transport.request({ method: "GET", path, headers: { accept }, lane: "calls" });
  const text = new TextDecoder().decode(answer.body);
  const isJson = answer.headers["content-type"]?.startsWith("application/json") === true;
  return { ...answer, body: isJson ? parseJson(text) : text };
}

const version = (name: string, storage: boolean): JsonObject => ({
  ...{ name, served: true, storage, subresources: { status: {} }, schema: { openAPIV3Schema: { type: "object" } } },
});

async function withThings() {
  const { transport } = aServer({ builtIn: builtInKinds() });
  const names = { plural: "things", kind: "Thing", shortNames: ["th"], categories: ["all"] };
  const versions = [version("v1alpha1", false), version("v1beta1", false), version("v1", true)];
  await call(transport, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "things.example.dev" },
    spec: { group: "example.dev", scope: "Namespaced", names, versions },
  });
  return transport;
}

describe("discovery", () => {
  test.each(["/healthz", "/livez", "/readyz", "/readyz/ping"])("%s is ok", async (path) => {
    expect(await get(aServer().transport, path)).toMatchObject({ status: 200, body: "ok" });
  });

  test("a path that names nothing is not found", async () => {
    expect(await get(aServer().transport, "/nothing")).toMatchObject({ status: 404, body: "404 page not found\n" });
  });

  test("the version is the release that the server mirrors", async () => {
    expect((await get(aServer().transport, "/version/")).body).toMatchObject({ gitVersion: "v1.35.4" });
  });

  test("the newest release of a group is the one that clients get", async () => {
    const { body } = await get(await withThings(), "/apis/example.dev");
    expect(body).toMatchObject({
      versions: [{ version: "v1" }, { version: "v1beta1" }, { version: "v1alpha1" }],
      preferredVersion: { groupVersion: "example.dev/v1" },
    });
  });

  test("all groups come at once to who asks so", async () => {
    const transport = await withThings();
    const core = await get(transport, "/api", `${whole},application/json`);
    expect(core.headers["content-type"]).toBe(whole);
    expect(core.body).toMatchObject({ items: [{ metadata: {}, versions: [{ version: "v1", freshness: "Current" }] }] });
    const named = await get(transport, "/apis", whole);
    const thing = {
      ...{
        resource: "things",
        singularResource: "thing",
        scope: "Namespaced",
        shortNames: ["th"],
        categories: ["all"],
      },
      responseKind: { group: "", version: "", kind: "Thing" },
      subresources: [{ subresource: "status", verbs: ["get", "patch", "update"] }],
    };
    const versions = ["v1", "v1beta1", "v1alpha1"].map((each) => ({ version: each, resources: [thing] }));
    expect(named.body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ metadata: { name: "example.dev" } })]),
    });
    expect(JSON.parse(JSON.stringify(named.body)).items.at(-1)).toMatchObject({ versions });
  });

  test("the older way comes to everybody else", async () => {
    const { body } = await get(aServer().transport, "/apis");
    expect(body).toMatchObject({ kind: "APIGroupList" });
  });

  test("subresources that are no objects of the kind say what they are", async () => {
    const { body } = await get(await withThings(), "/api/v1");
    expect(body).toMatchObject({
      resources: expect.arrayContaining([
        {
          name: "pods/eviction",
          singularName: "",
          namespaced: true,
          group: "policy",
          version: "v1",
          kind: "Eviction",
          verbs: ["create"],
        },
        { name: "namespaces/finalize", singularName: "", namespaced: false, kind: "Namespace", verbs: ["update"] },
        { name: "pods/log", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"] },
      ]),
    });
  });
});
