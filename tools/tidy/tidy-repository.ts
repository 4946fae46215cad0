// Runs the rules of the house over the repository and prints what they say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, repositoryRoot } from "../repository.ts";
import type { Tally } from "../test/tally.ts";
import { type Finding, readSource, type SourceFile } from "./source-file.ts";
import { tidy } from "./tidy.ts";

const BINARY_PROBE_CHARS = 4096;

/** One passed or failed check per rule; warnings are printed and fail nothing. */
export function tidyRepository(): Tally {
  const verdicts = [...tidy(readFiles())];
  for (const finding of verdicts.flatMap(([, found]) => found)) console.error(line(finding));
  const broken = verdicts.filter(([, found]) => found.some((finding) => finding.level === "stop"));
  for (const [rule] of broken) console.error(`broken rule: ${rule}`);
  return { passed: verdicts.length - broken.length, failed: broken.length, skips: [] };
}

function readFiles(): readonly SourceFile[] {
  return repositoryFiles().flatMap((path) => {
    const text = readText(path);
    return text === undefined ? [] : [readSource(path, text)];
  });
}

/** The text of a file; undefined for a binary one, or one that git lists but somebody has just deleted. */
function readText(path: string): string | undefined {
  try {
    const text = readFileSync(join(repositoryRoot, path), "utf8");
    return text.slice(0, BINARY_PROBE_CHARS).includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function line(finding: Finding): string {
  return `${finding.path}:${finding.line}: ${finding.level}: ${finding.message} [${finding.rule}]`;
}
