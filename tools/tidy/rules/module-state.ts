// Files of core/ and kinds/ keep no state: what lies at the top of a file is a constant that nobody can change.
import { type Reference, referencesOf } from "../references.ts";
import { type Finding, type Rule, type SourceFile, stop } from "../source-file.ts";
import {
  child,
  children,
  dottedName,
  isFunction,
  propertyOf,
  type SyntaxNode,
  unexported,
  unwrapped,
  valueParts,
  walk,
} from "../syntax-tree.ts";
import { isPure } from "./purity.ts";

const collections = /^(Map|Set|WeakMap|WeakSet)$/;
const mutators = /^(set|add|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|clear|delete)$/;
const changers =
  /^(Object\.(assign|definePropert(y|ies)|setPrototypeOf)|Reflect\.(set|deleteProperty|defineProperty))$/;
/** Calls whose result is no container, or one that cannot change. */
const plainResults = /^(Object\.freeze|Symbol|BigInt|Number|String|.*\.join|(z|\w*[sS]chema)\..*)$/;
/** Uses of a constant that only read it. */
const readers = /^(MemberExpression|ForOfStatement|ForInStatement|SpreadElement|BinaryExpression|UnaryExpression)$/;
const readingCalls = /^(Map|Set|Object\.(keys|values|entries|hasOwn|freeze)|Array\.(from|isArray))$/;
const remedy = "a memo must live in a value that someone creates, a table must be readonly";

type Constant = { readonly name: string; readonly type: SyntaxNode | undefined; readonly value: SyntaxNode };

/** Nothing at the top of a file of core/ or kinds/ can change. */
export const noModuleState: Rule = (file) => {
  const { program } = file;
  if (!isPure(file) || program === undefined) return [];
  const references = referencesOf(program).filter((each) => each.declaredIn === program);
  // What a generated table holds is its generator's business: a test shows that it is fresh.
  const declared = file.isGenerated ? [] : changeable(file, program, references);
  return [...declared, ...statics(file, program), ...changes(file, program, references)];
};

/** Declarations that are no constants, or constants whose value can change. */
function changeable(file: SourceFile, program: SyntaxNode, references: readonly Reference[]): readonly Finding[] {
  return children(program, "body").flatMap((statement) => {
    const declaration = unexported(statement);
    if (declaration.type !== "VariableDeclaration" || declaration.declare === true) return [];
    if (declaration.kind !== "const")
      return [stop(file, declaration.start, "state", "keeps state in the file: let a caller own it")];
    return children(declaration, "declarations").flatMap((each) => {
      const constant = constantOf(each);
      if (constant === undefined) return [];
      const isShared = declaration !== statement || escapes(constant.name, references);
      return complain(constant, isShared).map((message) => stop(file, each.start, "state", message));
    });
  });
}

function constantOf(declarator: SyntaxNode): Constant | undefined {
  const id = child(declarator, "id") ?? child(declarator, "key");
  const value = child(declarator, "init") ?? child(declarator, "value");
  if (id === undefined || value === undefined) return undefined;
  const annotation = child(id, "typeAnnotation") ?? child(declarator, "typeAnnotation");
  return { name: String(id.name), type: annotation && child(annotation, "typeAnnotation"), value };
}

/** Static members of classes are module state under another name. */
function statics(file: SourceFile, program: SyntaxNode): readonly Finding[] {
  const found: Finding[] = [];
  walk(program, (node) => {
    if (node.type !== "PropertyDefinition" || node.static !== true) return;
    const constant = constantOf(node);
    if (node.readonly !== true) found.push(stop(file, node.start, "state", `keeps state in a class: ${remedy}`));
    else if (constant !== undefined)
      for (const message of complain(constant, true)) found.push(stop(file, node.start, "state", message));
  });
  return found;
}

function complain({ name, type, value }: Constant, isShared: boolean): readonly string[] {
  const bare = unwrapped(value);
  const isReadonly = type?.operator === "readonly" || /^Readonly/.test(String(type && child(type, "typeName")?.name));
  const inside = isReadonly ? valueParts(bare).some(holdsEmptyCollection) : holdsEmptyCollection(bare);
  const isFixed = isReadonly || isConstAssertion(value) || !isContainer(bare);
  if (inside || (!isFixed && isEmpty(bare))) return [`${name} starts empty and can be filled: ${remedy}`];
  return isFixed || type !== undefined || !isShared ? [] : [`${name} can be changed through another name: ${remedy}`];
}

