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
};

/** Runs one project of vitest.config.ts to its end. */
export async function runVitest({ project, showsFiles, args = [] }: VitestOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "farrier-vitest-"));
  try {
    const reportFile = join(folder, "report.json");
    const readable = showsFiles ? "--reporter=default" : "--reporter=minimal";
    const reporters = [readable, "--reporter=json", `--outputFile.json=${reportFile}`];
    const code = await runCommand("vitest", ["run", "--project", project, ...reporters, ...args]);
    return readVitestReport(readIfThere(reportFile), code, project);
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
