// Only main.ts and the bindings touch the machine: Node's modules, timers, the clock, randomness, the process.
import {
  child,
  children,
  type Finding,
  type Rule,
  type SourceFile,
  type SyntaxNode,
  stop,
  walk,
} from "../source-file.ts";
import { importsOf } from "./imports.ts";

const bindings = /^src\/(main\.ts$|runtime\/node-[a-z0-9-]+\.ts$)/;

const portFor: Readonly<Record<string, string>> = {
  setTimeout: "Clock.after",
  setInterval: "Clock.after",
  setImmediate: "Clock.after",
  clearTimeout: "the cancel function of Clock.after",
  clearInterval: "the cancel function of Clock.after",
  performance: "Clock.monotonicMs",
  process: "a value that main.ts hands over",
  fetch: "Transport",
  crypto: "a binding",
  console: "the logger that is handed in",
  XMLHttpRequest: "Transport",
};

function isExempt(file: SourceFile): boolean {
  return file.isTest || !file.path.startsWith("src/") || bindings.test(file.path);
}

/** `node:` modules are imported only by main.ts and the bindings in runtime/node-*.ts. */
export const nodeStaysAtTheEdge: Rule = (file) => {
  if (isExempt(file) || file.program === undefined) return [];
  return importsOf(file.program)
    .filter(({ target }) => target.startsWith("node:"))
    .map(({ target, at }) =>
      stop(
        file,
        at,
        "node-import",
        `imports ${target}; only src/main.ts and src/runtime/node-*.ts may: take a port as an argument`,
      ),
    );
};

/** Timers, the time of day, randomness and the process come in through ports. */
export const timeAndChanceComeIn: Rule = (file) => {
  const { program } = file;
  if (isExempt(file) || program === undefined) return [];
  const ours = declaredNames(program);
  const found: Finding[] = [];
  walk(program, (node, parent) => {
    const complaint = complain(node, parent, ours);
    if (complaint !== undefined) found.push(stop(file, node.start, "port", complaint));
  });
  return found;
};

function complain(node: SyntaxNode, parent: SyntaxNode | undefined, ours: ReadonlySet<string>): string | undefined {
  if (isMember(node, "Math", "random")) return "uses Math.random; take a Rand as an argument";
  if (isMember(node, "Date", "now")) return "uses Date.now; take a Clock or the time as an argument";
  if (isDateOfNow(node)) return "asks for the time of day; take a Clock or the time as an argument";
  if (node.type !== "Identifier" || parent === undefined) return undefined;
  const name = String(node.name);
  if (!Object.hasOwn(portFor, name) || ours.has(name) || !isReference(node, parent)) return undefined;
  return `uses ${name}; take ${portFor[name]} instead`;
}

/** `new Date()` and `Date()` tell the time; `new Date(ms)` only writes a given one down, which is pure. */
function isDateOfNow(node: SyntaxNode): boolean {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return false;
  const callee = child(node, "callee");
  if (callee?.type !== "Identifier" || callee.name !== "Date") return false;
  return node.type === "CallExpression" || children(node, "arguments").length === 0;
}

function isMember(node: SyntaxNode, object: string, property: string): boolean {
  return (
    node.type === "MemberExpression" &&
    child(node, "object")?.name === object &&
    child(node, "property")?.name === property
  );
}

/** Whether an identifier reads a variable, and is not the name of a property, a type or an import. */
function isReference(node: SyntaxNode, parent: SyntaxNode): boolean {
  const isPropertyName = parent.type === "MemberExpression" && parent.property === node && parent.computed !== true;
  const isKey = parent.key === node && parent.computed !== true && parent.shorthand !== true;
  return !isPropertyName && !isKey && !parent.type.startsWith("TS") && !parent.type.startsWith("Import");
}

function declaredNames(program: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (node: SyntaxNode | undefined) => {
    if (node !== undefined) walk(node, (inner) => inner.type === "Identifier" && names.add(String(inner.name)));
  };
  walk(program, (node) => {
    if (node.type === "VariableDeclarator") add(child(node, "id"));
    if (/Function|^TSDeclare/.test(node.type)) for (const parameter of children(node, "params")) add(parameter);
    if (node.type === "ImportDeclaration")
      for (const specifier of children(node, "specifiers")) add(child(specifier, "local"));
  });
  return names;
}
