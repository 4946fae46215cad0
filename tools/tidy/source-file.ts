// A file as the tidy rules see it: its path, its room, its text and, if it is code, its syntax tree.
import { parseSync } from "vite";
import { type Room, roomOf } from "./rooms.ts";
import { isNode, type SyntaxNode } from "./syntax-tree.ts";

export type SourceFile = {
  readonly path: string;
  readonly room: Room | undefined;
  readonly text: string;
  readonly isTest: boolean;
  readonly isGenerated: boolean;
  readonly program: SyntaxNode | undefined;
  /** Why the file does not parse; the tree of such a file is empty or torn. */
  readonly syntaxErrors: readonly string[];
};

/** What a rule has to say: `stop` fails the run, `warn` is only printed. */
export type Finding = {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly level: "warn" | "stop";
  readonly message: string;
};

export type Rule = (file: SourceFile) => readonly Finding[];

/** A rule about files together. */
export type RepositoryRule = (files: readonly SourceFile[]) => readonly Finding[];

/** Whether a path names a program that Node or a bundler would run. */
export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

/** Reads a file's text into what the rules need. */
export function readSource(path: string, text: string): SourceFile {
  const parsed = isCode(path) ? parseSync(path, text) : undefined;
  const program: unknown = parsed?.program;
  return {
    path,
    room: roomOf(path),
    text,
    isTest: /\.test\.ts$/.test(path),
    isGenerated: /\.generated\.ts$/.test(path),
    program: isNode(program) ? program : undefined,
    syntaxErrors: parsed?.errors.map((error) => error.message) ?? [],
  };
}

/** A finding that fails the run, at an offset of the file's text. */
export function stop(file: SourceFile, offset: number, rule: string, message: string): Finding {
  return { path: file.path, line: lineAt(file.text, offset), rule, level: "stop", message };
}

/** The line, counted from 1, on which an offset lies. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
