// core/ and kinds/ only compute: loading one of their files does nothing and leaves no state behind, and nothing there waits.
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

const pureRooms = ["core", "kinds"];
const harmlessStatements =
  /^(ImportDeclaration|ExportAllDeclaration|FunctionDeclaration|ClassDeclaration|TS.*|EmptyStatement)$/;
const harmlessValues =
  /^(Literal|TemplateLiteral|Identifier|MemberExpression|ArrowFunctionExpression|FunctionExpression|UnaryExpression|BinaryExpression|LogicalExpression|ConditionalExpression|ClassExpression|SpreadElement|Property|TemplateElement|ArrayExpression|ObjectExpression|TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression|AwaitExpression)$/;
/** Calls that only build a constant: collections, frozen tables, symbols, and schema builders. */
const builders =
  /^(Object\.(freeze|fromEntries|entries|keys|values|create)|Symbol|BigInt|Number|String|z(\..*)?|.*\.(map|filter|flatMap|join|split|concat|slice|sort|toSorted|entries|keys|values)|Array\.from)$/;
const constructors = /^(Map|Set|Uint8Array|Uint32Array|Int32Array|Error|TextEncoder|TextDecoder)$/;

/** Loading a file of core/ or kinds/ has no effect and leaves nothing that can change. */
export const noImportTimeEffects: Rule = (file) => {
  if (!isPure(file) || file.program === undefined) return [];
  return children(file.program, "body").flatMap((statement) => {
    const declared =
      statement.type === "ExportNamedDeclaration" ? (child(statement, "declaration") ?? statement) : statement;
    const complaint = complain(declared);
    return complaint === undefined ? [] : [stop(file, statement.start, "import-time", complaint)];
  });
};

/** Nothing in core/ or kinds/ is asynchronous. */
export const noWaiting: Rule = (file) => {
  if (!isPure(file) || file.program === undefined) return [];
  const found: Finding[] = [];
  walk(file.program, (node) => {
    if (node.async === true || node.type === "AwaitExpression") {
      found.push(
        stop(file, node.start, "async", "is asynchronous; core/ and kinds/ only compute: let the caller wait"),
      );
    }
  });
  return found;
};

function isPure(file: SourceFile): boolean {
  return file.room !== undefined && pureRooms.includes(file.room.name) && !file.isTest;
}

function complain(statement: SyntaxNode): string | undefined {
  if (statement.type === "ExportNamedDeclaration" || harmlessStatements.test(statement.type)) return undefined;
  if (statement.type !== "VariableDeclaration") return "runs when the file is loaded: put it into a function";
  if (statement.kind !== "const") return "keeps state in the file: let a caller own it";
  const acting = children(statement, "declarations")
    .map((each) => child(each, "init"))
    .find((init) => init !== undefined && !isConstant(init));
  return acting === undefined ? undefined : "computes something when the file is loaded: put it into a function";
}

function isConstant(value: SyntaxNode): boolean {
  if (value.type === "ArrowFunctionExpression" || value.type === "FunctionExpression") return true;
  if (value.type === "NewExpression")
    return constructors.test(nameOf(child(value, "callee"))) && children(value, "arguments").every(isConstant);
  if (value.type === "CallExpression")
    return builders.test(nameOf(child(value, "callee"))) && children(value, "arguments").every(isConstant);
  if (!harmlessValues.test(value.type)) return false;
  const parts = Object.values(value)
    .flat()
    .filter((part): part is SyntaxNode => typeof part === "object" && part !== null && "type" in part);
  return parts.filter((part) => !part.type.startsWith("TS")).every(isConstant);
}

function nameOf(callee: SyntaxNode | undefined): string {
  if (callee === undefined) return "";
  if (callee.type === "Identifier") return String(callee.name);
  if (callee.type === "CallExpression") return nameOf(child(callee, "callee"));
  if (callee.type === "MemberExpression")
    return `${nameOf(child(callee, "object"))}.${nameOf(child(callee, "property"))}`;
  return "";
}
