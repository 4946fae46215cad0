// Definitions: what they make the server serve, how their objects change versions, and how all of it ends.
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { aWidget, widgetDefinition } from "../../contract/widget.ts";
import { listAt, objectAt, withFields } from "../api-object.ts";
import { aServer, call, follow } from "../testing/plain-kinds.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/contract.example.dev/v1/namespaces/default/widgets";
const older = "/apis/contract.example.dev/v1beta1/namespaces/default/widgets";
const definition: JsonObject = JSON.parse(JSON.stringify(widgetDefinition));
const deprecatedInWords = { deprecated: true, deprecationWarning: "leave it" };
const widget = (name: string, spec: object = {}, metadata: object = {}): JsonObject =>
  JSON.parse(JSON.stringify(aWidget(name, spec, metadata)));

describe("a definition", () => {
  test("is established with the status that the real server gives it", async () => {
    const { transport } = aServer();
    await call(transport, "POST", definitions, definition);
    const { body } = await call(transport, "GET", `${definitions}/widgets.contract.example.dev`);
    const time = "2026-01-01T00:00:00Z";
    const said = (type: string, reason: string, message: string) => ({
      ...{ type, status: "True", lastTransitionTime: time, reason, message },
    });
    expect(body.status).toEqual({
      conditions: [
        said("NamesAccepted", "NoConflicts", "no conflicts found"),
        said("Established", "InitialNamesAccepted", "the initial names have been accepted"),
      ],
      acceptedNames: widgetDefinition.spec.names,
      storedVersions: ["v1"],
    });
  });

  test("that changes serves its new schema, and keeps the objects", async () => {
    const { transport } = aServer();
    await call(transport, "POST", definitions, definition);
    await call(transport, "POST", widgets, widget("a", { size: 4 }));
    const text = JSON.stringify({ spec: widgetDefinition.spec }).replaceAll('"maximum":10', '"maximum":3');
    await call(transport, "PATCH", `${definitions}/widgets.contract.example.dev`, JSON.parse(text));
    expect((await call(transport, "POST", widgets, widget("b", { size: 4 }))).status).toBe(422);
    expect((await call(transport, "GET", `${widgets}/a`)).body.spec).toMatchObject({ size: 4 });
  });

  test("that calls a version deprecated warns all who use it, whatever they do", async () => {
    const { transport } = aServer();
    const [v1, v1beta1] = listAt(objectAt(definition, "spec"), "versions").filter(isJsonObject);
    const versions = [
      v1 ?? {},
      { ...v1beta1, deprecated: true },
      { ...v1beta1, name: "v1alpha1", ...deprecatedInWords },
    ];
    const spec = { ...objectAt(definition, "spec"), versions };
    expect((await call(transport, "POST", definitions, { ...definition, spec })).status).toBe(201);
    const warningOf = async (method: "GET" | "PATCH", path: string, body?: JsonObject) =>
      (await call(transport, method, path, body)).headers.warning;
    const standard = '299 - "contract.example.dev/v1beta1 Widget is deprecated; use contract.example.dev/v1 Widget"';
    expect(await warningOf("GET", widgets)).toBeUndefined();
    expect(await warningOf("GET", older)).toBe(standard);
    expect(await warningOf("GET", `${older}/nobody`)).toBe(standard);
    expect(await warningOf("GET", older.replace("v1beta1", "v1alpha1"))).toBe('299 - "leave it"');
    await call(transport, "POST", widgets, widget("a"));
    expect(await warningOf("PATCH", `${older}/a`, { spec: { odd: 1 } })).toBe(
      `${standard}, 299 - "unknown field \\"spec.odd\\""`,
    );
  });

  test("that is deleted takes its objects along, but waits for those that something holds", async () => {
    const { transport } = aServer();
    await call(transport, "POST", definitions, definition);
    await call(transport, "POST", widgets, widget("free"));
    await call(transport, "POST", widgets, widget("held", {}, { finalizers: ["example.dev/hold"] }));
    const watch = follow(transport, `${widgets}?watch=true`);
    const { body } = await call(transport, "DELETE", `${definitions}/widgets.contract.example.dev`);
    expect(body.metadata).toMatchObject({ finalizers: ["customresourcecleanup.apiextensions.k8s.io"] });
    expect((await call(transport, "GET", `${widgets}/free`)).status).toBe(404);
    expect((await call(transport, "GET", `${widgets}/held`)).status).toBe(200);
    await call(transport, "PATCH", `${widgets}/held`, { metadata: { finalizers: null } });
    expect((await call(transport, "GET", `${definitions}/widgets.contract.example.dev`)).status).toBe(404);
    expect((await call(transport, "GET", widgets)).status).toBe(404);
    expect(watch.seen.map(({ type, name }) => `${type} ${name}`).slice(2)).toEqual([
      ...["DELETED free", "MODIFIED held", "DELETED held"],
    ]);
  });

  test("can be stored anew after it was deleted", async () => {
    const { transport } = aServer();
    await call(transport, "POST", definitions, definition);
    await call(transport, "DELETE", `${definitions}/widgets.contract.example.dev`);
    expect((await call(transport, "POST", definitions, definition)).status).toBe(201);
    expect((await call(transport, "POST", widgets, widget("a"))).status).toBe(201);
  });
});

