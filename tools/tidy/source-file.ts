// A file as the tidy rules see it: its path, its room, its text and, for TypeScript, its syntax tree.
import { parseSync } from "vite";
import { type Room, roomOf } from "./rooms.ts";

export type SourceFile = {
  readonly path: string;
  readonly room: Room | undefined;
  readonly text: string;
  readonly isTest: boolean;
  readonly isGenerated: boolean;
  readonly program: SyntaxNode | undefined;
};

/** A node of the ESTree form that the parser gives; rules look at `type` and walk the rest by name. */
export type SyntaxNode = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
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

/** Reads a file's text into what the rules need; a file that does not parse has no tree (the compiler reports it). */
export function readSource(path: string, text: string): SourceFile {
  return {
    path,
    room: roomOf(path),
    text,
    isTest: /\.test\.ts$/.test(path),
    isGenerated: /\.generated\.ts$/.test(path),
    program: path.endsWith(".ts") ? parseProgram(path, text) : undefined,
  };
}

function parseProgram(path: string, text: string): SyntaxNode | undefined {
  const program: unknown = parseSync(path, text).program;
  return isNode(program) ? program : undefined;
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

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The child of a node under a name, if it is a node. */
export function child(node: SyntaxNode, name: string): SyntaxNode | undefined {
  const value = node[name];
  return isNode(value) ? value : undefined;
}

/** The children of a node under a name that holds a list. */
export function children(node: SyntaxNode, name: string): readonly SyntaxNode[] {
  const value = node[name];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Calls `visit` for a node and all below it, parents first. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode, parent: SyntaxNode | undefined) => void): void {
  const below = (current: SyntaxNode, parent: SyntaxNode | undefined): void => {
    visit(current, parent);
    for (const value of Object.values(current)) {
      if (Array.isArray(value)) for (const item of value) if (isNode(item)) below(item, current);
      if (isNode(value)) below(value, current);
    }
  };
  below(node, undefined);
}
