// Laws that hold for every template and patch. The samples use small vocabularies, so that both sides often meet.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "./json.ts";
import { type PatchLayer, strategicMerge, strategicMergeTraced, type TracedMerge } from "./strategic-merge.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";
import { elementAt, type FieldPath, fieldAt, pathText } from "./strategic-merge-path.ts";
import type { FieldChange } from "./strategic-merge-trace.ts";

const name = fc.constantFrom("a", "b", "c", "d");
const scalar = fc.constantFrom<Json>("x", "y", 1, 2, true, false);

/** An object with some of the given fields. */
function some(fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> {
  const optional = Object.entries(fields).map(([key, value]) =>
    fc
      .option(value, { nil: undefined, freq: 2 })
      .map((given): [string, Json][] => (given === undefined ? [] : [[key, given]])),
  );
  return fc.tuple(...optional).map((entries) => Object.fromEntries(entries.flat()));
}

/** A list of elements with different keys. */
function keyed(
  key: string,
  keys: fc.Arbitrary<Json>,
  rest: fc.Arbitrary<JsonObject>,
): fc.Arbitrary<readonly JsonObject[]> {
  return fc
    .uniqueArray(fc.tuple(keys, rest), { maxLength: 4, selector: ([value]) => value })
    .map((elements) => elements.map(([value, fields]) => ({ [key]: value, ...fields })));
}

type Style = {
  /** Makes a field deletable: null in patches. */
  readonly orNull: (value: fc.Arbitrary<Json>) => fc.Arbitrary<Json>;
  /** Makes an element of a keyed list, or an object, carry directives in patches. */
  readonly orDirective: (value: fc.Arbitrary<JsonObject>, directives: readonly string[]) => fc.Arbitrary<JsonObject>;
};

function document({ orNull, orDirective }: Style): fc.Arbitrary<JsonObject> {
  const labels = orDirective(some({ app: orNull(scalar), zone: orNull(scalar), tier: orNull(scalar) }), [
    "replace",
    "delete",
  ]);
  const element = (fields: Record<string, fc.Arbitrary<Json>>) => orDirective(some(fields), ["delete"]);
  const env = keyed("name", name, element({ value: orNull(scalar) }));
  const ports = keyed(
    "containerPort",
    fc.constantFrom(80, 81, 443),
    element({ protocol: orNull(fc.constantFrom("TCP", "UDP")) }),
  );
  const limits = some({ cpu: orNull(scalar), memory: orNull(scalar) });
  const args = fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 3 });
  const container = element({
    image: scalar,
    env: orNull(env),
    ports,
    args: orNull(args),
    resources: some({ limits: orNull(limits) }),
  });
  const volumes = keyed(
    "name",
    name,
    element({ emptyDir: some({ medium: orNull(scalar) }), hostPath: some({ path: scalar }) }),
  );
  return some({
    metadata: some({
      labels: orNull(labels),
      finalizers: fc.uniqueArray(fc.constantFrom("f", "g", "h"), { maxLength: 3 }),
    }),
    spec: some({
      hostNetwork: orNull(scalar),
      nodeSelector: orNull(labels),
      tolerations: fc.array(some({ key: scalar }), { maxLength: 2 }),
      containers: keyed("name", name, container),
      volumes: orNull(volumes),
    }),
  });
}

/** A pod template. */
function aTemplate(): fc.Arbitrary<JsonObject> {
  return document({ orNull: (value) => value, orDirective: (value) => value });
}

/** A patch that every template of `aTemplate` takes without error. */
function aPatch(): fc.Arbitrary<JsonObject> {
  return document({
    orNull: (value) => fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) }),
    orDirective: (value, directives) =>
      fc.oneof(
        { weight: 6, arbitrary: value },
        {
          weight: 1,
          arbitrary: fc
            .tuple(value, fc.constantFrom(...directives))
            .map(([object, directive]) => ({ ...object, $patch: directive })),
        },
      ),
  });
}

type OrderedField = { readonly mergeKey: string | undefined; readonly words: readonly Json[] };