/** In v1beta1 of this resource, `spec.size` is called `spec.low`. */
function convert(object: JsonObject, apiVersion: unknown): JsonObject {
  const { size = 0, low = 0, ...rest } = objectAt(object, "spec");
  const isOlder = apiVersion === "contract.example.dev/v1beta1";
  return withFields(object, {
    apiVersion: String(apiVersion),
    spec: { ...rest, ...(isOlder ? { low: size } : { size: low }) },
  });
}

describe("conversion by a webhook", () => {
  const converted: JsonObject = withFields(definition, {
    spec: withFields(objectAt(definition, "spec"), {
      conversion: {
        strategy: "Webhook",
        webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://hook" } },
      },
    }),
  });
  const aConvertingServer = (answer = "Success") => {
    const asked: string[] = [];
    const { transport } = aServer({
      callWebhook: async (clientConfig, review) => {
        const { uid, desiredAPIVersion, objects } = objectAt(review, "request");
        asked.push(`${String(clientConfig.url)} ${String(desiredAPIVersion)}`);
        const convertedObjects = (Array.isArray(objects) ? objects : [])
          .filter(isJsonObject)
          .map((object) => convert(object, desiredAPIVersion));
        const result = { status: answer, message: "no idea" };
        return { response: { uid: uid ?? "", result, convertedObjects } };
      },
    });
    return { transport, asked };
  };

  test("happens for reads, lists, watches and writes in the other version, and only for them", async () => {
    const { transport, asked } = aConvertingServer();
    await call(transport, "POST", definitions, converted);
    await call(transport, "POST", widgets, widget("a", { size: 4 }));
    expect(asked).toEqual([]);
    expect((await call(transport, "GET", `${older}/a`)).body.spec).toEqual({ low: 4, mode: "Safe" });
    const watch = follow(transport, `${older}?watch=true&resourceVersion=0`);
    await call(transport, "PATCH", `${older}/a`, { spec: { low: 6 } });
    expect((await call(transport, "GET", `${widgets}/a`)).body.spec).toEqual({ size: 6, mode: "Safe" });
    expect((await call(transport, "GET", older)).body.items).toMatchObject([{ spec: { low: 6 } }]);
    expect(watch.seen.map(({ object }) => object.spec)).toEqual([
      { low: 4, mode: "Safe" },
      { low: 6, mode: "Safe" },
    ]);
    expect(new Set(asked)).toEqual(
      new Set(["https://hook contract.example.dev/v1beta1", "https://hook contract.example.dev/v1"]),
    );
  });

  test("that fails is an answer of 500, and an ERROR in a watch", async () => {
    const { transport } = aConvertingServer("Failure");
    await call(transport, "POST", definitions, converted);
    await call(transport, "POST", widgets, widget("a"));
    const message = "conversion webhook for contract.example.dev/v1, Kind=Widget failed: no idea";
    expect(await call(transport, "GET", `${older}/a`)).toMatchObject({ status: 500, body: { message } });
    const watch = follow(transport, `${older}?watch=true`);
    await watch.whole;
    expect(watch.seen).toMatchObject([{ type: "ERROR", object: { message } }]);
  });

  test("that takes too long fails like one that cannot be reached", async () => {
    const { transport, clock } = aServer({ callWebhook: () => new Promise(() => undefined) });
    await call(transport, "POST", definitions, converted);
    await call(transport, "POST", widgets, widget("a"));
    const answer = call(transport, "GET", `${older}/a`);
    await clock.elapse(30_000);
    const message = "conversion webhook for contract.example.dev/v1, Kind=Widget failed: context deadline exceeded";
    expect(await answer).toMatchObject({ status: 500, body: { message } });
  });
});
