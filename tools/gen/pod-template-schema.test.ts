// The table of the merge against the API types that it is made from, field by field, and the generator's own refusals.
import { describe, expect, test } from "vitest";
import { podTemplateSchema } from "../../src/core/strategic-merge/pod-template-schema.generated.ts";
import type { FieldSchema, StructSchema } from "../../src/core/strategic-merge/schema.ts";
import { type ApiTypes, type FieldRow, fieldsOf, readApiTypes, schemaSource } from "./pod-template-schema.ts";

const api = readApiTypes();
const structs = structsIn(podTemplateSchema);

/** All structs that the table reaches, by name. */
function structsIn(root: StructSchema): ReadonlyMap<string, StructSchema> {
  const found = new Map<string, StructSchema>();
  const visit = (struct: StructSchema): void => {
    found.set(struct.name, struct);
    for (const { object, list } of struct.fields.values())
      for (const below of [object, list?.element]) if (below !== undefined && !found.has(below.name)) visit(below);
  };
  visit(root);
  return found;
}

function fieldInTable(struct: string, field: string): FieldSchema | undefined {
  return structs.get(struct)?.fields.get(field);
}

/** Every row of the API types, in whatever version, with the struct that owns it in Go. */
function allRows(): readonly { readonly struct: string; readonly row: FieldRow }[] {
  return Object.entries(api.types).flatMap(([struct, rows]) =>
    rows.flatMap((row) => ("inline" in row ? [] : [{ struct, row }])),
  );
}

/** Structs that show the fields of the given one as their own. */
function ownersOf(struct: string): readonly string[] {
  const embedders = Object.entries(api.types)
    .filter(([, rows]) => rows.some((row) => "inline" in row && row.inline === struct))
    .flatMap(([name]) => ownersOf(name));
  return structs.has(struct) ? [struct, ...embedders] : embedders;
}

describe("the pod template schema", () => {
  test.each(allRows().filter(({ row }) => row.strategy !== undefined))(
    "merges $struct.$row.name by $row.key, as every version that has it says",
    ({ struct, row }) => {
      const owners = ownersOf(struct);
      expect(owners).not.toEqual([]);
      for (const owner of owners)
        expect(fieldInTable(owner, row.name)?.list).toMatchObject({ isMerged: true, mergeKey: row.key ?? "" });
    },
  );

  test("merges no list that the API does not tag", () => {
    const tagged = new Set(
      allRows().flatMap(({ struct, row }) =>
        row.strategy ? ownersOf(struct).map((owner) => `${owner}.${row.name}`) : [],
      ),
    );
    const merged = [...structs.values()].flatMap(({ name, fields }) =>
      [...fields].flatMap(([field, { list }]) => (list?.isMerged ? [`${name}.${field}`] : [])),
    );
    expect(new Set(merged)).toEqual(tagged);
  });

  test("knows every field of every version, and no other", () => {
    for (const { name, fields } of structs.values())
      expect([...fields.keys()].sort()).toEqual(
        fieldsOf(api, name)
          .map((row) => row.name)
          .sort(),
      );
    for (const { struct, row } of allRows())
      for (const owner of ownersOf(struct)) expect(fieldInTable(owner, row.name)).toBeDefined();
  });

  test.each([
    ["PodTemplateSpec", "spec", "PodSpec", undefined],
    ["PodSpec", "containers", undefined, "Container"],
    ["PodSpec", "securityContext", "PodSecurityContext", "PodSecurityContext"],
    ["Volume", "hostPath", "HostPathVolumeSource", "HostPathVolumeSource"],
    ["Container", "resources", "ResourceRequirements", undefined],
    ["ObjectMeta", "labels", undefined, undefined],
    ["HTTPGetAction", "port", "IntOrString", undefined],
  ])("leads from %s.%s to the objects %s and the elements %s", (struct, field, object, element) => {
    const found = fieldInTable(struct, field);
    expect(found?.object?.name).toBe(object);
    expect(found?.list?.element?.name).toBe(element);
  });
});

describe("schemaSource()", () => {
  const minimal = (rows: ApiTypes["types"]): ApiTypes => ({ note: "", root: "A", versions: ["1"], types: rows });

  test.each([
    ["a type that contains itself", { A: [{ name: "a", is: "pointer", of: "A" }] }, /contains itself/],
    ["a type that is not listed", { A: [{ name: "b", is: "struct", of: "B" }] }, /mentioned but not listed/],
    ["an unknown strategy", { A: [{ name: "a", is: "list", strategy: "union" }] }, /does not know/],
    ["a strategy on something else than a list", { A: [{ name: "a", is: "map", strategy: "replace" }] }, /no list/],
    [
      "names that differ in case only",
      {
        A: [
          { name: "a", is: "map" },
          { name: "A", is: "map" },
        ],
      },
      /case only/,
    ],
    [
      "a field that is defined twice",
      {
        A: [
          { name: "a", is: "map" },
          { name: "a", is: "list" },
        ],
      },
      /twice/,
    ],
  ] satisfies [string, ApiTypes["types"], RegExp][])("refuses %s", (_, types, complaint) => {
    expect(() => schemaSource(minimal(types))).toThrow(complaint);
  });

  test("takes the newest definition of a field", () => {
    const rows: ApiTypes["types"]["A"] = [
      { name: "a", is: "list", since: "2" },
      { name: "a", is: "map", until: "1" },
    ];
    for (const order of [rows, rows.toReversed()])
      expect(schemaSource(minimal({ A: order }))).toContain('["a", listed]');
  });
});
