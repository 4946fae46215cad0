// The JSONPath of printer columns, as client-go evaluates it: fields, quoted keys, indexes, slices, wildcards and filters that
// compare one value with a literal. Recursive descent (`..`) and unions are not evaluated here: such a column cannot be read.
import { isJsonList, isJsonObject, type Json } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";

type Literal = string | number | boolean | null;
type Comparison = (typeof comparisons)[number];

type Step =
  | { readonly take: "field"; readonly name: string }
  | { readonly take: "all" }
  | { readonly take: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly take: "where"; readonly path: JsonPath; readonly is: Comparison | "exists"; readonly literal: Literal };

export type JsonPath = readonly Step[];

const comparisons = ["==", "!=", "<=", ">=", "<", ">"] as const;

/** One step at the beginning of a text: a field, a quoted key, a filter, or what stands in brackets. */
const stepForms =
  /^(?:\.(?<field>(?:\\.|[^.[\]\\])+)|\.?\['(?<quoted>[^']*)'\]|\.?\["(?<doubled>[^"]*)"\]|\[\?\((?<filter>(?:"[^"]*"|'[^']*'|[^)"'])+)\)\]|\[(?<range>\*|-?[0-9]*:-?[0-9]*|-?[0-9]+)\])/;
const filterForm = /^\s*@(?<path>.*?)\s*(?:(?<is>==|!=|<=|>=|<|>)\s*(?<literal>.+?))?\s*$/;

/** Reads a path such as `.status.conditions[?(@.type=="Ready")].status`; undefined for one that cannot be read. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  for (let rest = text === "." ? "" : text; rest !== ""; ) {
    const found = stepForms.exec(rest);
    const taken = found === null ? undefined : stepsOf(found.groups ?? {});
    if (found === null || taken === undefined) return undefined;
    steps.push(...taken);
    rest = rest.slice(found[0].length);
  }
  return steps;
}

function stepsOf(found: Readonly<Record<string, string | undefined>>): JsonPath | undefined {
  const { field, quoted = found.doubled, filter, range } = found;
  // A quoted key is read like a field, dots and all; who means a dot writes a backslash before it here too.
  if (quoted !== undefined) return parseJsonPath(`.${quoted}`);
  if (field === "*" || range === "*") return [{ take: "all" }];
  if (field !== undefined) return [{ take: "field", name: field.replaceAll(/\\(.)/g, "$1") }];
  const step = filter === undefined ? sliceOf(range ?? "") : filterOf(filter);
  return step && [step];
}

function sliceOf(range: string): Step {
  const at = (text: string | undefined) => (text === undefined || text === "" ? undefined : Number(text));
  const [from, to] = range.split(":");
  if (range.includes(":")) return { take: "slice", from: at(from), to: at(to) };
  const index = Number(range);
  return { take: "slice", from: index, to: index === -1 ? undefined : index + 1 };
}

function filterOf(text: string): Step | undefined {
  const { path: at = "", is, literal } = filterForm.exec(text)?.groups ?? {};
  const path = parseJsonPath(at);
  if (path === undefined || at === "") return undefined;
  const comparison = comparisons.find((each) => each === is);
  if (comparison === undefined || literal === undefined) return { take: "where", path, is: "exists", literal: null };
  const value = literalOf(literal);
  return value === undefined ? undefined : { take: "where", path, is: comparison, literal: value };
}

function literalOf(text: string): Literal | undefined {
  const quoted = /^(?:"([^"]*)"|'([^']*)')$/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? "";
  if (text === "true" || text === "false") return text === "true";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

/** All values at a path, in order; none where something on the way is missing. */
export function valuesAt(value: Json, path: JsonPath): readonly Json[] {
  return path.reduce<readonly Json[]>((values, step) => values.flatMap((each) => taken(each, step)), [value]);
}

function taken(value: Json, step: Step): readonly Json[] {
  const items = isJsonList(value) ? value : [];
  switch (step.take) {
    case "field": {
      const found = isJsonObject(value) ? ownValue(value, step.name) : undefined;
      return found === undefined ? [] : [found];
    }
    case "all":
      return isJsonObject(value) ? Object.values(value) : items;
    case "slice":
      return items.slice(step.from, step.to);
    case "where":
      return items.filter((item) => holds(valuesAt(item, step.path), step.is, step.literal));
  }
}

function holds([left, ...more]: readonly Json[], is: Comparison | "exists", right: Literal): boolean {
  if (left === undefined || is === "exists") return left !== undefined;
  // The real server compares one element at a time, and only those of one type.
  if (more.length > 0 || typeof left !== typeof right || left === null || right === null) return false;
  switch (is) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}
