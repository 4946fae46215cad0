// Samples of pod templates and of patches to them, for the laws of merging. They use small vocabularies, so that both sides often meet.
import fc from "fast-check";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";

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
/** A pod template with some of the fields that have rules of their own. */
export function aTemplate(): fc.Arbitrary<JsonObject> {
  return document({ orNull: (value) => value, orDirective: (value) => value });
}

/** A patch that every template of `aTemplate` takes without error. */
export function aPatch(): fc.Arbitrary<JsonObject> {
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
export function anOrderedPatch(): fc.Arbitrary<JsonObject> {
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