const names: OrderedField = { mergeKey: "name", words: ["a", "b", "c", "d"] };
const orderedFields: Readonly<Record<string, readonly (readonly [string, OrderedField])[]>> = {
  metadata: [["finalizers", { mergeKey: undefined, words: ["f", "g", "h"] }]],
  spec: [
    ["containers", names],
    ["volumes", names],
  ],
  containers: [
    ["args", { mergeKey: undefined, words: ["x", "y", "z"] }],
    ["env", names],
    ["ports", { mergeKey: "containerPort", words: [80, 81, 443] }],
  ],
};

/** An order of a field's elements: those of the patch in their sequence, and others strewn in. */
function orderOf({ mergeKey, words }: OrderedField, patched: Json | undefined, choose: () => number): readonly Json[] {
  const elements = isJsonList(patched) ? patched : [];
  const kept = elements.filter((element) => !isJsonObject(element) || element.$patch !== "delete");
  const order = kept.map((element) =>
    mergeKey !== undefined && isJsonObject(element) ? (element[mergeKey] ?? null) : element,
  );
  for (const word of words)
    if (!order.includes(word) && choose() % 4 > 0) order.splice(choose() % (order.length + 1), 0, word);
  return mergeKey === undefined ? order : order.map((key) => ({ [mergeKey]: key }));
}

/** A patch of `aPatch` with order directives in some places; not every template takes it. */
function anOrderedPatch(): fc.Arbitrary<JsonObject> {
  const choices = fc.array(fc.nat(11), { minLength: 16, maxLength: 16 });
  return fc.tuple(aPatch(), choices).map(([patch, numbers]) => {
    let at = 0;
    const choose = (): number => {
      at += 1;
      return numbers[at % numbers.length] ?? 0;
    };
    const ordered = (value: Json, field: string): Json => {
      if (isJsonList(value)) return value.map((element) => ordered(element, field));
      if (!isJsonObject(value)) return value;
      const orders = (orderedFields[field] ?? [])
        .filter(() => choose() % 2 === 0)
        .map(([list, words]): [string, Json] => [`$setElementOrder/${list}`, orderOf(words, value[list], choose)]);
      const below = Object.entries(value).map(([key, part]): [string, Json] => [key, ordered(part, key)]);
      return Object.fromEntries([...orders, ...below]);
    };
    const root = ordered(patch, "");
    return isJsonObject(root) ? root : {};
  });
}

/** Any JSON object at all, with the words of patches strewn in. */
const anyObject: fc.Arbitrary<JsonObject> = fc
  .object({
    key: fc.constantFrom(
      "spec",
      "metadata",
      "containers",
      "name",
      "$patch",
      "$retainKeys",
      "$setElementOrder/containers",
      "a",
    ),
    values: [fc.constantFrom<Json>("x", "delete", "replace", 1, null)],
    maxDepth: 4,
  })
  .filter(isJsonObject);

/** Objects and lists of the result that are not the template's own, though nothing in the patch touches their path. */
function needlessCopies(template: Json | undefined, patch: Json | undefined, result: Json | undefined): number {
  if (patch === undefined) return template === result || typeof result !== "object" ? 0 : 1;
  if (!isJsonObject(template) || !isJsonObject(patch) || !isJsonObject(result) || Object.hasOwn(patch, "$patch"))
    return 0;
  return Object.keys(result).reduce((sum, key) => sum + needlessCopies(template[key], patch[key], result[key]), 0);
}

describe("a strategic merge", () => {
  test("changes neither of its inputs", () => {
    fc.assert(
      fc.property(fc.oneof(aTemplate(), anyObject), fc.oneof(aPatch(), anyObject), (template, patch) => {
        const before = structuredClone({ template, patch });
        try {
          strategicMerge(template, patch);
        } catch (error) {
          expect(error).toBeInstanceOf(StrategicMergeError);
        }
        expect({ template, patch }).toEqual(before);
      }),
    );
  });

  test("with an empty patch gives back the template itself", () => {
    fc.assert(
      fc.property(fc.oneof(aTemplate(), anyObject), (template) => {
        expect(strategicMerge(template, {})).toBe(template);
      }),
    );
  });

  test("shares with the template what the patch does not name", () => {
    fc.assert(
      fc.property(aTemplate(), aPatch(), (template, patch) => {
        expect(needlessCopies(template, patch, strategicMerge(template, patch))).toBe(0);
      }),
    );
  });

  test("of plain values done twice is done once", () => {
    fc.assert(
      // Nulls and directives may be taken over where they meet nothing, and act the second time: the patch has none.
      fc.property(aTemplate(), aTemplate(), (template, patch) => {
        const once = strategicMerge(template, patch);
        expect(strategicMerge(once, patch)).toEqual(once);
      }),
    );
  });

  test("with two patches of different fields gives the same in either order", () => {
    const ofMetadata = aPatch().map(({ metadata }) => (metadata === undefined ? {} : { metadata }));
    const ofSpec = aPatch().map(({ spec }) => (spec === undefined ? {} : { spec }));
    fc.assert(
      fc.property(aTemplate(), ofMetadata, ofSpec, (template, one, other) => {
        const oneFirst = strategicMerge(strategicMerge(template, one), other);
        expect(oneFirst).toEqual(strategicMerge(strategicMerge(template, other), one));
        expect(oneFirst).toEqual(strategicMerge(template, { ...one, ...other }));
      }),
    );
  });
});