function isConstAssertion(value: SyntaxNode): boolean {
  const claimed = child(value, "typeAnnotation");
  if (claimed !== undefined && child(claimed, "typeName")?.name === "const") return true;
  const inner = child(value, "expression");
  return inner !== undefined && isConstAssertion(inner);
}

function isContainer(value: SyntaxNode): boolean {
  if (value.type === "CallExpression") return !plainResults.test(dottedName(child(value, "callee")));
  return /^(Array|Object|New)Expression$/.test(value.type);
}

function isEmpty(value: SyntaxNode): boolean {
  const given = children(value, "arguments");
  const areEmpty = given.every((each) => isContainer(each) && isEmpty(each));
  if (value.type === "NewExpression") return areEmpty;
  if (value.type === "CallExpression") return areEmpty && given.length > 0;
  return [...children(value, "elements"), ...children(value, "properties")].length === 0;
}

/** A Map or Set without entries has no use but to be filled, however deep it lies in a frozen table. */
function holdsEmptyCollection(value: SyntaxNode): boolean {
  if (isFunction(value)) return false;
  const isCollection = value.type === "NewExpression" && collections.test(dottedName(child(value, "callee")));
  return (isCollection && isEmpty(value)) || valueParts(value).some(holdsEmptyCollection);
}

/** Whether a constant is handed to somebody as a whole, who could then change it. */
function escapes(name: string, references: readonly Reference[]): boolean {
  return references.some(({ name: used, node, parent }) => {
    if (used !== name || parent.id === node || readers.test(parent.type)) return false;
    return !readingCalls.test(dottedName(child(parent, "callee")));
  });
}

/** Writes to what the file declares at its top: assignments to members, and calls that change a container. */
function changes(file: SourceFile, program: SyntaxNode, references: readonly Reference[]): readonly Finding[] {
  const ours = new Set(references.map((each) => each.node));
  const filled = new Set(children(program, "body").flatMap(collectionNames));
  const found: Finding[] = [];
  walk(program, (node) => {
    const target = targetOf(node);
    const root = target === undefined ? undefined : rootOf(target);
    if (root === undefined || !ours.has(root)) return;
    // A table of functions may have one named `add`; only lists and collections are changed by such a call.
    if (node.type === "CallExpression" && child(node, "callee")?.object === root && !filled.has(root.name)) return;
    const change = `changes ${String(root.name)}, which lives as long as the file`;
    found.push(stop(file, node.start, "state", `${change}: ${remedy}`));
  });
  return found;
}

/** The constants of a statement that hold a list or a collection. */
function collectionNames(statement: SyntaxNode): readonly unknown[] {
  return children(unexported(statement), "declarations")
    .map(constantOf)
    .filter((each) => each !== undefined)
    .filter(({ value }) => isContainer(unwrapped(value)) && unwrapped(value).type !== "ObjectExpression")
    .map(({ name }) => name);
}

/** What a node writes to, if it writes. */
function targetOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === "AssignmentExpression") return child(node, "left");
  if (node.type === "UpdateExpression" || node.operator === "delete") return child(node, "argument");
  const callee = node.type === "CallExpression" ? child(node, "callee") : undefined;
  if (callee === undefined) return undefined;
  if (changers.test(dottedName(callee))) return children(node, "arguments")[0];
  return mutators.test(propertyOf(callee) ?? "") ? child(callee, "object") : undefined;
}

/** The variable at the root of a member chain. */
function rootOf(value: SyntaxNode): SyntaxNode | undefined {
  const node = unwrapped(value);
  if (node.type === "Identifier") return node;
  const callee = node.type === "CallExpression" ? child(node, "callee") : undefined;
  if (callee !== undefined && /^(get|at)$/.test(propertyOf(callee) ?? "")) return rootOf(callee);
  const object = node.type === "MemberExpression" ? child(node, "object") : undefined;
  return object === undefined ? undefined : rootOf(object);
}
