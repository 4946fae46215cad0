// Loading a file of core/ or kinds/ does nothing but build constants: no statement acts, and no value hides a call.
import { type Rule, stop } from "../source-file.ts";
import { child, children, dottedName, isFunction, type SyntaxNode, unexported, valueParts } from "../syntax-tree.ts";
import { isPure } from "./purity.ts";

/** Values, patterns and the statements inside a callback, which do nothing themselves; their parts are looked at. */
const inert = new RegExp(
  `^(${[
    "(Template)?Literal|TemplateElement|Identifier|PrivateIdentifier|Super|ThisExpression|SpreadElement|Property",
    "(Member|Unary|Binary|Logical|Conditional|Sequence|Chain|Parenthesized|Array|Object|TS\\w+)Expression",
    "(Object|Array|Assignment)Pattern|RestElement|VariableDeclaration|VariableDeclarator",
    "(Block|Return|If|Expression|Empty|For|ForOf|ForIn|While|Switch|Break|Continue)Statement|SwitchCase",
  ].join("|")})$`,
);
const declarations = /^(FunctionDeclaration|TS(TypeAlias|Interface)Declaration|TSDeclareFunction|EmptyStatement)$/;

/** Calls that only build a constant. The callbacks that some of them take run at once, so they are looked into. */
const builders =
  /^(Object\.(freeze|fromEntries|entries|keys|values)|Symbol|BigInt|Number|String|\w*Array\.(of|from)|.*\.(map|filter|flatMap|join|split|concat|slice|sort|toSorted|entries|keys|values))$/;
const callsBack = /\.(map|filter|flatMap|sort|toSorted|from)$/;
const pureCallbacks = /^(String|Number|Boolean|BigInt|Symbol)$/;
const constructors = /^(Map|Set|WeakMap|WeakSet|\w+Array|Error|TextEncoder|TextDecoder)$/;
/** Schema builders only store the functions they are given, until somebody parses. */
const schemas = /^(z|\w*[sS]chema)\.(?!.*\b(parse|safeParse|decode|encode|safeDecode|safeEncode)(Async)?$)/;

/** Loading a file of core/ or kinds/ has no effect. */
export const noImportTimeEffects: Rule = (file) => {
  if (!isPure(file) || file.program === undefined) return [];
  return children(file.program, "body").flatMap((statement) => {
    const complaint = complain(statement);
    return complaint === undefined ? [] : [stop(file, statement.start, "import-time", complaint)];
  });
};

function complain(statement: SyntaxNode): string | undefined {
  if (loadsOnly(statement)) return "loads a file for its effect: call a function of it instead";
  if (/^(Import|ExportAll)Declaration$/.test(statement.type)) return undefined;
  const declared = unexported(statement);
  if (declared.type === "ExportNamedDeclaration") return undefined;
  if (declared.declare === true || declarations.test(declared.type)) return undefined;
  const isValue = statement.type === "ExportDefaultDeclaration" || isClass(declared);
  if (!isValue && declared.type !== "VariableDeclaration")
    return "runs when the file is loaded: put it into a function";
  return acts(declared) ? "computes something when the file is loaded: put it into a function" : undefined;
}

/** `import "./a.ts"` and its spellings with empty braces. */
function loadsOnly(statement: SyntaxNode): boolean {
  if (statement.type === "ExportAllDeclaration" || statement.importKind === "type") return false;
  return child(statement, "source") !== undefined && children(statement, "specifiers").length === 0;
}

/** Whether evaluating a value may do more than build it. */
function acts(node: SyntaxNode): boolean {
  if (isFunction(node)) return false;
  if (isClass(node)) return classActs(node);
  if (node.type === "CallExpression") return callActs(node);
  if (node.type === "NewExpression")
    return !constructors.test(dottedName(child(node, "callee"))) || children(node, "arguments").some(acts);
  // A plain name can only be a variable of the callback around it, since modules of core/ have constants alone.
  if (node.type === "AssignmentExpression") return child(node, "left")?.type !== "Identifier" || partsAct(node);
  if (node.type === "UpdateExpression") return child(node, "argument")?.type !== "Identifier";
  return !inert.test(node.type) || node.operator === "delete" || partsAct(node);
}

function partsAct(node: SyntaxNode): boolean {
  return valueParts(node).some(acts);
}

function callActs(call: SyntaxNode): boolean {
  const callee = child(call, "callee");
  const name = dottedName(callee);
  const given = children(call, "arguments");
  const isSchema = schemas.test(name);
  if (!isSchema && !builders.test(name)) return true;
  if (callee === undefined || partsAct(callee) || given.some(acts)) return true;
  if (isSchema || !callsBack.test(name)) return false;
  return given.some((each, index) => callbackActs(each, index === (name.endsWith("Array.from") ? 1 : 0)));
}

/** A callback runs at once: we look into one that is written here, and cannot see into one that is named. */
function callbackActs(argument: SyntaxNode, isCallback: boolean): boolean {
  if (isFunction(argument)) return partsAct(argument);
  return isCallback && !pureCallbacks.test(dottedName(argument));
}

function isClass(node: SyntaxNode): boolean {
  return /^Class(Declaration|Expression)$/.test(node.type);
}

/** A class acts by what it extends, by static values and blocks, by computed names and by decorators. */
function classActs(node: SyntaxNode): boolean {
  const parent = child(node, "superClass");
  const members = children(child(node, "body") ?? node, "body");
  if (children(node, "decorators").length > 0 || (parent !== undefined && acts(parent))) return true;
  return members.some((member) => {
    const key = member.computed === true ? child(member, "key") : undefined;
    const value = member.static === true ? child(member, "value") : undefined;
    const isDecorated = children(member, "decorators").length > 0;
    return (
      member.type === "StaticBlock" || isDecorated || [key, value].some((part) => part !== undefined && acts(part))
    );
  });
}
