// Definitions that kube-apiserver v1.35 refuses, with its words as it gave them.
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { definitionFaults } from "./definition-faults.ts";

type Parts = { readonly spec?: JsonObject; readonly names?: JsonObject; readonly version?: JsonObject };

const version: JsonObject = { name: "v1", served: true, storage: true, schema: schemaWith({ type: "object" }) };
const other: JsonObject = { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } };

function schemaWith(spec: Json, root: JsonObject = {}): JsonObject {
  return { openAPIV3Schema: { type: "object", properties: { spec }, ...root } };
}

function aDefinition({ spec = {}, names = {}, version: part = {} }: Parts = {}): JsonObject {
  return {
    metadata: { name: "things.shop.example.com" },
    spec: {
      ...{ group: "shop.example.com", scope: "Namespaced", versions: [{ ...version, ...part }] },
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList", ...names },
      ...spec,
    },
  };
}

const faultsOf = (parts: Parts) =>
  definitionFaults(aDefinition(parts)).map(({ field, message }) => `${field}: ${message}`);
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const misnamed = 'metadata.name: Invalid value: "things.shop.example.com": must be spec.names.plural+"."+spec.group';

test("one that is right has no faults", () => {
  expect(faultsOf({})).toEqual([]);
});

describe("a definition is refused for", () => {
  const cases: readonly (readonly [what: string, parts: Parts, faults: readonly string[]])[] = [
    ["no scope", { spec: { scope: "" } }, ["spec.scope: Required value"]],
    [
      "a scope that there is not",
      { spec: { scope: "Sometimes" } },
      ['spec.scope: Unsupported value: "Sometimes": supported values: "Cluster", "Namespaced"'],
    ],
    [
      "a group without a dot",
      { spec: { group: "shop" } },
      [misnamed, 'spec.group: Invalid value: "shop": should be a domain with at least one dot'],
    ],
    ["no group", { spec: { group: "" } }, [misnamed, "spec.group: Required value"]],
    ["no plural", { names: { plural: "" } }, [misnamed, "spec.names.plural: Required value"]],
    [
      "a plural with capitals",
      { names: { plural: "Things" } },
      [misnamed, `spec.names.plural: Invalid value: "Things": ${label}`],
    ],
    [
      "an impossible kind",
      { names: { kind: "1x" } },
      [`spec.names.kind: Invalid value: "1x": may have mixed case, but should otherwise match: ${label}`],
    ],
    [
      "a list kind that is the kind",
      { names: { listKind: "Thing" } },
      ['spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
    ],
    [
      "an impossible short name",
      { names: { shortNames: ["Bad Name"] } },
      [`spec.names.shortNames[0]: Invalid value: "Bad Name": ${label}`],
    ],
    [
      "an impossible category",
      { names: { categories: ["Bad Name"] } },
      [`spec.names.categories[0]: Invalid value: "Bad Name": ${label}`],
    ],
    [
      "no versions",
      { spec: { versions: [] } },
      ["spec.versions: Invalid value: []: must have exactly one version marked as storage version"],
    ],
    ["no schema", { version: { schema: {} } }, ["spec.versions[0].schema.openAPIV3Schema: Required value"]],
    [
      "fields that nobody prunes",
      { spec: { preserveUnknownFields: true } },
      [
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    [
      "a column with an impossible path",
      { version: { additionalPrinterColumns: [{ name: "a", type: "string", jsonPath: "spec" }] } },
      ['spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .'],
    ],
    [
      "a column of no type",
      { version: { additionalPrinterColumns: [{ name: "a", type: "text", jsonPath: ".spec" }] } },
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      "a scale with an impossible path",
      { version: { subresources: { scale: { specReplicasPath: "spec.n", statusReplicasPath: ".status.n" } } } },
      ['spec.subresources.scale.specReplicasPath: Invalid value: "spec.n": must be a simple json path starting with .'],
    ],
    [
      "a conversion by nobody",
      { spec: { conversion: { strategy: "Webhook" } } },
      [
        "spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
        "spec.conversion.conversionReviewVersions: Required value",
      ],
    ],
    [
      "a conversion that there is not",
      { spec: { conversion: { strategy: "Odd" } } },
      ['spec.conversion.strategy: Unsupported value: "Odd": supported values: "None", "Webhook"'],
    ],
  ];
  test.each(cases)("%s", (_what, parts, faults) => {
    expect(faultsOf(parts)).toEqual(faults);
  });

  test.each([
    ["two stored versions", { ...other, storage: true }, "must have exactly one version marked as storage version"],
    ["two versions of one name", { ...other, name: "v1" }, "must contain unique version names"],
  ])("%s", (_what, second, words) => {
    const [fault, ...more] = faultsOf({ spec: { versions: [version, second] } });
    expect([fault?.endsWith(`: ${words}`), more]).toEqual([true, []]);
  });

  test("a fault of one version of several, at its place", () => {
    const wrong = { ...other, schema: schemaWith({}) };
    expect(faultsOf({ spec: { versions: [version, wrong] } })).toEqual([
      "spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ]);
  });
});