const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  env: "name",
  ports: "containerPort",
  volumes: "name",
};

/** All leaves of a document by path, and no empty objects or lists: these appear and vanish with what is in them. */
function leaves(value: Json, path: FieldPath = undefined): readonly (readonly [string, string])[] {
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, below]) => leaves(below, fieldAt(path, key)));
  const name = path?.element === undefined ? (path?.key ?? "") : "";
  const mergeKey = Object.hasOwn(mergeKeys, name) ? mergeKeys[name] : undefined;
  if (isJsonList(value) && mergeKey !== undefined)
    return value.flatMap((element) => {
      const key = isJsonObject(element) ? (element[mergeKey] ?? null) : null;
      return leaves(element, elementAt(path, mergeKey, key));
    });
  return isJsonList(value) && value.length === 0 ? [] : [[pathText(path), JSON.stringify(value)]];
}

/** What the record makes of the template's leaves: a change ends everything at, above and below its path. */
function replay(start: JsonObject, provenance: readonly FieldChange[]): ReadonlyMap<string, string> {
  const known = new Map(leaves(start));
  for (const change of provenance) {
    const path = pathText(change.path);
    const isPartOf = (part: string, whole: string): boolean =>
      part === whole || part.startsWith(`${whole}.`) || part.startsWith(`${whole}[`);
    for (const other of known.keys()) if (isPartOf(other, path) || isPartOf(path, other)) known.delete(other);
    if (change.action === "set") for (const [leaf, text] of leaves(change.value, change.path)) known.set(leaf, text);
  }
  return known;
}

describe("a traced merge", () => {
  const layers = fc
    .array(aPatch(), { maxLength: 4 })
    .map((patches) => patches.map((patch, at) => ({ name: `p${at}`, patch })));

  test("gives the same value as one merge after another", () => {
    fc.assert(
      fc.property(aTemplate(), layers, (start, list) => {
        const folded = list.reduce((value, { patch }) => strategicMerge(value, patch), start);
        expect(strategicMergeTraced(start, list).value).toEqual(folded);
      }),
    );
  });

  // Says that the last value set at a path is the one that the result has there, and that no leaf changes unrecorded.
  test("leaves a record from which the result follows, also with orders of elements", () => {
    const mergedOrNot = (start: JsonObject, list: readonly PatchLayer[]): TracedMerge | undefined => {
      try {
        return strategicMergeTraced(start, list);
      } catch (error) {
        expect(error).toBeInstanceOf(StrategicMergeError);
        return undefined;
      }
    };
    const orderedLayers = fc.array(anOrderedPatch(), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(aTemplate(), orderedLayers, (start, patches) => {
        const merged = mergedOrNot(
          start,
          patches.map((patch, at) => ({ name: `p${at}`, patch })),
        );
        // An order of a list without elements is refused.
        fc.pre(merged !== undefined);
        expect(replay(start, merged.provenance)).toEqual(new Map(leaves(merged.value)));
      }),
      { numRuns: 300 },
    );
  });

  test("leaves a record from which the result follows", () => {
    fc.assert(
      fc.property(aTemplate(), layers, (start, list) => {
        const { value, provenance } = strategicMergeTraced(start, list);
        expect(replay(start, provenance)).toEqual(new Map(leaves(value)));
      }),
    );
  });
});
