// Reads vitest's JSON report: how many tests passed, failed and were skipped, and why.
import type { Skip, Tally } from "./tally.ts";

/** What to say of tests that were left out under a name which does not say why. */
export type Why = Omit<Skip, "count">;

type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly Outcome[] }[];
};

type Outcome = { readonly status: string; readonly ancestorTitles: readonly string[]; readonly title: string };

/** How a group says in its name that it is skipped, why, and how to get it. */
const SAYS_WHY = /^(.*) \(skipped: (.*); ([^;]*)\)$/;

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
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skips: skipsOf(
      report.testResults.flatMap(({ assertionResults }) => assertionResults),
      skipped,
    ),
  };
}

/** One for each group that was left out, with the number of its tests. */
function skipsOf(outcomes: readonly Outcome[], skipped: Why): readonly Skip[] {
  const skips = new Map<string, Skip>();
  for (const { status, ancestorTitles, title } of outcomes) {
    if (status === "passed" || status === "failed") continue;
    const names = [...ancestorTitles, title];
    const said = names.map((name) => SAYS_WHY.exec(name)).find((match) => match !== null);
    const [, name = names[0] ?? "", reason = skipped.reason, remedy = skipped.remedy] = said ?? [];
    const what = `${skipped.what}, ${name}`;
    skips.set(what, { what, reason, remedy, count: (skips.get(what)?.count ?? 0) + 1 });
  }
  return [...skips.values()];
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
