// A folder holds a handful of files, a file holds one concept, and a function fits a screen.
import { posix } from "node:path";
import { type Finding, isCode, type RepositoryRule, type Rule, type SourceFile, stop } from "../source-file.ts";
import { child, type SyntaxNode, walk } from "../syntax-tree.ts";

export const FILE_LINES_WARN = 300;
export const FILE_LINES_STOP = 400;
export const FUNCTION_LINES_STOP = 60;
export const FOLDER_FILES_STOP = 25;

/** Files stop at 400 lines and are warned of at 300; generated ones may be longer. */
export const filesStaySmall: Rule = (file) => {
  if (!file.path.endsWith(".ts") && !file.path.endsWith(".mjs") && !file.path.endsWith(".go")) return [];
  if (file.isGenerated) return [];
  const lines = file.text.split("\n").length - 1;
  const message = `has ${lines} lines; a file holds one concept: split it`;
  if (lines > FILE_LINES_STOP) return [stop(file, 0, "file-size", `${message} (limit ${FILE_LINES_STOP})`)];
  if (lines > FILE_LINES_WARN) return [{ ...stop(file, 0, "file-size", message), level: "warn" }];
  return [];
};

/** Functions of the product stop at 60 lines. */
export const functionsFitAScreen: Rule = (file) => {
  const found: Finding[] = [];
  if (file.program === undefined || file.isGenerated || file.isTest) return found;
  walk(file.program, (node, parent) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    const lines = linesOf(file, node);
    if (lines > FUNCTION_LINES_STOP) {
      const message = `${nameOf(node, parent)} has ${lines} lines; a function fits a screen (${FUNCTION_LINES_STOP}): split off its leaves`;
      found.push(stop(file, node.start, "function-size", message));
    }
  });
  return found;
};

function linesOf(file: SourceFile, node: SyntaxNode): number {
  return file.text.slice(node.start, node.end).split("\n").length;
}

function nameOf(node: SyntaxNode, parent: SyntaxNode | undefined): string {
  const id = child(node, "id") ?? (parent === undefined ? undefined : (child(parent, "id") ?? child(parent, "key")));
  return id === undefined ? "a function" : `${String(id.name)}()`;
}

/** A folder holds at most 25 files of code; tests, fixtures and vectors do not count. */
export const foldersStaySmall: RepositoryRule = (files) => {
  const folders = new Map<string, SourceFile[]>();
  for (const file of files) {
    if (!isCode(file.path) || file.isTest || /\/(testing|vectors)\//.test(file.path)) continue;
    const folder = posix.dirname(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].flatMap(([folder, inside]) => {
    const beyond = inside[FOLDER_FILES_STOP];
    if (beyond === undefined) return [];
    const message = `${folder}/ holds ${inside.length} files (limit ${FOLDER_FILES_STOP}): give a part of them a folder of its own`;
    return [stop(beyond, 0, "folder-size", message)];
  });
};
