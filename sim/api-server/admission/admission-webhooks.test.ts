// Admission webhooks: who is asked, in which order, with what, and what becomes of their answers and failures.
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { objectAt } from "../api-object.ts";
import { aServer, call } from "../testing/plain-kinds.ts";
import type { CallWebhook } from "./call-webhook.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";
const aMap = (name: string, labels: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { n: "0" } },
});
const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

type Hook = { readonly name: string; readonly [key: string]: Json };
const configuration = (kind: "Mutating" | "Validating", name: string, ...hooks: readonly Hook[]): JsonObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: `${kind}WebhookConfiguration`,
  metadata: { name },
  webhooks: hooks.map((hook) => ({ rules: [rule], sideEffects: "None", clientConfig: { url: hook.name }, ...hook })),
});

/** A server whose webhooks answer by their URL; every review is kept. */
function aServerWith(answers: Readonly<Record<string, JsonObject | Error | "never">>) {
  const asked: { readonly url: string; readonly request: JsonObject }[] = [];
  const callWebhook: CallWebhook = async (clientConfig, review) => {
    const request = objectAt(review, "request");
    const url = String(clientConfig.url);
    asked.push({ url, request });
    const answer = answers[url] ?? { allowed: true };
    if (answer === "never") return new Promise(() => undefined);
    if (answer instanceof Error) throw answer;
    return { response: { uid: request.uid ?? "", ...answer } };
  };
  const parts = aServer({ callWebhook });
  const install = async (kind: "Mutating" | "Validating", name: string, ...hooks: readonly Hook[]) =>
    call(
      parts.transport,
      "POST",
      `${configurations}/${kind.toLowerCase()}webhookconfigurations`,
      configuration(kind, name, ...hooks),
    );
  return { ...parts, asked, install };
}

const patchOf = (...steps: readonly JsonObject[]) => ({
  ...{ allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(steps)).toString("base64") },
});

describe("mutating webhooks", () => {
  test("are asked one after the other by the names of their configurations, each with what the one before left", async () => {
    const { transport, clock, asked, install } = aServerWith({
      first: patchOf({ op: "add", path: "/data/first", value: "1" }),
      second: patchOf({ op: "copy", from: "/data/first", path: "/data/second" }),
    });
    await install("Mutating", "b", { name: "second" });
    await install("Mutating", "a", { name: "first" });
    const { body } = await call(transport, "POST", maps, aMap("x"));
    expect(asked.map(({ url }) => url)).toEqual(["first", "second"]);
    expect(body.data).toEqual({ n: "0", first: "1", second: "1" });
    expect(clock.timerCount).toBe(0);
    expect(asked[1]?.request).toMatchObject({
      ...{
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        operation: "CREATE",
        name: "x",
        namespace: "default",
      },
      ...{ resource: { group: "", version: "v1", resource: "configmaps" }, dryRun: false, oldObject: null },
      object: { data: { n: "0", first: "1" } },
    });
  });

  test("see the object before and after an update, and their patch counts against the newest state", async () => {
    const { transport, asked, install } = aServerWith({ hook: patchOf({ op: "add", path: "/data/h", value: "1" }) });
    await call(transport, "POST", maps, aMap("x"));
    await install("Mutating", "a", { name: "hook" });
    const changes = ["a", "b", "c"].map((key) => call(transport, "PATCH", `${maps}/x`, { data: { [key]: "1" } }));
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await call(transport, "GET", `${maps}/x`)).body.data).toEqual({ n: "0", a: "1", b: "1", c: "1", h: "1" });
    expect(asked[0]?.request).toMatchObject({ oldObject: { data: { n: "0" } }, object: { data: { n: "0", a: "1" } } });
    // Each was asked again for what it had not seen: three at first, then two, then one.
    expect(asked).toHaveLength(6);
  });
});

