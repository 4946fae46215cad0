// A compiled part of a CEL expression: its type, known before any object is seen, and the closure that computes it.
// The functions here put parts together and refuse those whose types do not fit.
import type { Json } from "../../../src/core/json/json.ts";
import {
  asText,
  CelError,
  fieldOf,
  isPresent,
  itemAt,
  itemsOf,
  operate,
  regexpOf,
  size,
  someHold,
  toInt,
  toText,
  truth,
  typeOf,
} from "./operators.ts";
import { CelSyntaxError } from "./tokens.ts";
import { agree, bool, type CelType, dyn, fieldType, int, memberType, string, typeName } from "./types.ts";

/** What a rule may look at while it runs; `locals` are the variables of macros, by depth. */
export type Frame = { readonly self: Json; readonly oldSelf: Json; readonly locals: Json[] };

export type Node = {
  readonly type: CelType;
  readonly run: (frame: Frame) => Json;
  /** Whether the field is there, for a selection. */
  readonly has?: (frame: Frame) => boolean;
  /** The value of a literal. */
  readonly literal?: Json;
};

export type Macro = "all" | "exists" | "exists_one" | "filter" | "map";

/** `from.field`. Names that are no CEL names are written with escapes: `a__dash__b`, `__namespace__`. */
export function selection(from: Node, escaped: string): Node {
  const marks: Readonly<Record<string, string>> = { dot: ".", dash: "-", slash: "/", underscores: "__" };
  const field = escaped.replaceAll(/__([^_]+)__/g, (_all, word: string) => marks[word] ?? word);
  const type = fieldType(from.type, field);
  if (type === undefined)
    throw new CelSyntaxError(`undefined field '${field}' (rules see only typed fields, and no times or bytes here)`);
  return {
    type,
    run: (frame) => fieldOf(from.run(frame), field),
    has: (frame) => isPresent(from.run(frame), field),
  };
}

/** `from[at]`. */
export function element(from: Node, at: Node): Node {
  const { type } = from;
  const [key, value] = type.is === "list" ? [int, type.item] : type.is === "map" ? [string, type.value] : [dyn, dyn];
  if (memberType(type) === undefined || !agree(at.type, key)) throw noOverload("_[_]", [from, at]);
  return { type: value, run: (frame) => itemAt(from.run(frame), at.run(frame)) };
}

/** `[a, b]`. */
export function list(items: readonly Node[]): Node {
  const item = items[0]?.type ?? dyn;
  if (!items.every(({ type }) => agree(type, item))) throw new CelSyntaxError("a list must hold values of one type");
  return { type: { is: "list", item }, run: (frame) => items.map(({ run }) => run(frame)) };
}

/** `condition ? yes : no`. */
export function choice(condition: Node, yes: Node, no: Node): Node {
  if (!agree(condition.type, bool) || !agree(yes.type, no.type)) throw noOverload("_?_:_", [condition, yes, no]);
  const type = yes.type.is === "dyn" || yes.type.is === "null" ? no.type : yes.type;
  return { type, run: (frame) => (truth(condition.run(frame)) ? yes.run(frame) : no.run(frame)) };
}

/** `!of` or `-of`. */
export function unary(op: "!" | "-", of: Node): Node {
  const isDouble = of.type.is === "double";
  if (op === "!" ? !agree(of.type, bool) : !isNumeric(of.type)) throw noOverload(`${op}_`, [of]);
  if (op === "!") return { type: bool, run: (frame) => !truth(of.run(frame)) };
  return { type: of.type, run: (frame) => operate("-", 0, of.run(frame), isDouble) };
}

/** `left op right`. */
export function binary(op: string, left: Node, right: Node): Node {
  const type = typeOfBinary(op, left.type, right.type);
  if (type === undefined) throw noOverload(`_${op}_`, [left, right]);
  // One side can decide alone, whatever the other does, even fail.
  if (op === "&&") return { type, run: (frame) => !someHold([left, right], (node) => !truth(node.run(frame))) };
  if (op === "||") return { type, run: (frame) => someHold([left, right], (node) => truth(node.run(frame))) };
  const isDouble = left.type.is === "double" || right.type.is === "double";
  return { type, run: (frame) => operate(op, left.run(frame), right.run(frame), isDouble) };
}

