// Imports point towards the core: the table of rooms.ts, enforced; kinds do not know each other, and nobody makes barrels.
import { posix } from "node:path";
import { globalReferences } from "../references.ts";
import { roomOf } from "../rooms.ts";
import { type Rule, type SourceFile, stop } from "../source-file.ts";
import { child, children, type SyntaxNode, walk } from "../syntax-tree.ts";

type Import = { readonly target: string; readonly node: SyntaxNode };

const importing = /^(Import(Declaration|Expression)|Export(Named|All)Declaration|TSImportType)$/;

/** Every import goes where the table allows; nobody but tests imports tests. */
export const importsPointInward: Rule = (file) => {
  if (file.program === undefined) return [];
  return importsOf(file.program).flatMap(({ target, node }) => {
    const complaint = complain(file, target);
    return complaint === undefined ? [] : [stop(file, node.start, "imports", complaint)];
  });
};

/** Every import of a room says its target in plain text, where the other rules can read it. */
export const importsCanBeRead: Rule = (file) => {
  const { program } = file;
  if (program === undefined || file.room === undefined) return [];
  const hidden: number[] = [];
  walk(program, (node) => {
    const isComputed = node.type === "ImportExpression" && typeof child(node, "source")?.value !== "string";
    if (isComputed || node.type === "TSImportEqualsDeclaration") hidden.push(node.start);
  });
  for (const { name, node } of globalReferences(program)) if (name === "require") hidden.push(node.start);
  return hidden.map((at) =>
    stop(file, at, "imports", "imports by require or by a computed name: write import with a string"),
  );
};

/** No file exists only to hand on the exports of others: all its exports are re-exports, besides types. */
export const noBarrels: Rule = (file) => {
  if (file.program === undefined) return [];
  const body = children(file.program, "body");
  const imported = new Set(body.filter((each) => each.type === "ImportDeclaration").flatMap(localNames));
  const isForeign = (statement: SyntaxNode): boolean =>
    child(statement, "source") !== undefined || localNames(statement).some((name) => imported.has(name));
  const exports = body.filter((each) => each.type.startsWith("Export"));
  const isBarrel = exports.some(isForeign) && exports.every((each) => isForeign(each) || !exportsValue(each));
  const handsOnAll = exports.some((each) => each.type === "ExportAllDeclaration");
  return isBarrel || handsOnAll
    ? [stop(file, 0, "barrel", "only hands on the exports of other files: import those directly")]
    : [];
};

/** The local names that an import brings in or an export hands out. */
function localNames(statement: SyntaxNode): readonly string[] {
  const named = [
    ...children(statement, "specifiers").map((each) => child(each, "local")),
    child(statement, "declaration"),
  ];
  return named.filter((each) => each?.type === "Identifier").map((each) => String(each?.name));
}

function exportsValue(statement: SyntaxNode): boolean {
  const declared = child(statement, "declaration");
  if (declared === undefined) return children(statement, "specifiers").length > 0;
  return !/^TS(TypeAlias|Interface)Declaration$/.test(declared.type);
}

function complain(file: SourceFile, target: string): string | undefined {
  if (target.startsWith("node:")) return undefined; // machine.ts has that rule
  if (!target.startsWith(".")) return complainOfPackage(file, target);
  const path = posix.join(posix.dirname(file.path), target);
  if (path.endsWith(".test.ts") && !file.isTest)
    return `imports the test ${path}: move what both need into its own file`;
  if (isFixture(path) && isProduct(file)) return `imports the fixture ${path}: only tests and fixtures may`;
  const from = file.room;
  const to = roomOf(path);
  if (from === undefined) return undefined;
  if (to === undefined) return file.isTest ? undefined : `imports ${path}, which is outside the rooms of src/ and sim/`;
  if (to === from) return complainOfOtherKind(file, path);
  if (file.isTest && (to.name === "sim" || to.name === "scenarios" || to.name === "core")) return undefined;
  if (from.mayImport.includes(to.name)) return undefined;
  return `${from.name}/ may not import ${to.name}/ (${path}); it may import: ${["itself", ...from.mayImport].join(", ")}`;
}

/** Fixtures lie in a folder `testing/` beside what they serve. */
function isFixture(path: string): boolean {
  return path.includes("/testing/");
}

/** Whether a file is part of the program: in src/, and neither a test nor a fixture. */
function isProduct(file: SourceFile): boolean {
  return file.path.startsWith("src/") && !file.isTest && !isFixture(file.path);
}

function complainOfPackage(file: SourceFile, target: string): string | undefined {
  if (file.room === undefined || file.isTest) return undefined;
  const name = target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
  const allowed = file.room.packages;
  if (name === "kubernetes-types" || allowed.includes(name)) return undefined;
  return `${file.room.name}/ may not use the package ${name}; it may use: ${allowed.join(", ") || "none"}`;
}

/** Folders of kinds/ that are no kind: every kind may import them, and they import no kind. */
const sharedByKinds = ["schema", "pod-template", "forecast", "testing"];

function complainOfOtherKind(file: SourceFile, path: string): string | undefined {
  if (file.room?.name !== "kinds") return undefined;
  const folderOf = (inKinds: string): string | undefined =>
    inKinds.split("/")[3] === undefined ? undefined : inKinds.split("/")[2];
  const mine = folderOf(file.path);
  const theirs = folderOf(path);
  // Files directly in kinds/ may know every kind: they list them. A kind may import only the type that it implements.
  const isShared = theirs === undefined ? posix.basename(path) === "kind.ts" : sharedByKinds.includes(theirs);
  if (mine === undefined || mine === theirs || isShared) return undefined;
  // Tests of what all kinds share try it on each of them.
  if (file.isTest && sharedByKinds.includes(mine)) return undefined;
  const places = sharedByKinds.map((folder) => `${folder}/`).join(", ");
  return `${mine}/ may not import ${path}: what two kinds share belongs to core/, or to one of kinds/${places}`;
}

/** The targets of static and dynamic imports, of imports in types and of re-exports. */
export function importsOf(program: SyntaxNode): readonly Import[] {
  const found: Import[] = [];
  walk(program, (node) => {
    const target = importing.test(node.type) ? child(node, "source")?.value : undefined;
    if (typeof target === "string") found.push({ target, node });
  });
  return found;
}
