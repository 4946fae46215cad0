// The syntax tree of a file as the rules walk it: nodes by name, the parts that carry values, and the names behind them.

/** A node of the ESTree form that the parser gives; rules look at `type` and walk the rest by name. */
export type SyntaxNode = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
};

const typeKeys = /^(typeAnnotation|typeParameters|typeArguments|superTypeArguments|returnType|implements)$/;
const withoutValues =
  /^(TSTypeAliasDeclaration|TSInterfaceDeclaration|TSDeclareFunction|TSImportEqualsDeclaration|ImportDeclaration|ExportAllDeclaration|MetaProperty)$/;
const wrappers = /^(ParenthesizedExpression|ChainExpression|TS(As|Satisfies|NonNull|Instantiation)Expression)$/;

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
    for (const part of Object.values(current).flat()) if (isNode(part)) below(part, current);
  };
  below(node, undefined);
}

/** The parts of a node that exist when the program runs: no types, and no names of properties, labels or exports. */
export function valueParts(node: SyntaxNode): readonly SyntaxNode[] {
  if (withoutValues.test(node.type) || node.declare === true) return [];
  return Object.entries(node)
    .filter(([key]) => !typeKeys.test(key) && !isOnlyName(node, key))
    .flatMap(([, value]) => value)
    .filter(isNode);
}

function isOnlyName(node: SyntaxNode, key: string): boolean {
  if (key === "property" || key === "key") return node.computed !== true;
  if (key === "specifiers") return child(node, "source") !== undefined;
  return key === "label" || key === "exported";
}

export function isFunction(node: SyntaxNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

/** A statement without the `export` before it. */
export function unexported(statement: SyntaxNode): SyntaxNode {
  return /^Export(Named|Default)Declaration$/.test(statement.type)
    ? (child(statement, "declaration") ?? statement)
    : statement;
}

/** A value without the brackets and type claims around it. */
export function unwrapped(value: SyntaxNode): SyntaxNode {
  const inner = wrappers.test(value.type) ? child(value, "expression") : undefined;
  return inner === undefined ? value : unwrapped(inner);
}

/** The name of the property that a member expression reads, however it is spelled; undefined if it is computed. */
export function propertyOf(member: SyntaxNode): string | undefined {
  const property = child(member, "property");
  if (property === undefined) return undefined;
  if (member.computed !== true) return String(property.name);
  return textOf(property);
}

/** The text that a string literal, or a template without holes, stands for. */
export function textOf(node: SyntaxNode): string | undefined {
  if (typeof node.value === "string") return node.value;
  const [only, ...others] = node.type === "TemplateLiteral" ? children(node, "quasis") : [];
  if (only === undefined || others.length > 0) return undefined;
  const { value } = only;
  return typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : undefined;
}

/** The dotted name of what is called, through members and calls: `z.string.optional`; a part without a name is empty. */
export function dottedName(callee: SyntaxNode | undefined): string {
  if (callee === undefined) return "";
  const node = unwrapped(callee);
  if (node.type === "Identifier") return String(node.name);
  if (node.type === "CallExpression") return dottedName(child(node, "callee"));
  if (node.type === "TaggedTemplateExpression") return dottedName(child(node, "tag"));
  if (node.type !== "MemberExpression") return "";
  return `${dottedName(child(node, "object"))}.${propertyOf(node) ?? ""}`;
}
