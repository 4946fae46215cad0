// A custom kind with every sort of printer column, and objects that fit them, do not, or leave them empty.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { ago, named, space, type TableCase } from "./table-case.ts";

const columns: readonly (readonly [name: string, type: string, jsonPath: string])[] = [
  ["Int", "integer", ".spec.int"],
  ["Number", "number", ".spec.number"],
  ["Yes", "boolean", ".spec.yes"],
  ["Text", "string", ".spec.text"],
  ["Date", "date", ".spec.date"],
  ["IntAsText", "string", ".spec.int"],
  ["NumberAsText", "string", ".spec.number"],
  ["YesAsText", "string", ".spec.yes"],
  ["TextAsInt", "integer", ".spec.text"],
  ["NumberAsInt", "integer", ".spec.number"],
  ["IntAsNumber", "number", ".spec.int"],
  ["TextAsYes", "boolean", ".spec.text"],
  ["List", "string", ".spec.list"],
  ["First", "string", ".spec.list[0].name"],
  ["Last", "string", ".spec.list[-1:].name"],
  ["All", "string", ".spec.list[*].name"],
  ["Slice", "string", ".spec.list[1:].name"],
  ["Ready", "string", '.spec.list[?(@.name=="y")].n'],
  ["More", "string", ".spec.list[?(@.n>1)].name"],
  ["Other", "string", ".spec.list[?(@.name!='x')].name"],
  ["There", "string", ".spec.list[?(@.extra)].name"],
  ["Missing", "string", ".spec.none.at.all"],
  ["Beyond", "string", ".spec.list[9].name"],
  ["Labels", "string", ".metadata.labels"],
  ["Dotted", "string", ".metadata.labels.example\\.dev/tier"],
  ["Quoted", "string", ".metadata.labels['example.dev/tier']"],
  ["Null", "string", ".spec.null"],
  ["NotList", "string", ".spec.text[0]"],
];

/** The definition of a kind with every sort of column. */
export const definition: JsonObject = {
  ...{
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "odds.tables.example.dev" },
  },
  spec: {
    ...{ group: "tables.example.dev", scope: "Namespaced", names: { plural: "odds", kind: "Odd" } },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        additionalPrinterColumns: columns.map(([name, type, jsonPath]) => ({ name, type, jsonPath })),
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
      {
        ...{ name: "v2", served: true, storage: false },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Objects of that kind, as of a time. */
export function customTableCases(nowMs: number): readonly TableCase[] {
  const odds = (version: string) => `/apis/tables.example.dev/${version}${space}/odds`;
  const typeOf = (version: string) => ({ apiVersion: `tables.example.dev/${version}`, kind: "Odd" });
  const odd = (name: string, spec: Json): TableCase => ({
    path: odds("v1"),
    object: { ...typeOf("v1"), metadata: { name, labels: { "example.dev/tier": "gold", app: "a" } }, spec },
  });
  const list = [
    { name: "x", n: 1 },
    { name: "y", n: 2, extra: true },
    { name: "z", n: 3 },
  ];
  return [
    odd("full", { int: 3, number: 2.5, yes: true, text: "t", date: ago(nowMs, 200), list, null: null }),
    odd("large", { int: 9_007_199_254_740_991, number: 1_500_000, yes: false, text: "", date: "", list: [] }),
    odd("wrong", { int: "3", number: true, yes: "yes", text: { a: [1, "b", null] }, date: "yesterday", list: "no" }),
    odd("empty", {}),
    named(odds("v2"), "other", typeOf("v2")),
  ];
}
