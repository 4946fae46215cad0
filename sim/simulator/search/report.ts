// What a person reads when a run has failed: what is wrong, how to see it again, and every step up to it.

import { choicesOf, printTape } from "../tape.ts";
import type { Finding } from "./explore.ts";

/** Lines of the trace that are shown; the whole of it comes with --trace. */
const TRACE_LINES_MAX = 60;

/** The report of a failure. */
export function printFinding({ scenario, found, shortest, shrinkRuns }: Finding, wholeTrace: boolean): string {
  const failure = shortest.failure ?? found.failure;
  const lines = wholeTrace ? shortest.trace : shortest.trace.slice(-TRACE_LINES_MAX);
  const left = shortest.trace.length - lines.length;
  const tape = printTape(shortest.tape);
  return [
    `FAILED ${scenario}, seed ${found.tape.seed}: ${found.failure?.oracle ?? "nothing"}`,
    `  ${failure?.message ?? ""}`,
    `  at ${failure?.atMs ?? 0} ms of virtual time; fingerprint ${found.fingerprint}`,
    "",
    `the same failure with ${choicesOf(shortest.tape)} of ${choicesOf(found.tape)} choices (${shrinkRuns} runs), fingerprint ${shortest.fingerprint}:`,
    ...(left > 0 ? [`  … ${left} steps before; --trace shows them`] : []),
    ...lines.map((line) => `  ${line}`),
    "",
    "see it again:",
    `  npm run sim -- --scenario ${scenario} --seed ${found.tape.seed}`,
    `  npm run sim -- --tape '${tape}'`,
  ].join("\n");
}
