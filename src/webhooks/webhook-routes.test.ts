import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../core/json/json.ts";
import { newerToOlder, olderToNewer } from "../kinds/daemon-set/api/convert.ts";
import { withDefaults } from "../kinds/daemon-set/api/defaults.ts";
import { validateDaemonSet } from "../kinds/daemon-set/api/validate.ts";
import type { Kind } from "../kinds/kind.ts";
import { validateModule } from "../kinds/module/api/validate.ts";
import { findRoute } from "../runtime/http/http-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

const observe = () => ({ decide: () => ({ plan: { steps: [], held: [] }, asks: [] }), explain: () => undefined });
const never = { reads: [], observe, concerns: () => false } as const;
const daemonSets: Kind = {
  ...{ ...never, group: "apps.kruise.io", version: "v1beta1", kind: "DaemonSet", plural: "daemonsets" },
  ...{ withDefaults, admit: (object, before) => validateDaemonSet(object, before) },
  conversion: {
    otherVersions: ["v1alpha1"],
    convert: (object, version) => (version === "v1alpha1" ? newerToOlder(object) : olderToNewer(object)),
  },
};
const modules: Kind = {
  ...{ ...never, group: "kmm.sigs.x-k8s.io", version: "v1beta1", kind: "Module", plural: "modules" },
  admit: validateModule,
};
const routes = webhookRoutes([daemonSets, modules]);

async function post(path: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  const request = { path, query: new URLSearchParams(), headers: {}, signal: new AbortController().signal };
  const answer = await findRoute(routes, "POST", path)({ ...request, method: "POST", body: Buffer.from(body) });
  return { status: answer.status, text: String(answer.body) };
}

const VALIDATE = "/validate-apps-kruise-io-daemonset";
const MUTATE = "/mutate-apps-kruise-io-daemonset";

type Asked = {
  readonly object?: Json;
  readonly oldObject?: Json;
  readonly operation?: string;
  readonly resource?: Json;
};
async function review(path: string, asked: Asked) {
  const resource = { group: "apps.kruise.io", version: "v1beta1", resource: "daemonsets" };
  const request = { uid: "u-1", operation: "CREATE", name: "a", resource, ...asked };
  const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const { status, text } = await post(path, JSON.stringify(body));
  expect(status).toBe(200);
  const { response } = JSON.parse(text);
  expect(response.uid).toBe("u-1");
  return response;
}

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const aSet = (spec: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", metadata: { name: "a", namespace: "d" }, ...more },
  spec: { selector: { matchLabels: { app: "a" } }, template, ...spec },
});
const invalid = aSet({ minReadySeconds: -1 });

describe("validation", () => {
  test.each([VALIDATE, "/validate-daemonset-patches"])("%s lets a good object pass", async (path) => {
    expect(await review(path, { object: aSet() })).toEqual({ uid: "u-1", allowed: true });
  });

  test("a bad object is refused with its field, in either version", async () => {
    for (const version of ["v1alpha1", "v1beta1"]) {
      const object = { ...invalid, apiVersion: `apps.kruise.io/${version}` };
      const { allowed, status } = await review(VALIDATE, { object });
      expect([allowed, status.code, status.reason]).toEqual([false, 422, "Invalid"]);
      expect(status.message).toContain("spec.minReadySeconds");
    }
  });

  test("what is probably not meant is a warning", async () => {
    const patches = [{ selector: {}, patch: { spec: { priorityClassName: "high" } } }];
    const { allowed, warnings } = await review(VALIDATE, { object: aSet({ patches }) });
    expect([allowed, warnings]).toEqual([true, [expect.stringContaining("spec.patches[0].selector")]]);
  });

  test("the selector is compared with what was stored", async () => {
    const labels = { app: "b" };
    const other = { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } };
    const { allowed, status } = await review(VALIDATE, { object: aSet(other), oldObject: aSet(), operation: "UPDATE" });
    expect([allowed, status.message]).toEqual([false, expect.stringContaining("spec.selector: cannot be changed")]);
  });

  test.each<readonly [string, Asked]>([
    ["whose spec stays as it was", { object: { ...invalid, metadata: { name: "a", labels: {} } }, oldObject: invalid }],
    [
      "that is being deleted",
      { object: { ...invalid, metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } }, oldObject: aSet() },
    ],
    ["that is deleted", { oldObject: invalid, operation: "DELETE" }],
  ])("nobody is locked out of an object %s", async (_, asked) => {
    expect((await review(VALIDATE, { operation: "UPDATE", ...asked })).allowed).toBe(true);
  });

  test.each<readonly [string, Asked, string]>([
    [
      "of another kind",
      { object: aSet(), resource: { group: "apps", version: "v1", resource: "daemonsets" } },
      'this path is for daemonsets.apps.kruise.io, not for "daemonsets.apps"',
    ],
    [
      "of an unknown version",
      { object: aSet({}, { apiVersion: "apps.kruise.io/v2" }) },
      '"apps.kruise.io/v2" is not served here; use apps.kruise.io/v1beta1 or apps.kruise.io/v1alpha1',
    ],
  ])("an object %s is refused with the remedy", async (_, asked, message) => {
    const { allowed, status } = await review(VALIDATE, asked);
    expect([allowed, status.code, status.message]).toEqual([false, 400, expect.stringContaining(message)]);
  });

  test("a message with many problems ends", async () => {
    const patches = Array.from({ length: 10 }, (_, index) => ({
      selector: {},
      patch: { [`x${"y".repeat(900)}`]: index },
    }));
    const { status } = await review(VALIDATE, { object: aSet({ patches }) });
    expect(status.message.length).toBeLessThanOrEqual(4_000);
  });
});