function typeOfBinary(op: string, left: CelType, right: CelType): CelType | undefined {
  const isNumbers = isNumeric(left) && isNumeric(right);
  const member = memberType(right);
  switch (op) {
    case "&&":
    case "||":
      return agree(left, bool) && agree(right, bool) ? bool : undefined;
    case "==":
    case "!=":
      return agree(left, right) ? bool : undefined;
    case "in":
      return member !== undefined && agree(left, member) ? bool : undefined;
    case "<":
    case "<=":
    case ">":
    case ">=":
      return isNumbers || (["string", "bool", "dyn"].includes(left.is) && agree(left, right)) ? bool : undefined;
  }
  if (!agree(left, right)) return undefined;
  if (op === "+" && (left.is === "string" || left.is === "list")) return left;
  if (!isNumbers || (op === "%" && (left.is === "double" || right.is === "double"))) return undefined;
  return left.is === "dyn" ? right : left;
}

/** `over.macro(variable, body)`, with the variable in the given slot of the frame. */
export function each(macro: Macro, over: Node, item: CelType, slot: number, body: Node): Node {
  if (macro !== "map" && !agree(body.type, bool)) throw noOverload(macro, [body]);
  const items = (frame: Frame) => itemsOf(over.run(frame));
  const run = (frame: Frame) => (value: Json) => {
    frame.locals[slot] = value;
    return body.run(frame);
  };
  const holds = (frame: Frame) => (value: Json) => truth(run(frame)(value));
  switch (macro) {
    case "map":
      return { type: { is: "list", item: body.type }, run: (frame) => items(frame).map(run(frame)) };
    case "filter":
      return { type: { is: "list", item }, run: (frame) => items(frame).filter(holds(frame)) };
    case "exists_one":
      return { type: bool, run: (frame) => items(frame).filter(holds(frame)).length === 1 };
    case "exists":
      return { type: bool, run: (frame) => someHold(items(frame), holds(frame)) };
    case "all":
      return { type: bool, run: (frame) => !someHold(items(frame), (value) => !holds(frame)(value)) };
  }
}

const scalars = ["int", "double", "string", "bool"];
const functions: ReadonlyMap<string, readonly [takes: readonly string[], type: CelType, run: (value: Json) => Json]> =
  new Map([
    ["size", [["string", "list", "map"], int, size]],
    ["string", [scalars, string, toText]],
    ["int", [["int", "double", "string"], int, toInt]],
    ["type", [[...scalars, "list", "map", "object", "null"], { is: "type" }, typeOf]],
  ]);

const textTests: ReadonlyMap<string, (text: string, part: string) => boolean> = new Map([
  ["startsWith", (text, part) => text.startsWith(part)],
  ["endsWith", (text, part) => text.endsWith(part)],
  ["contains", (text, part) => text.includes(part)],
  ["matches", (text, pattern) => regexpOf(pattern).program.test(text)],
]);

/** `name(args)`, or `first.name(rest)` when it is written as a method. */
export function call(name: string, args: readonly Node[], isMethod: boolean): Node {
  const [first, second] = args;
  const plain = functions.get(name);
  if (first !== undefined && args.length === 1 && plain !== undefined && (!isMethod || name === "size")) {
    const [takes, type, run] = plain;
    if (first.type.is !== "dyn" && !takes.includes(first.type.is)) throw noOverload(name, args);
    return { type, run: (frame) => run(first.run(frame)) };
  }
  const test = isMethod ? textTests.get(name) : undefined;
  if (first === undefined || second === undefined || args.length !== 2 || test === undefined)
    throw new CelSyntaxError(`the function ${name}() is unknown, or not part of the CEL that this server evaluates`);
  if (!args.every(({ type }) => agree(type, string))) throw noOverload(name, args);
  if (name === "matches" && typeof second.literal === "string") return fixedMatch(first, second.literal);
  return { type: bool, run: (frame) => test(asText(first.run(frame)), asText(second.run(frame))) };
}

/** A pattern that stands in the rule is compiled with it. */
function fixedMatch(text: Node, pattern: string): Node {
  try {
    const { program } = regexpOf(pattern);
    return { type: bool, run: (frame) => program.test(asText(text.run(frame))) };
  } catch (error) {
    throw error instanceof CelError ? new CelSyntaxError(error.message) : error;
  }
}

function isNumeric(type: CelType): boolean {
  return type.is === "int" || type.is === "double" || type.is === "dyn";
}

function noOverload(name: string, args: readonly Node[]): CelSyntaxError {
  const types = args.map(({ type }) => typeName(type)).join(", ");
  return new CelSyntaxError(`found no matching overload for '${name}' applied to '(${types})'`);
}
