// What a group of checks has to say at its end, and how groups add up to the last line of `npm test`.

export type Tally = { readonly passed: number; readonly failed: number; readonly skips: readonly Skip[] };

/** Checks that did not run. One line each: what, why, and how to get them. */
export type Skip = { readonly what: string; readonly count: number; readonly reason: string; readonly remedy: string };

export const nothing: Tally = { passed: 0, failed: 0, skips: [] };

/** One check that is either fine or not. */
export function single(isPassed: boolean): Tally {
  return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skips: [] };
}

/** Sums tallies; skips keep their order. */
export function sum(tallies: readonly Tally[]): Tally {
  return {
    passed: tallies.reduce((total, tally) => total + tally.passed, 0),
    failed: tallies.reduce((total, tally) => total + tally.failed, 0),
    skips: tallies.flatMap((tally) => tally.skips),
  };
}

/** The line for one skip. */
export function skipLine(skip: Skip): string {
  return `skipped: ${skip.what}: ${skip.reason}; ${skip.remedy}`;
}

/** The closing line, in the plain form that any reader of test logs understands. */
export function closingLine(tally: Tally): string {
  const skipped = tally.skips.reduce((total, skip) => total + skip.count, 0);
  return `${tally.passed} passed, ${tally.failed} failed, ${skipped} skipped`;
}
