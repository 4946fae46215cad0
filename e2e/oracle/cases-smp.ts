// Random strategic merges: a template and one to three patches about the same few fields, from well-behaved ones through
// every directive to plain nonsense.
import fc from "fast-check";
import { seededRand } from "../../sim/seeded-rand.ts";
import type { Json } from "../../src/core/json/json.ts";
import { mostly } from "./arbitrary-json.ts";
import { NEVER, odd, structs, type Temper } from "./shaped-values.ts";
import { focusOn, templateShape } from "./template-shape.ts";

export type MergeCase = { readonly original: Json; readonly patches: readonly Json[] };

const calm: Temper = { oddOneIn: NEVER, directiveOneIn: 12 };
const directed: Temper = { oddOneIn: NEVER, directiveOneIn: 3 };
const hostile: Temper = { oddOneIn: 12, directiveOneIn: 3 };

/** How many selections of fields there are; each makes its arbitraries once. */
const FOCUSES = 150;

/** Cases of all tempers; the calmer ones are more frequent, since most nonsense ends in the same refusal. */
export function mergeCases(): fc.Arbitrary<MergeCase> {
  return fc.oneof(
    { arbitrary: focusedCases(calm), weight: 5 },
    { arbitrary: focusedCases(directed), weight: 5 },
    { arbitrary: focusedCases(hostile), weight: 4 },
    { arbitrary: longLists(), weight: 1 },
    { arbitrary: repeatedFinalizers(), weight: 1 },
  );
}

function focusedCases(temper: Temper): fc.Arbitrary<MergeCase> {
  const made = new Map<number, fc.Arbitrary<MergeCase>>();
  return fc.noShrink(fc.nat(FOCUSES - 1)).chain((focus) => {
    const cases = made.get(focus) ?? casesAbout(focus, temper);
    made.set(focus, cases);
    return cases;
  });
}

function casesAbout(focus: number, temper: Temper): fc.Arbitrary<MergeCase> {
  const fields = focusOn(templateShape, seededRand(focus));
  const orOdd = (documents: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
    temper === hostile ? mostly(documents, 50, odd) : documents;
  const patch = orOdd(structs(fields, "patch", temper));
  return fc.record({
    original: orOdd(structs(fields, "original", temper)),
    patches: mostly<readonly Json[]>(
      patch.map((one) => [one]),
      3,
      fc.array(patch, { minLength: 1, maxLength: 3 }),
    ),
  });
}

/** Lists so long that the stable sort of Go works in blocks, and order directives that leave elements unordered. */
function longLists(): fc.Arbitrary<MergeCase> {
  const numbered = fc.uniqueArray(fc.nat(60), { maxLength: 50, size: "max" });
  const keyed = (list: readonly number[]): Json => list.map((at) => ({ name: `n${at}` }));
  return fc
    .tuple(numbered, numbered, mostly(fc.constant<readonly number[]>([]), 2, numbered))
    .map(([had, given, order]) => {
      const env = {
        env: keyed(given),
        "$setElementOrder/env": keyed(order.length === 0 ? [] : [...new Set([...given, ...order])]),
      };
      return {
        original: { spec: { containers: [{ name: "a", env: keyed(had) }] } },
        patches: [{ spec: { containers: [{ name: "a", ...env }] } }],
      };
    });
}

/** Finalizers that occur twice: where the new ones end up depends on the room left in Go's slice. */
function repeatedFinalizers(): fc.Arbitrary<MergeCase> {
  const some = fc.array(fc.constantFrom<Json>(..."abcdefghijklmnop"), { maxLength: 40, size: "max" });
  return fc.tuple(some, some).map(([had, given]) => ({
    original: { metadata: { finalizers: had } },
    patches: [{ metadata: { finalizers: given } }],
  }));
}
