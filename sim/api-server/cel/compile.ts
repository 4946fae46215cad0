// CEL rules of structural schemas (`x-kubernetes-validations`): an expression is read and its types are checked once, when
// its definition is installed; what runs for each object is a tree of closures over plain JSON values.
// Covers has, size, all, exists, exists_one, filter, map, matches, startsWith, endsWith, contains, in, ?:, arithmetic,
// comparison, string(), int() and type(). A rule that needs more is refused loudly; none is ever skipped.
import type { Json } from "../../../src/core/json/json.ts";
import { binary, call, choice, each, element, list, type Macro, type Node, selection, unary } from "./node.ts";
import { CelError } from "./operators.ts";
import { CelSyntaxError, type Token, tokensOf } from "./tokens.ts";
import { bool, type CelType, memberType, typeName } from "./types.ts";

export type Compiled = {
  /** Such a rule is about a change: it holds where there is no old value. */
  readonly usesOldSelf: boolean;
  /** The value of the expression, or why there is none: `no such key: a`. */
  readonly evaluate: (self: Json, oldSelf: Json | undefined) => Evaluated;
};

export type Evaluated = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly because: string };

/** Longer rules are refused; the depth of the tree, and so of every recursion over it, is bounded with them. */
export const RULE_CHARS_MAX = 4096;

const levels = [["||"], ["&&"], ["<", "<=", ">", ">=", "==", "!=", "in"], ["+", "-"], ["*", "/", "%"]];
const macros: readonly Macro[] = ["all", "exists", "exists_one", "filter", "map"];
const types = new Set(["int", "double", "string", "bool", "list", "map", "null_type"]);
const words: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Compiles a rule over values of a type; throws CelSyntaxError for one that is wrong or beyond this evaluator. */
export function compileCel(source: string, self: CelType, result: "bool" | "string"): Compiled {
  if (source.length > RULE_CHARS_MAX)
    throw new CelSyntaxError(`the rule has ${source.length} characters; at most ${RULE_CHARS_MAX} are read`);
  const compiler = new Compiler(tokensOf(source), self);
  const node = compiler.expression();
  compiler.expect("end");
  if (node.type.is !== result && node.type.is !== "dyn")
    throw new CelSyntaxError(`must evaluate to ${result}, not ${typeName(node.type)}`);
  return { usesOldSelf: compiler.usesOldSelf, evaluate: (own, old) => evaluate(node, own, old) };
}

function evaluate(node: Node, self: Json, oldSelf: Json | undefined): Evaluated {
  try {
    return { ok: true, value: node.run({ self, oldSelf: oldSelf ?? null, locals: [] }) };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { ok: false, because: error.message };
  }
}

/** Reads words by the grammar and puts nodes together as it goes. */
class Compiler {
  usesOldSelf = false;
  readonly #tokens: readonly Token[];
  readonly #self: CelType;
  readonly #locals: { readonly name: string; readonly type: CelType }[] = [];
  #next = 0;

  constructor(tokens: readonly Token[], self: CelType) {
    this.#tokens = tokens;
    this.#self = self;
  }

  expression(): Node {
    const condition = this.#binary(0);
    if (!this.#take("?")) return condition;
    const yes = this.expression();
    this.expect(":");
    return choice(condition, yes, this.expression());
  }

  expect(wanted: string): void {
    const { is, text, at } = this.#token();
    if (is !== "string" && (text === wanted || is === wanted)) this.#next++;
    else throw new CelSyntaxError(`expected ${wanted}, found ${text} at character ${at + 1}`);
  }

  #binary(level: number): Node {
    const ops = levels[level];
    if (ops === undefined) return this.#unary();
    const takeOp = () => ops.find((op) => this.#take(op));
    let left = this.#binary(level + 1);
    for (let op = takeOp(); op !== undefined; op = takeOp()) left = binary(op, left, this.#binary(level + 1));
    return left;
  }

  #unary(): Node {
    if (this.#take("!")) return unary("!", this.#unary());
    if (this.#take("-")) return unary("-", this.#unary());
    let node = this.#primary();
    for (;;) {
      if (this.#take("[")) {
        node = element(node, this.expression());
        this.expect("]");
      } else if (this.#take(".")) {
        const name = this.#name();
        node = this.#take("(") ? this.#method(node, name) : selection(node, name);
      } else return node;
    }
  }

  #primary(): Node {
    const token = this.#token();
    if (token.is === "string" || token.is === "int" || token.is === "double") {
      this.#next++;
      return literal(token.is, token.value);
    }
    if (this.#take("[")) return list(this.#items("]"));
    if (this.#take("(")) {
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    const name = this.#name();
    const word = words.get(name);
    if (word !== undefined) return literal(word === null ? "null" : "bool", word);
    if (!this.#take("(")) return this.#variable(name);
    const args = this.#items(")");
    return name === "has" ? presence(args) : call(name, args, false);
  }

  #variable(name: string): Node {
    const slot = this.#locals.findLastIndex((local) => local.name === name);
    const local = this.#locals[slot];
    if (local !== undefined) return { type: local.type, run: (frame) => frame.locals[slot] ?? null };
    if (name === "self") return { type: this.#self, run: (frame) => frame.self };
    if (name === "oldSelf") {
      this.usesOldSelf = true;
      return { type: this.#self, run: (frame) => frame.oldSelf };
    }
    if (types.has(name)) return { type: { is: "type" }, run: () => name };
    throw new CelSyntaxError(`undeclared reference to '${name}'`);
  }

  #method(on: Node, name: string): Node {
    const macro = macros.find((each) => each === name);
    if (macro === undefined) return call(name, [on, ...this.#items(")")], true);
    const type = memberType(on.type);
    if (type === undefined) throw new CelSyntaxError(`${name}() needs a list or a map, not ${typeName(on.type)}`);
    const slot = this.#locals.push({ name: this.#name(), type }) - 1;
    this.expect(",");
    const body = this.expression();
    this.expect(")");
    this.#locals.pop();
    return each(macro, on, type, slot, body);
  }

  /** Expressions up to a closing mark, which is taken too. */
  #items(close: string): readonly Node[] {
    const items: Node[] = [];
    while (!this.#take(close)) {
      if (items.length > 0) this.expect(",");
      items.push(this.expression());
    }
    return items;
  }

  #name(): string {
    const { is, text, at } = this.#token();
    if (is !== "name") throw new CelSyntaxError(`expected a name, found ${text} at character ${at + 1}`);
    this.#next++;
    return text;
  }

  #take(mark: string): boolean {
    const { is, text } = this.#token();
    const isThere = is !== "string" && text === mark;
    if (isThere) this.#next++;
    return isThere;
  }

  #token(): Token {
    return this.#tokens[this.#next] ?? { is: "end", text: "the end", at: 0 };
  }
}

function literal(is: "string" | "int" | "double" | "bool" | "null", value: Json): Node {
  return { type: { is }, run: () => value, literal: value };
}

function presence([field, ...more]: readonly Node[]): Node {
  if (field?.has === undefined || more.length > 0)
    throw new CelSyntaxError("has() takes one field selection, as has(self.a)");
  return { type: bool, run: field.has };
}
