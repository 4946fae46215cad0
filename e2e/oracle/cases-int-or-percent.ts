// Random budgets: numbers, percentages, and texts that look like one of them.
import fc from "fast-check";
import type { Json } from "../../src/core/json/json.ts";
import { mostly } from "./arbitrary-json.ts";

export type ScaleCase = { readonly value: Json; readonly total: number; readonly roundUp: boolean };

const percents = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: -300, max: 300 })).map((n) => `${n}%`);

const oddTexts = "% 5 - +5% -0% 05% 5%% %5 5.5% 1e1% 0x5% 1_0% x% ٣% 99999999999999999999%".split(" ");
const odd = fc.constantFrom<Json>(null, "", " 5%", "5 %", ...oddTexts);

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

/** A value as a spec carries it, with the total that it is a part of. */
export const scaleCases: fc.Arbitrary<ScaleCase> = fc.record({
  value: mostly<Json>(percents, 4, fc.oneof(fc.integer({ min: -5, max: 50 }), int32), odd),
  // Round totals, because only there does the order of multiplication and division show.
  total: fc.oneof(fc.nat(20), fc.nat(15_000), fc.constantFrom(100, 200, 1000, 5000), fc.integer({ min: -20, max: 0 })),
  roundUp: fc.boolean(),
});
