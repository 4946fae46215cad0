// Random values of a given shape: for an original plainly, for a patch with everything a patch may say, and in both the
// more nonsense the worse the temper.
import fc from "fast-check";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { dictionaries, type Entry, mostly, objectOf, oneIn, trapKeys } from "./arbitrary-json.ts";
import type { Fields, Shape } from "./template-shape.ts";

/** How often something unusual stands where a well-typed value would: one in so many places. */
export type Temper = { readonly oddOneIn: number; readonly directiveOneIn: number };

export const NEVER = 1_000_000;

/** Original and patch have one shape; only a patch carries directives and deletes by null. */
export type Role = "original" | "patch";

type ListShape = Extract<Shape, { readonly kind: "list" }>;
type ScalarsShape = Extract<Shape, { readonly kind: "scalars" }>;

const scalars = fc.constantFrom<Json>("a", "b", 1, 2, true, false, "80", 0.5, 9007199254740993n, 9007199254740995n);

/** What may stand anywhere and belongs nowhere. */
export const odd = fc.constantFrom<Json>(
  null,
  "a",
  80,
  true,
  [],
  {},
  ["a"],
  [null],
  ["a", null],
  [1, "a"],
  [["a"]],
  [{}],
  [{ name: "a" }],
  [{ name: null }],
  [{ name: {} }],
  { a: null },
  { a: { b: null } },
  { name: ["a"] },
  { $patch: "delete" },
  { $patch: "replace", x: { y: null } },
  { $retainKeys: ["a"] },
  [{ name: "a", $patch: "delete" }],
);

const patchWords = fc.constantFrom<Json>("replace", "delete", "merge", "Replace", null, 1, {});

function values(shape: Shape, role: Role, temper: Temper): fc.Arbitrary<Json> {
  return mostly(wellTyped(shape, role, temper), temper.oddOneIn, odd);
}

function wellTyped(shape: Shape, role: Role, temper: Temper): fc.Arbitrary<Json> {
  switch (shape.kind) {
    case "scalar":
      return scalars;
    case "scalars":
      return fc.array(fc.constantFrom<Json>(...shape.values), { maxLength: 4 });
    case "dictionary":
      return texts(role);
    case "struct":
      return structs(shape.fields, role, temper);
    case "list":
      return lists(shape, role, temper);
  }
}

function texts(role: Role): fc.Arbitrary<JsonObject> {
  const value = fc.constantFrom<Json>("x", "y", "");
  const keys = ["a", "b", "c", ...trapKeys];
  return dictionaries<Json>(keys, role === "patch" ? mostly<Json>(value, 4, fc.constant(null)) : value, 4);
}

/** A struct with most fields of its shape; in a patch, sometimes with directives about the whole of it. */
export function structs(fields: Fields, role: Role, temper: Temper): fc.Arbitrary<JsonObject> {
  const entries = Object.entries(fields).map(([name, shape]) => {
    const entry = role === "patch" ? patchEntries(name, shape, temper) : originalEntries(name, shape, temper);
    return fc.oneof(
      { withCrossShrink: true },
      { arbitrary: fc.constant([]), weight: 1 },
      { arbitrary: entry, weight: 3 },
    );
  });
  const plain = fc.tuple(...entries).map((some) => some.flat());
  if (role === "original") return plain.map(objectOf);
  const kept = fc.subarray(Object.keys(fields));
  return fc
    .tuple(plain, oneIn(temper.directiveOneIn * 6, patchWords), oneIn(temper.directiveOneIn * 4, kept))
    .map(([own, word, retained]) => objectOf([...own, ...wholeDirectives(own, word, retained)]));
}

function originalEntries(name: string, shape: Shape, temper: Temper): fc.Arbitrary<readonly Entry[]> {
  return values(shape, "original", temper).map((value) => [[name, value]]);
}

function wholeDirectives(own: readonly Entry[], word: Json | undefined, kept: readonly string[] | undefined): Entry[] {
  const directives: Entry[] = [];
  if (word !== undefined) directives.push(["$patch", word]);
  // Retaining less than the patch itself sets is refused; half of the lists are made whole, so that both are seen.
  if (kept !== undefined) {
    const set = kept.length % 2 === 0 ? own.map(([key]) => key) : [];
    directives.push(["$retainKeys", [...new Set([...kept, ...set])]]);
  }
  return directives;
}

