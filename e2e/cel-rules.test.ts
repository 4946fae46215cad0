// The cases of the embedded server's CEL evaluator on a real kube-apiserver: what it refuses to install, and with which
// words it refuses an object, must be what the evaluator and the structural validation say.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ruleCases, selfSchema } from "../sim/api-server/cel/testing/rule-cases.ts";
import type { FieldError } from "../sim/api-server/faults/field-error.ts";
import type { Schema } from "../sim/api-server/schema.ts";
import { compileSchema } from "../sim/api-server/structural/schema-node.ts";
import { validate } from "../sim/api-server/structural/validate.ts";
import type { JsonObject } from "../src/core/json/json.ts";
import { printJson } from "../src/kube/wire/json-text.ts";
import { type ApiCalls, startApi } from "./api-calls.ts";
import { describeWith } from "./control-plane/describe-with.ts";

const group = "rules.example.dev";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const objects = `/apis/${group}/v1/rulings`;

/** Each rule stands at a field of its own, so that an object with one field is judged by one rule. */
function schemaWith(rules: Readonly<Record<string, string>>): Schema {
  const fields = Object.entries(rules).map(([name, rule]) => [
    name,
    { ...selfSchema, "x-kubernetes-validations": [{ rule }] },
  ]);
  return { type: "object", properties: Object.fromEntries(fields) };
}

function definition(plural: string, openAPIV3Schema: Schema): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { plural, kind: "Ruling" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const sorted = (faults: readonly FieldError[]) =>
  faults.map(({ reason, message, field }) => `${field} ${reason} ${message}`).sort();

const evaluable = ruleCases.filter(({ gives }) => gives !== "refused");
const fieldNames = new Map(evaluable.map((each, index) => [each, `case${index}`]));
const schema = schemaWith(Object.fromEntries(evaluable.map((each) => [fieldNames.get(each), each.rule])));

describeWith("api", "CEL rules on a real kube-apiserver", (binaries) => {
  let api: ApiCalls;

  const causesOf = (body: unknown) => (body as { details?: { causes: readonly FieldError[] } }).details?.causes ?? [];

  beforeAll(async () => {
    api = await startApi(binaries);
    const installed = await api.send("POST", definitions, definition("rulings", schema));
    if (installed.status !== 201) throw new Error(`the definition was refused: ${printJson(installed.body)}`);
    await api.served(objects);
  });

  afterAll(() => api?.stop());

  test.each(evaluable.map((each) => [each.rule, each.gives, each] as const))("%s: %s", async (_rule, _gives, each) => {
    const compiled = compileSchema(schema);
    if (!compiled.ok) throw new Error(printJson(compiled.faults));
    const name = fieldNames.get(each) ?? "";
    const object = (value: JsonObject): JsonObject => ({
      apiVersion: `${group}/v1`,
      kind: "Ruling",
      metadata: { name },
      [name]: value,
    });
    if (each.old === undefined) {
      const { status, body } = await api.send("POST", `${objects}?dryRun=All`, object(each.value));
      expect(sorted(causesOf(body))).toEqual(sorted(validate(compiled.value, object(each.value))));
      expect(status).toBe(causesOf(body).length === 0 ? 201 : 422);
      return;
    }
    expect((await api.send("POST", objects, object(each.old))).status).toBe(201);
    const patch = [{ op: "replace", path: `/${name}`, value: each.value }];
    const { body } = await api.send("PATCH", `${objects}/${name}?dryRun=All`, patch, "application/json-patch+json");
    const faults = validate(compiled.value, object(each.value), { old: object(each.old) });
    expect(sorted(causesOf(body))).toEqual(sorted(faults));
  });

  const refused = ruleCases.filter(({ gives }) => gives === "refused");

  test.each(refused.map(({ rule }) => [rule] as const))("%s cannot be installed", async (rule) => {
    const { status } = await api.send(
      "POST",
      `${definitions}?dryRun=All`,
      definition("refusals", schemaWith({ a: rule })),
    );
    expect(status).toBe(422);
  });
});
