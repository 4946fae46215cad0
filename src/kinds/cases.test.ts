// The shared tables of the kinds: our own validation and the embedded API server, which has the generated definition, must
// say of every object what its row says. A real API server is asked the same in e2e/kinds-api.test.ts.
import { beforeAll, describe, expect, test } from "vitest";
import { aServer, call } from "../../sim/api-server/testing/plain-kinds.ts";
import { canonicalJson } from "../core/json/canonical-json.ts";
import type { Json, JsonObject } from "../core/json/json.ts";
import { daemonSetCrd } from "./daemon-set/api/crd.ts";
import { validateDaemonSet } from "./daemon-set/api/validate.ts";
import { daemonSetCases } from "./daemon-set/testing/cases.ts";
import type { Admission } from "./kind.ts";
import { moduleCrd } from "./module/api/crd.ts";
import { validateModule } from "./module/api/validate.ts";
import { moduleCases } from "./module/testing/cases.ts";
import { type CrdSource, customResourceDefinition } from "./schema/crd.ts";
import type { KindCase } from "./testing/kind-case.ts";
import { variantSetCrd } from "./variant-set/api/crd.ts";
import { validateVariantSet } from "./variant-set/api/validate.ts";
import { variantSetCases } from "./variant-set/testing/cases.ts";

type Kind = {
  readonly source: CrdSource;
  readonly cases: readonly KindCase[];
  readonly validate: (object: JsonObject, old: JsonObject | undefined) => Admission;
};

const kinds: readonly Kind[] = [
  { source: variantSetCrd, cases: variantSetCases(), validate: (object) => validateVariantSet(object) },
  { source: daemonSetCrd, cases: daemonSetCases(), validate: validateDaemonSet },
  { source: moduleCrd, cases: moduleCases(), validate: validateModule },
];

describe.each(kinds.map((kind) => [kind.source.names.kind, kind] as const))("the table of %s", (_, kind) => {
  const rows = kind.cases.map((row) => [row.name, row] as const);
  const { names } = kind.source;
  const definition = customResourceDefinition(kind.source);
  const server = aServer();
  const pathOf = (object: JsonObject) => `/apis/${String(object.apiVersion)}/namespaces/default/${names.plural}`;

  beforeAll(async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const installed = await call(server.transport, "POST", path, definition);
    expect(installed.body.message).toBeUndefined();
  });

  test("has distinct names", () => {
    expect(new Set(kind.cases.map(({ name }) => name)).size).toBe(kind.cases.length);
  });

  test.each(rows)("our validation: %s", (_name, { object, old, verdict }) => {
    const before = canonicalJson(object);
    const { problems, warnings } = kind.validate(object, old);
    expect(canonicalJson(object)).toBe(before);
    if (verdict.is === "accepted") {
      expect(problems).toEqual([]);
      expect(warnings.join("\n")).toContain(verdict.warning ?? "");
      if (verdict.warning === undefined) expect(warnings).toEqual([]);
      return;
    }
    const found = problems.filter(({ path }) => path.startsWith(verdict.at));
    expect(found, JSON.stringify(problems)).not.toEqual([]);
    expect(found.map(({ message }) => message).join("\n")).toContain(verdict.says ?? "");
  });

  test.each(rows)("the embedded API server: %s", async (_name, { object, old, verdict }) => {
    const name = `row-${rows.findIndex(([, row]) => row.object === object)}`;
    const named = (each: JsonObject): JsonObject => ({ ...each, metadata: { ...metadataOf(each), name } });
    if (old !== undefined) expect((await call(server.transport, "POST", pathOf(old), named(old))).status).toBe(201);
    const answer =
      old === undefined
        ? await call(server.transport, "POST", pathOf(object), named(object))
        : await call(server.transport, "PATCH", `${pathOf(object)}/${name}`, named(object));
    const message = String(answer.body.message ?? "");
    if (verdict.is === "accepted" || verdict.by === "admission") {
      expect(message).toBe("");
      return;
    }
    expect(answer.status).toBe(422);
    expect(message).toContain(verdict.at);
    const isByRule = rulesIn(definition).some((rule) => message.includes(rule));
    expect(isByRule, message).toBe(verdict.by === "cel");
  });
});

function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? (metadata as JsonObject) : {};
}

/** The messages of all rules of a definition. */
function rulesIn(value: Json): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === "x-kubernetes-validations" && Array.isArray(child)
      ? child.map((rule) => String((rule as JsonObject).message))
      : rulesIn(child as Json),
  );
}