describe("defaults", () => {
  const patchOf = (response: { readonly patch: string }) =>
    JSON.parse(Buffer.from(response.patch, "base64").toString());

  test("only what is missing is added", async () => {
    const response = await review(MUTATE, { object: aSet({ burstReplicas: 3 }) });
    expect(response).toMatchObject({ allowed: true, patchType: "JSONPatch" });
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 1, rollingUpdateType: "Standard" };
    const updateStrategy = { rollingUpdate, type: "RollingUpdate" };
    const byPath = Object.fromEntries(patchOf(response).map((each: { readonly path: string }) => [each.path, each]));
    expect(byPath).toEqual({
      "/spec/revisionHistoryLimit": { op: "add", path: "/spec/revisionHistoryLimit", value: 10 },
      "/spec/updateStrategy": { op: "add", path: "/spec/updateStrategy", value: updateStrategy },
    });
  });

  test("an object that has them all gets no patch, so asking twice changes nothing", async () => {
    const response = await review(MUTATE, { object: withDefaults(aSet()) });
    expect(response).toEqual({ uid: "u-1", allowed: true });
  });

  test("an integer that no double can hold comes through", async () => {
    const text = JSON.stringify(aSet({ updateStrategy: null })).replace(
      '"image":"i"',
      '"image":"i","x":9007199254740993',
    );
    const request = `{"uid":"u-1","operation":"CREATE","resource":{"group":"apps.kruise.io","resource":"daemonsets"},"object":${text}}`;
    const answer = await post(
      MUTATE,
      `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${request}}`,
    );
    expect(answer.status).toBe(200);
    expect(Buffer.from(JSON.parse(answer.text).response.patch, "base64").toString()).not.toContain("template");
  });

  test("a kind without defaults has no such path", async () => {
    expect((await post("/mutate-kmm-sigs-x-k8s-io-module", "{}")).status).toBe(404);
  });
});

describe("conversion", () => {
  const convert = async (objects: Json, desired = "apps.kruise.io/v1alpha1") => {
    const request = { uid: "u-2", desiredAPIVersion: desired, objects };
    const body = JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
    const { status, text } = await post("/convert", body);
    expect(status).toBe(200);
    return JSON.parse(text).response;
  };

  test("each object comes back in its place, in the version that was asked for", async () => {
    const objects = [aSet({}, { status: { updateRevision: "abc" } }), aSet({ burstReplicas: 1 })];
    const { result, convertedObjects, uid } = await convert(objects);
    expect([uid, result]).toEqual(["u-2", { status: "Success" }]);
    expect(convertedObjects).toMatchObject([
      { apiVersion: "apps.kruise.io/v1alpha1", status: { daemonSetHash: "abc" } },
      { apiVersion: "apps.kruise.io/v1alpha1", spec: { burstReplicas: 1 } },
    ]);
  });

  test.each<readonly [string, Json, string | undefined, string]>([
    ["a version that nobody has", [aSet()], "apps.kruise.io/v9", 'DaemonSet has no version "apps.kruise.io/v9"'],
    ["another kind", [{ apiVersion: "v1", kind: "Pod" }], undefined, '"Pod" of "v1" is not converted here'],
    ["no object", [7], undefined, "an object to convert is no object"],
  ])("%s fails as a whole, and says why", async (_, objects, desired, message) => {
    const { result, convertedObjects } = await convert(objects, desired);
    expect(convertedObjects).toEqual([]);
    expect(result).toEqual({ status: "Failure", message: expect.stringContaining(message) });
  });
});

describe("bodies that are no reviews", () => {
  test.each<readonly [string, string, string]>([
    ["no JSON", "hello", "the body is no JSON"],
    ["another thing", "{}", "not an AdmissionReview of version v1"],
    ["a review without a request", '{"apiVersion":"admission.k8s.io/v1"}', "not an AdmissionReview"],
    ["deeper than anything", "[".repeat(20_000), "nests deeper"],
    ["nothing", "", "the body is no JSON"],
  ])("%s is refused in words", async (_, body, message) => {
    const { status, text } = await post(VALIDATE, body);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });
});
