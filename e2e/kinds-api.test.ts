// The shared tables of the kinds on a real kube-apiserver: it takes every generated definition, within its limits on rules,
// and says of every object what our validation and the embedded server say.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../src/core/json/json.ts";
import { daemonSetCrd } from "../src/kinds/daemon-set/api/crd.ts";
import { daemonSetCases } from "../src/kinds/daemon-set/testing/cases.ts";
import { moduleCrd } from "../src/kinds/module/api/crd.ts";
import { moduleCases } from "../src/kinds/module/testing/cases.ts";
import { type CrdSource, customResourceDefinition } from "../src/kinds/schema/crd.ts";
import type { KindCase } from "../src/kinds/testing/kind-case.ts";
import { variantSetCrd } from "../src/kinds/variant-set/api/crd.ts";
import { variantSetCases } from "../src/kinds/variant-set/testing/cases.ts";
import { printJson } from "../src/kube/wire/json-text.ts";
import { type ApiCalls, startApi } from "./api-calls.ts";
import { describeWith } from "./control-plane/describe-with.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const mergePatch = "application/merge-patch+json";

const tables: readonly (readonly [kind: string, source: CrdSource, rows: readonly KindCase[]])[] = [
  ["VariantSet", variantSetCrd, variantSetCases()],
  ["DaemonSet", daemonSetCrd, daemonSetCases()],
  ["Module", moduleCrd, moduleCases()],
];

describeWith("api", "the kinds on a real kube-apiserver", (binaries) => {
  let api: ApiCalls;

  beforeAll(async () => {
    api = await startApi(binaries);
  });

  afterAll(() => api?.stop());

  describe.each(tables)("%s", (_kind, source, rows) => {
    const { names, versions } = source;
    const definition = customResourceDefinition(source);
    const pathOf = (object: JsonObject) => `/apis/${String(object.apiVersion)}/namespaces/default/${names.plural}`;

    beforeAll(async () => {
      const { status, body } = await api.send("POST", definitions, definition);
      expect(status, printJson(body)).toBe(201);
      for (const { name } of versions) await api.served(`/apis/${names.group}/${name}/${names.plural}`);
    });

    test("the definition is kept as it was written", async () => {
      const { body } = await api.send("GET", `${definitions}/${names.plural}.${names.group}`);
      expect(body.spec).toMatchObject(JSON.parse(printJson(definition)).spec);
    });

    test.each(rows.map((row, index) => [row.name, index, row] as const))("%s", async (_name, index, row) => {
      const { object, old, verdict } = row;
      const named = (each: JsonObject) => ({
        ...each,
        metadata: { ...objectAt(each, "metadata"), name: `row-${index}` },
      });
      if (old !== undefined) expect((await api.send("POST", pathOf(old), named(old))).status).toBe(201);
      const { status, body } =
        old === undefined
          ? await api.send("POST", pathOf(object), named(object))
          : await api.send("PATCH", `${pathOf(object)}/row-${index}`, named(object), mergePatch);
      const message = String(body.message ?? "");
      if (verdict.is === "accepted" || verdict.by === "admission") {
        expect(message).toBe("");
        return;
      }
      expect(status).toBe(422);
      expect(message).toContain(verdict.at);
      expect(
        ruleMessages(definition).some((rule) => message.includes(rule)),
        message,
      ).toBe(verdict.by === "cel");
    });
  });
});

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** The messages of all rules of a definition. */
function ruleMessages(value: Json): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === "x-kubernetes-validations" && Array.isArray(child)
      ? child.map((rule: Json) => (isJsonObject(rule) ? String(rule.message) : ""))
      : ruleMessages(child),
  );
}