describe("validating webhooks", () => {
  test("refuse in their own words, with their own code, and warn those whom they let pass", async () => {
    const { transport, install } = aServerWith({
      strict: { allowed: false, status: { code: 403, reason: "Forbidden", message: "not today" } },
      mute: { allowed: false },
      kind: { allowed: true, warnings: ["this is old", 'say "new"'] },
    });
    await install("Validating", "a", { name: "kind" });
    const passed = await call(transport, "POST", maps, aMap("x"));
    expect(passed).toMatchObject({ status: 201, headers: { warning: '299 - "this is old", 299 - "say \\"new\\""' } });
    await install("Validating", "b", { name: "strict" });
    const message = 'admission webhook "strict" denied the request: not today';
    expect(await call(transport, "DELETE", `${maps}/x`)).toMatchObject({
      status: 403,
      body: { message, reason: "Forbidden" },
    });
    await call(transport, "DELETE", `${configurations}/validatingwebhookconfigurations/b`);
    await install("Validating", "c", { name: "mute" });
    const unexplained = 'admission webhook "mute" denied the request without explanation';
    expect(await call(transport, "POST", maps, aMap("y"))).toMatchObject({
      status: 400,
      body: { message: unexplained },
    });
    expect((await call(transport, "GET", `${maps}/x`)).status).toBe(200);
  });

  test.each<[string, JsonObject, JsonObject, boolean]>([
    ["another resource", { rules: [{ ...rule, resources: ["pods"] }] }, {}, false],
    ["a subresource", { rules: [{ ...rule, resources: ["configmaps/status"] }] }, {}, false],
    ["everything", { rules: [{ ...rule, apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }] }, {}, true],
    ["another operation", { rules: [{ ...rule, operations: ["DELETE", "UPDATE"] }] }, {}, false],
    ["cluster scope", { rules: [{ ...rule, scope: "Cluster" }] }, {}, false],
    ["objects by label", { objectSelector: { matchLabels: { a: "b" } } }, { a: "b" }, true],
    ["other objects", { objectSelector: { matchLabels: { a: "b" } } }, { a: "c" }, false],
    ["a namespace by label", { namespaceSelector: { matchLabels: { env: "test" } } }, {}, true],
    [
      "other namespaces",
      { namespaceSelector: { matchExpressions: [{ key: "env", operator: "DoesNotExist" }] } },
      {},
      false,
    ],
  ])("for %s", async (_name, hook, labels, isAsked) => {
    const { transport, asked, install } = aServerWith({});
    await call(transport, "PATCH", "/api/v1/namespaces/default", { metadata: { labels: { env: "test" } } });
    await install("Validating", "a", { name: "hook", ...hook });
    asked.length = 0;
    await call(transport, "POST", maps, aMap("x", labels));
    expect(asked.length > 0).toBe(isAsked);
  });
});

test("a delete that names a version is a conflict when the object changes while webhooks are asked", async () => {
  const { transport, clock, install } = aServerWith({ hook: "never" });
  const { body } = await call(transport, "POST", maps, aMap("x"));
  const { resourceVersion } = body.metadata as { readonly resourceVersion: string };
  const rules = [{ ...rule, operations: ["DELETE"] }];
  await install("Validating", "a", { name: "hook", rules, failurePolicy: "Ignore" });
  const deleted = call(transport, "DELETE", `${maps}/x`, { preconditions: { resourceVersion } });
  await call(transport, "PATCH", `${maps}/x`, { data: { n: "1" } });
  await clock.elapse(10_000);
  expect((await deleted).status).toBe(409);
});

describe("a webhook that fails", () => {
  test("keeps the write from being, unless its policy is to ignore that", async () => {
    const { transport, install } = aServerWith({ hook: new Error("connection refused") });
    await install("Validating", "a", { name: "hook" });
    const message =
      'Internal error occurred: failed calling webhook "hook": failed to call webhook: connection refused';
    expect(await call(transport, "POST", maps, aMap("x"))).toMatchObject({ status: 500, body: { message } });
    await call(transport, "DELETE", `${configurations}/validatingwebhookconfigurations/a`);
    await install("Validating", "b", { name: "hook", failurePolicy: "Ignore" });
    expect((await call(transport, "POST", maps, aMap("x"))).status).toBe(201);
  });

  test("by silence is given up after its time limit", async () => {
    const { transport, clock, install } = aServerWith({ hook: "never" });
    await install("Mutating", "a", { name: "hook", timeoutSeconds: 3 });
    const created = call(transport, "POST", maps, aMap("x"));
    await clock.elapse(2_999);
    expect((await call(transport, "GET", `${maps}/x`)).status).toBe(404);
    await clock.elapse(1);
    expect((await created).body.message).toContain("context deadline exceeded");
    expect(clock.timerCount).toBe(0);
  });

  test("a dry run does not call webhooks that may have effects", async () => {
    const { transport, asked, install } = aServerWith({});
    await install("Validating", "a", { name: "hook", sideEffects: "Some" });
    expect((await call(transport, "POST", `${maps}?dryRun=All`, aMap("x"))).status).toBe(400);
    expect(asked).toEqual([]);
  });
});
