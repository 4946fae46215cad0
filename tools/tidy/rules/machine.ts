// Only main.ts and the bindings touch the machine: Node's modules, timers, the clock, randomness, the process.
import { globalReferences, type Reference } from "../references.ts";
import { type Finding, type Rule, type SourceFile, stop } from "../source-file.ts";
import { child, children, propertyOf, type SyntaxNode, walk } from "../syntax-tree.ts";
import { importsOf } from "./imports.ts";

const bindings = /^src\/(main\.ts$|runtime\/node\/node-[a-z0-9-]+\.ts$)/;

/** Globals that reach the machine, each with what to take instead. */
const portFor: Readonly<Record<string, string>> = {
  setTimeout: "Clock.after",
  setInterval: "Clock.after",
  setImmediate: "Clock.after",
  clearTimeout: "the cancel function of Clock.after",
  clearInterval: "the cancel function of Clock.after",
  clearImmediate: "the cancel function of Clock.after",
  performance: "Clock.monotonicMs",
  Temporal: "Clock.wallMs",
  Intl: "a format of our own, which no locale or time zone changes",
  Atomics: "Clock.after",
  process: "a value that main.ts hands over",
  navigator: "a value that main.ts hands over",
  fetch: "Transport",
  XMLHttpRequest: "Transport",
  WebSocket: "Transport",
  EventSource: "Transport",
  MessageChannel: "a binding",
  BroadcastChannel: "a binding",
  Worker: "a binding",
  crypto: "a binding",
  console: "the logger that is handed in",
  localStorage: "Files",
  sessionStorage: "Files",
  globalThis: "the thing itself, as an argument",
  global: "the thing itself, as an argument",
  window: "the thing itself, as an argument",
  self: "the thing itself, as an argument",
  eval: "a function",
  Function: "a function",
};

/** Globals of which some members only compute; any other use of them, also under another name, is refused. */
const partlyPure: Readonly<Record<string, { readonly members: RegExp; readonly instead: string }>> = {
  Math: { members: /^(?!random$)/, instead: "a Rand as an argument" },
  Date: { members: /^(parse|UTC)$/, instead: "a Clock or the time as an argument" },
  AbortSignal: { members: /^(any|abort)$/, instead: "Clock.after" },
};

/** What a room may take of Node's modules although it is no binding: functions of their arguments alone, by name. */
const pureParts: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: { "node:crypto": ["hash", "createHash"] },
};

function isExempt(file: SourceFile): boolean {
  return file.isTest || !file.path.startsWith("src/") || bindings.test(file.path);
}

/** `node:` modules are imported only by main.ts and the bindings in runtime/node/node-*.ts, but for their pure parts. */
export const nodeStaysAtTheEdge: Rule = (file) => {
  if (isExempt(file) || file.program === undefined) return [];
  return importsOf(file.program)
    .filter(({ target, node }) => target.startsWith("node:") && !takesPureParts(node, purePartsOf(file, target)))
    .map(({ target, node }) => {
      const remedy = `only src/main.ts and src/runtime/node/node-*.ts may: take a port as an argument`;
      const pure = purePartsOf(file, target);
      const besides = pure.length === 0 ? "" : `, or import nothing of it but ${pure.join(", ")}, by name`;
      return stop(file, node.start, "node-import", `imports ${target}; ${remedy}${besides}`);
    });
};

function purePartsOf(file: SourceFile, target: string): readonly string[] {
  return pureParts[file.room?.name ?? ""]?.[target] ?? [];
}

/** Whether a statement imports these names and no others; a default or a namespace would bring the rest along. */
function takesPureParts(statement: SyntaxNode, pure: readonly string[]): boolean {
  const specifiers = statement.type === "ImportDeclaration" ? children(statement, "specifiers") : [];
  return (
    specifiers.length > 0 &&
    specifiers.every((each) => {
      const imported = each.type === "ImportSpecifier" ? child(each, "imported") : undefined;
      return imported !== undefined && pure.includes(String(imported.name ?? imported.value));
    })
  );
}

/** Timers, the time of day, randomness and the process come in through ports. */
export const timeAndChanceComeIn: Rule = (file) => {
  const { program } = file;
  if (isExempt(file) || program === undefined) return [];
  const found: Finding[] = [];
  for (const reference of globalReferences(program)) {
    const complaint = complain(reference);
    if (complaint !== undefined) found.push(stop(file, reference.node.start, "port", complaint));
  }
  walk(program, (node) => {
    if (node.type === "MetaProperty" && child(node, "meta")?.name === "import")
      found.push(stop(file, node.start, "port", "uses import.meta; take a value that main.ts hands over instead"));
  });
  return found;
};

function complain({ name, node, parent }: Reference): string | undefined {
  if (Object.hasOwn(portFor, name)) return `uses ${name}; take ${portFor[name]} instead`;
  const pure = Object.hasOwn(partlyPure, name) ? partlyPure[name] : undefined;
  if (pure === undefined) return undefined;
  const member = parent.type === "MemberExpression" && parent.object === node ? propertyOf(parent) : undefined;
  if (member !== undefined && pure.members.test(member)) return undefined;
  if (parent.operator === "instanceof" && parent.right === node) return undefined;
  if (name === "Date" && isGivenTime(node, parent)) return undefined;
  return `uses ${member === undefined ? name : `${name}.${member}`} freely; take ${pure.instead} instead`;
}

/** `new Date(ms)` only writes a given time down; without its one argument it asks the machine for time or time zone. */
function isGivenTime(date: SyntaxNode, parent: SyntaxNode): boolean {
  const given = parent.type === "NewExpression" && parent.callee === date ? children(parent, "arguments") : [];
  return given.length === 1 && given[0]?.type !== "SpreadElement";
}