/** What a patch says about one field: a value, null, or a value with directives about its elements. */
function patchEntries(name: string, shape: Shape, temper: Temper): fc.Arbitrary<readonly Entry[]> {
  const value = values(shape, "patch", temper);
  const plain = value.map((own): Entry[] => [[name, own]]);
  const choices: fc.Arbitrary<readonly Entry[]>[] = [fc.constant<Entry[]>([[name, null]])];
  if (shape.kind === "list") choices.push(orderedEntries(name, shape, temper), deletingEntries(name, value, odd));
  if (shape.kind === "scalars") choices.push(orderedScalars(name, shape), deletingEntries(name, value, value));
  if (temper.oddOneIn < NEVER) choices.push(oddDirective(name, value));
  // Deleting a whole struct hides everything said inside it, so that is kept rare.
  const calmness = shape.kind === "struct" ? 4 : choices.length;
  return mostly(plain, temper.directiveOneIn * calmness, ...choices);
}

/** A directive about a field that has no use for it, or not quite in the form it must have. */
function oddDirective(name: string, value: fc.Arbitrary<Json>): fc.Arbitrary<readonly Entry[]> {
  const key = fc.constantFrom(
    ...["$setElementOrder", "$deleteFromPrimitiveList"].flatMap((directive) => [
      `${directive}/${name}`,
      `${directive}/${name}/x`,
      `${directive}X/${name}`,
      `${directive}/`,
      directive,
    ]),
    "$retainKeys",
  );
  return fc.tuple(key, fc.oneof(value, odd)).map((entry): Entry[] => [entry]);
}

function deletingEntries(
  name: string,
  value: fc.Arbitrary<Json>,
  deleted: fc.Arbitrary<Json>,
): fc.Arbitrary<readonly Entry[]> {
  const key = `$deleteFromPrimitiveList/${name}`;
  const alone = deleted.map((own): Entry[] => [[key, own]]);
  const contested = fc.tuple(value, deleted).map(([own, gone]): Entry[] => [
    [name, own],
    [key, gone],
  ]);
  return mostly<readonly Entry[]>(alone, 12, contested);
}

function lists(shape: ListShape, role: Role, temper: Temper): fc.Arbitrary<readonly Json[]> {
  const element = elements(shape, role, temper);
  const distinct = fc.uniqueArray(element, { maxLength: 4, selector: (one) => String(keyOf(shape, one)) });
  const repeated = fc.array(mostly<Json>(element, temper.oddOneIn, odd), { maxLength: 4 });
  return mostly<readonly Json[]>(distinct, 4, repeated);
}

function elements(shape: ListShape, role: Role, temper: Temper): fc.Arbitrary<Json> {
  const key = mostly<Json | undefined>(
    fc.constantFrom<Json>(...shape.keyValues),
    temper.oddOneIn,
    fc.constant(undefined),
    fc.constantFrom<Json>(null, "80", 80, {}, []),
  );
  const rest = structs(shape.fields, role, temper);
  const word =
    role === "patch"
      ? oneIn(temper.directiveOneIn * 2, mostly<Json>(fc.constant("delete"), 8, patchWords))
      : fc.constant(undefined);
  return fc.tuple(key, rest, word).map(([own, fields, directive]) => {
    const head: Entry[] = own === undefined ? [] : [[shape.key, own]];
    const tail: Entry[] = directive === undefined ? [] : [["$patch", directive]];
    return objectOf([...head, ...Object.entries(fields), ...tail]);
  });
}

function keyOf(shape: ListShape, element: Json): Json {
  return isJsonObject(element) ? (element[shape.key] ?? null) : null;
}

/** An order directive that mostly fits its list: the list's keys in the list's order, with others in between. */
function orderedEntries(name: string, shape: ListShape, temper: Temper): fc.Arbitrary<readonly Entry[]> {
  const other = fc.constantFrom<Json>(...shape.keyValues).map((key): Json => ({ [shape.key]: key }));
  const others = fc.array(fc.tuple(mostly<Json>(other, temper.oddOneIn, odd), fc.nat(4)), { maxLength: 3 });
  const isGiven = mostly(fc.constant(true), 3, fc.constant(false));
  return fc.tuple(lists(shape, "patch", temper), others, isGiven).map(([list, inserted, given]) => {
    const order = list.map((element): Json => ({ [shape.key]: keyOf(shape, element) }));
    for (const [element, at] of inserted) order.splice(Math.min(at, order.length), 0, element);
    const directive: Entry = [`$setElementOrder/${name}`, order];
    return given ? [directive, [name, list]] : [directive];
  });
}

function orderedScalars(name: string, shape: ScalarsShape): fc.Arbitrary<readonly Entry[]> {
  const some = fc.uniqueArray(fc.constantFrom<Json>(...shape.values), { maxLength: 5 });
  return fc.tuple(some, fc.nat(5)).map(([order, count]): Entry[] => [
    [`$setElementOrder/${name}`, order],
    [name, order.slice(0, count)],
  ]);
}
