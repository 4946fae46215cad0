// What each name of a file means: a declaration of an enclosing scope, or else a global of the machine.
import { child, children, isFunction, type SyntaxNode, unexported, valueParts } from "./syntax-tree.ts";

export type Reference = {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode;
  /** The node whose scope declares the name: the program, a function, a block; undefined for a global. */
  readonly declaredIn: SyntaxNode | undefined;
};

type Scope = {
  readonly node: SyntaxNode;
  readonly names: ReadonlySet<string>;
  readonly outer: Scope | undefined;
};

/** Every use of a variable in a program, with the scope that declares it; types are not uses. */
export function referencesOf(program: SyntaxNode): readonly Reference[] {
  const found: Reference[] = [];
  const visit = (node: SyntaxNode, parent: SyntaxNode, outer: Scope | undefined): void => {
    const names = namesDeclaredBy(node);
    const scope = names.length === 0 ? outer : { node, names: new Set(names), outer };
    if (node.type === "Identifier") {
      const name = String(node.name);
      found.push({ name, node, parent, declaredIn: declaringNode(scope, name) });
    }
    for (const part of valueParts(node)) visit(part, node, scope);
  };
  visit(program, program, undefined);
  return found;
}

/** The uses of names that nothing in the file declares. */
export function globalReferences(program: SyntaxNode): readonly Reference[] {
  return referencesOf(program).filter((each) => each.declaredIn === undefined);
}

function declaringNode(scope: Scope | undefined, name: string): SyntaxNode | undefined {
  if (scope === undefined) return undefined;
  return scope.names.has(name) ? scope.node : declaringNode(scope.outer, name);
}

/** The names that a node declares for what is below it. `var` counts for its block only: the linter refuses it. */
function namesDeclaredBy(node: SyntaxNode): readonly string[] {
  if (/^(Program|BlockStatement|StaticBlock)$/.test(node.type)) return children(node, "body").flatMap(namesOf);
  if (node.type === "SwitchStatement")
    return children(node, "cases").flatMap((each) => children(each, "consequent").flatMap(namesOf));
  if (isFunction(node)) return [...children(node, "params").flatMap(boundNames), ...ownName(node)];
  if (node.type === "ClassExpression") return ownName(node);
  if (node.type === "CatchClause") return boundNames(child(node, "param"));
  if (/^For(In|Of)?Statement$/.test(node.type)) return namesOf(child(node, "init") ?? child(node, "left") ?? node);
  return [];
}

/** A named function expression knows its own name; a declaration's name belongs to the scope around it. */
function ownName(node: SyntaxNode): readonly string[] {
  return node.type.endsWith("Expression") ? boundNames(child(node, "id")) : [];
}

/** The names that a statement declares in its scope; `declare` only claims that a global is there. */
function namesOf(statement: SyntaxNode): readonly string[] {
  const node = unexported(statement);
  if (node.declare === true) return [];
  if (node.type === "VariableDeclaration")
    return children(node, "declarations").flatMap((each) => boundNames(child(each, "id")));
  if (/^(FunctionDeclaration|ClassDeclaration|TSEnumDeclaration)$/.test(node.type))
    return boundNames(child(node, "id"));
  if (node.type === "ImportDeclaration")
    return children(node, "specifiers").flatMap((each) => boundNames(child(each, "local")));
  return [];
}

/** The names that a pattern binds. */
function boundNames(pattern: SyntaxNode | undefined): readonly string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [String(pattern.name)];
    case "ObjectPattern":
      return children(pattern, "properties").flatMap((each) => boundNames(child(each, "value") ?? each));
    case "ArrayPattern":
      return children(pattern, "elements").flatMap(boundNames);
    case "AssignmentPattern":
      return boundNames(child(pattern, "left"));
    case "RestElement":
      return boundNames(child(pattern, "argument"));
    case "TSParameterProperty":
      return boundNames(child(pattern, "parameter"));
    default:
      return [];
  }
}
