// Reads vitest's JSON report: how many tests passed, failed and were skipped.
import type { Tally } from "./tally.ts";

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
export function readVitestReport(text: string | undefined, exitCode: number, what: string): Tally {
  const report = text === undefined ? undefined : parseReport(text);
  if (report === undefined) return { passed: 0, failed: 1, skips: [] };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + brokenFiles.length;
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
  const skip = { what, count: skipped, reason: "tests that this machine cannot run", remedy: "see the lines above" };
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skips: skipped > 0 ? [skip] : [],
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
