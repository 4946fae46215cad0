// Reads vitest's JSON report: how many tests passed, failed and were skipped.
import type { Skip, Tally } from "./tally.ts";

/** What to say of the tests that a run left out. */
export type Why = Omit<Skip, "count">;

type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests?: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
};

/**
 * The tally of one vitest run. A file that broke before its first test counts as one failure, and so does a run that
 * ended badly without saying which test did (an unhandled rejection, no report at all).
 */
export function readVitestReport(text: string | undefined, exitCode: number, skipped: Why): Tally {
  const report = text === undefined ? undefined : parseReport(text);
  if (report === undefined) return { passed: 0, failed: 1, skips: [] };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + brokenFiles.length;
  const count = report.numPendingTests + (report.numTodoTests ?? 0);
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skips: count > 0 ? [{ ...skipped, count }] : [],
  };
}

function parseReport(text: string): Report | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isReport(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isReport(value: unknown): value is Report {
  return typeof value === "object" && value !== null && "numPassedTests" in value && "testResults" in value;
}
