// Imports point towards the core: the table of rooms.ts, enforced; kinds do not know each other, and nobody makes barrels.
import { posix } from "node:path";
import { roomOf } from "../rooms.ts";
import { child, children, type Rule, type SourceFile, type SyntaxNode, stop, walk } from "../source-file.ts";

/** Every import of a file in a room goes where the table allows. */
export const importsPointInward: Rule = (file) => {
  if (file.program === undefined || file.room === undefined) return [];
  return importsOf(file.program).flatMap(({ target, at }) => {
    const complaint = complain(file, target);
    return complaint === undefined ? [] : [stop(file, at, "imports", complaint)];
  });
};

/** No file exists only to hand on the exports of others. */
export const noBarrels: Rule = (file) => {
  const body = file.program === undefined ? [] : children(file.program, "body");
  const isBarrel =
    body.length > 0 &&
    body.every((statement) => child(statement, "source") !== undefined && statement.type.startsWith("Export"));
  return isBarrel ? [stop(file, 0, "barrel", "only hands on the exports of other files: import those directly")] : [];
};

function complain(file: SourceFile, target: string): string | undefined {
  if (target.startsWith("node:")) return undefined; // node-imports.ts has that rule
  if (!target.startsWith(".")) return complainOfPackage(file, target);
  const path = posix.join(posix.dirname(file.path), target);
  const from = file.room;
  const to = roomOf(path);
  if (from === undefined) return undefined;
  if (to === undefined) return file.isTest ? undefined : `imports ${path}, which is outside the rooms of src/ and sim/`;
  if (to === from) return complainOfOtherKind(file, path);
  if (file.isTest && (to.name === "sim" || to.name === "core")) return undefined;
  if (from.mayImport.includes(to.name)) return undefined;
  return `${from.name}/ may not import ${to.name}/ (${path}); it may import: ${["itself", ...from.mayImport].join(", ")}`;
}

function complainOfPackage(file: SourceFile, target: string): string | undefined {
  const name = target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
  if (file.isTest || name === "kubernetes-types") return undefined;
  const allowed = file.room?.packages ?? [];
  if (allowed.includes(name)) return undefined;
  return `${file.room?.name}/ may not use the package ${name}; it may use: ${allowed.join(", ") || "none"}`;
}

function complainOfOtherKind(file: SourceFile, path: string): string | undefined {
  if (file.room?.name !== "kinds") return undefined;
  const kindOf = (inKinds: string): string | undefined =>
    inKinds.split("/")[3] === undefined ? undefined : inKinds.split("/")[2];
  const mine = kindOf(file.path);
  const theirs = kindOf(path);
  if (mine === undefined || mine === theirs) return undefined;
  return `the kind ${mine} may not import ${path}: what two kinds share belongs to core/`;
}

/** The targets of static and dynamic imports and of re-exports. */
export function importsOf(program: SyntaxNode): readonly { readonly target: string; readonly at: number }[] {
  const found: { target: string; at: number }[] = [];
  walk(program, (node) => {
    if (!/^(Import|Export)(Declaration|NamedDeclaration|AllDeclaration|Expression)$/.test(node.type)) return;
    const target = child(node, "source")?.value;
    if (typeof target === "string") found.push({ target, at: node.start });
  });
  return found;
}
