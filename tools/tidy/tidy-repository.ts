// Runs the rules of the house over the repository and prints what they say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryFiles, repositoryRoot } from "../repository.ts";
import type { Tally } from "../test/tally.ts";
import { type Finding, isCode, readSource, type SourceFile } from "./source-file.ts";
import { tidy } from "./tidy.ts";

const BINARY_PROBE_CHARS = 4096;

/** One passed or failed check per rule; warnings are printed and fail nothing. Without our files there is no verdict. */
export function tidyRepository(paths: readonly string[] = repositoryFiles()): Tally {
  if (!paths.includes("package.json")) {
    console.error(`tidy was given ${paths.length} files and no package.json: it has not seen the repository`);
    return { passed: 0, failed: 1, skips: [] };
  }
  const verdicts = [...tidy(readFiles(paths))];
  for (const finding of verdicts.flatMap(([, found]) => found)) console.error(line(finding));
  const broken = verdicts.filter(([, found]) => found.some((finding) => finding.level === "stop"));
  for (const [rule] of broken) console.error(`broken rule: ${rule}`);
  return { passed: verdicts.length - broken.length, failed: broken.length, skips: [] };
}

function readFiles(paths: readonly string[]): readonly SourceFile[] {
  return paths.flatMap((path) => {
    const text = readText(path);
    const isBinary = !isCode(path) && text?.slice(0, BINARY_PROBE_CHARS).includes("\0");
    return text === undefined || isBinary ? [] : [readSource(path, text)];
  });
}

/** The text of a file; undefined for one that git lists but somebody has just deleted, and for a nested repository. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(join(repositoryRoot, path), "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "EISDIR") return undefined;
    throw error;
  }
}

function line(finding: Finding): string {
  return `${finding.path}:${finding.line}: ${finding.level}: ${finding.message} [${finding.rule}]`;
}
