// The answers of a real API server, as files: what every server that calls itself one is compared with.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "./answer.ts";
import type { Scenario } from "./scenario.ts";

/** One recorded exchange: what it shows, and what the real server said. */
export type Recorded = { readonly shows: string; readonly answer: Answer };

const folder = join(import.meta.dirname, "recorded");

/** The recording of a scenario; throws with the remedy when there is none. */
export function readRecording(scenario: Scenario): readonly Recorded[] {
  try {
    return JSON.parse(readFileSync(fileOf(scenario), "utf8"));
  } catch (error) {
    throw new Error(`no recording of "${scenario.name}"; make one: FARRIER_RECORD=1 npm test -- --only contract`, {
      cause: error,
    });
  }
}

/** Stores what the real server said. */
export function writeRecording(scenario: Scenario, answers: readonly Answer[]): void {
  const recorded = scenario.exchanges.map(({ shows }, index) => ({ shows, answer: answers[index] }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(scenario), `${JSON.stringify(recorded, undefined, 1)}\n`);
}

function fileOf(scenario: Scenario): string {
  return join(folder, `${scenario.name}.json`);
}
