// A JSON value as Go's debug printer would show it once decoded into typed structs: the text that Kubernetes hashes for
// pod templates. It names every field of every type, also the unset ones, so it needs the types of one release.

import { noteProblem, type Parsed, type Problem } from "../decision/problem.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { sortedByUtf8 } from "../json/utf8-order.ts";
import { parseQuantity } from "../values/quantity.ts";
import { quoted } from "../values/shown.ts";

export type GoField = {
  readonly name: string;
  /** Empty for an embedded struct, whose members stand in the parent's JSON object. */
  readonly json: string;
  readonly type: string;
};

/** The Go types of one release; types are written as in Go: `*v1.Probe`, `[]v1.Container`, `map[string]string`. */
export type GoLayout = {
  /** Fields of each struct in the order of their declaration. */
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** Other named types and what they stand for: `v1.Protocol` is a `string`. */
  readonly named: ReadonlyMap<string, string>;
};

type Dump = { readonly layout: GoLayout; readonly problems: Problem[] };

const zeroTime = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";
const integerRanges: ReadonlyMap<string, bigint> = new Map([
  ["int32", 2n ** 31n],
  ["int64", 2n ** 63n],
]);

/** Writes a value of the named Go type; what Go could not decode, or cannot print alike everywhere, is a problem. */
export function goDump(layout: GoLayout, type: string, value: Json): Parsed<string> {
  const problems: Problem[] = [];
  const text = `(${type})${valueText({ layout, problems }, type, value, "")}`;
  return problems.length === 0 ? { ok: true, value: text } : { ok: false, problems };
}

/** The value without its type. JSON null and an absent member are the zero value of the type. */
function valueText(dump: Dump, type: string, value: Json | undefined, path: string): string {
  const given = value ?? undefined;
  if (type.startsWith("*")) return given === undefined ? "<nil>" : valueText(dump, type.slice(1), given, path);
  if (type.startsWith("[]")) return listText(dump, type.slice(2), given, path);
  if (type.startsWith("map[")) return mapText(dump, type.slice(type.indexOf("]") + 1), given, path);
  const fields = dump.layout.structs.get(type);
  if (fields !== undefined) return structText(dump, fields, given, path);
  const underlying = dump.layout.named.get(type);
  return underlying === undefined ? plainText(dump, type, given, path) : valueText(dump, underlying, given, path);
}

function structText(dump: Dump, fields: readonly GoField[], value: Json | undefined, path: string): string {
  const members = value === undefined ? {} : objectOf(dump, value, path);
  const texts = fields.map(({ name, json, type }) => {
    const isEmbedded = json === "";
    const member = isEmbedded ? members : members[json];
    return `${name}:(${type})${valueText(dump, type, member, isEmbedded ? path : `${path}.${json}`)}`;
  });
  return `{${texts.join(" ")}}`;
}

function listText(dump: Dump, elementType: string, value: Json | undefined, path: string): string {
  if (value === undefined) return "<nil>";
  if (!isJsonList(value)) return fault(dump, path, `must be a list, not ${quoted(value)}`);
  return `[${value.map((item, index) => valueText(dump, elementType, item, `${path}[${index}]`)).join(" ")}]`;
}

function mapText(dump: Dump, elementType: string, value: Json | undefined, path: string): string {
  if (value === undefined) return "<nil>";
  const members = objectOf(dump, value, path);
  const texts = sortedByUtf8(Object.keys(members)).map(
    (key) => `${key}:${valueText(dump, elementType, members[key], `${path}[${quoted(key)}]`)}`,
  );
  return `map[${texts.join(" ")}]`;
}

function plainText(dump: Dump, type: string, value: Json | undefined, path: string): string {
  switch (type) {
    case "string":
      return typeof value === "string" || value === undefined ? (value ?? "") : fault(dump, path, "must be a text");
    case "bool":
      return typeof value === "boolean" || value === undefined
        ? `${value ?? false}`
        : fault(dump, path, "must be true or false");
    case "int32":
    case "int64":
      return integerText(dump, type, value ?? 0, path);
    case "intstr.IntOrString":
      return intOrStringText(dump, value ?? 0, path);
    case "resource.Quantity":
      return quantityDump(dump, value, path);
    case "v1.Time":
      return value === undefined ? zeroTime : fault(dump, path, "must be left out: a moment has no stable text in Go");
    default:
      return fault(dump, path, `is of type ${type}, which has no stable text; leave it out`);
  }
}

function integerText(dump: Dump, type: "int32" | "int64", value: Json, path: string): string {
  const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
  const limit = integerRanges.get(type) ?? 0n;
  if (isWhole && BigInt(value) >= -limit && BigInt(value) < limit) return `${BigInt(value)}`;
  return fault(dump, path, `must be a whole number of type ${type}, not ${quoted(value)}`);
}

function intOrStringText(dump: Dump, value: Json, path: string): string {
  if (typeof value === "string") return `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`;
  return `{Type:(intstr.Type)0 IntVal:(int32)${integerText(dump, "int32", value, path)} StrVal:(string)}`;
}

function quantityDump(dump: Dump, value: Json | undefined, path: string): string {
  if (value === undefined) return quantityText("0", 0, "", "");
  const isNumber = typeof value === "number" || typeof value === "bigint";
  if (!isNumber && typeof value !== "string") return fault(dump, path, `must be a quantity, not ${quoted(value)}`);
  // A bare number is read by its text, and blanks around a quantity are ignored.
  const parsed = parseQuantity(`${value}`.trim(), path);
  if (!parsed.ok) return fault(dump, path, parsed.problems[0]?.message ?? "must be a quantity");
  const { mantissa, exponent, written, format, isInt64 } = parsed.value;
  if (!isInt64)
    return fault(dump, path, `must be written canonically: ${quoted(value)} has too many digits to be dumped alike`);
  return quantityText(`${mantissa}`, exponent, written, format);
}

function quantityText(value: string, scale: number, written: string, format: string): string {
  const amount = `i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}}`;
  return `{${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${written} Format:(resource.Format)${format}}`;
}

function objectOf(dump: Dump, value: Json, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  fault(dump, path, `must be an object, not ${quoted(value)}`);
  return {};
}

function fault(dump: Dump, path: string, message: string): string {
  noteProblem(dump.problems, path, message);
  return "";
}
