// One vitest project as a group: its output on the terminal, its counts from the JSON report.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./command.ts";
import type { Tally } from "./tally.ts";
import { readVitestReport } from "./vitest-report.ts";

export type VitestOptions = {
  readonly project: string;
  /** Slow groups name each file as it ends; fast ones only what fails. */
  readonly showsFiles: boolean;
  readonly args?: readonly string[];
  /** Why tests may skip themselves here, and the remedy. */
  readonly skipped?: { readonly reason: string; readonly remedy: string };
};

const someProgramMissing = {
  reason: "a program that these tests need is missing",
  remedy: "see what the file of the tests asks for",
};

/** Runs one project of vitest.config.ts to its end. */
export async function runVitest({
  project,
  showsFiles,
  args = [],
  skipped = someProgramMissing,
}: VitestOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "farrier-vitest-"));
  try {
    const reportFile = join(folder, "report.json");
    const readable = showsFiles ? "--reporter=default" : "--reporter=minimal";
    const reporters = [readable, "--reporter=json", `--outputFile.json=${reportFile}`];
    const code = await runCommand("vitest", ["run", "--project", project, ...reporters, ...args]);
    return readVitestReport(readIfThere(reportFile), code, { what: project, ...skipped });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
