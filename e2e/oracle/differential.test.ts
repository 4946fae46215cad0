// Our core against the Go code that Kubernetes runs, on random cases. FARRIER_ORACLE_CASES sets how many,
// FARRIER_ORACLE_SEED repeats a run.
import { env } from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oracleAvailability } from "./availability.ts";
import { comparisons } from "./comparisons.ts";
import { describeDifference, findDifference } from "./find-difference.ts";
import { type Oracle, startOracle } from "./oracle.ts";

const CASES_DEFAULT = 20_000;

const cases = wholeNumber("FARRIER_ORACLE_CASES", CASES_DEFAULT);
/** The same each time, so that a release does not hang on a rare find; who searches gives another. */
const SEED = 31_337;
const seed = wholeNumber("FARRIER_ORACLE_SEED", SEED);
const shares = comparisons.reduce((sum, { share }) => sum + share, 0);

function wholeNumber(name: string, otherwise: number): number {
  const text = env[name] ?? String(otherwise);
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${name} must be a whole number above zero, not "${text}"`);
  return Number(text);
}

describe.skipIf(!oracleAvailability().available)("our answers are Go's", () => {
  let oracle: Oracle;

  beforeAll(() => {
    console.log(`oracle: ${cases} cases; repeat them with FARRIER_ORACLE_CASES=${cases} FARRIER_ORACLE_SEED=${seed}`);
    oracle = startOracle();
  });

  afterAll(() => oracle.close());

  test.each(comparisons)("$name", async (comparison) => {
    const count = Math.ceil((cases * comparison.share) / shares);
    const difference = await findDifference(comparison, { ask: oracle.ask, seed, count });
    if (difference !== undefined) expect.fail(describeDifference(comparison.name, seed, difference));
  });
});
