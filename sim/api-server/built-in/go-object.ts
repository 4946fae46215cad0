// Reading an object as the real server reads its own kinds: into Go structs and back. Unknown fields go, zero values that
// Go leaves out go, what Go always writes comes, defaults are filled in, and quantities and times get their one spelling.
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../../src/core/json/json.ts";
import { ownValue } from "../../../src/core/strategic-merge/draft.ts";
import { parseQuantity } from "../../../src/core/values/quantity.ts";
import { quantityText } from "../../../src/core/values/quantity-text.ts";
import { pathText } from "../faults/path-text.ts";
import { changeItems, changeValues } from "../patch/change-json.ts";
import type { Decoded } from "../resource-type.ts";
import { goTime, TimeError } from "./go-time.ts";
import { type GoField, type GoStruct, type GoType, goName, type Scalar, text } from "./go-type.ts";

class DecodeError extends Error {}

/** Where the decoder is. */
type Walk = {
  struct: string;
  /** Names of fields and indexes of items. */
  readonly steps: (string | number)[];
  readonly unknown: string[];
};

const INT32_MAX = 2 ** 31;
const noItems: JsonList = [];
const noFields: JsonObject = {};

/** The object as Go would give it back, or the decoder's complaint; what it shares with one read before is taken as it is. */
export function decodeObject(type: GoType, sent: JsonObject, known?: JsonObject): Decoded {
  const unknown: string[] = [];
  try {
    const value = decode(type, sent, known, { struct: "", steps: [], unknown });
    return isJsonObject(value) ? { ok: true, value, unknown } : { ok: false, because: "the object is no object" };
  } catch (error) {
    if (error instanceof DecodeError || error instanceof TimeError) return { ok: false, because: error.message };
    throw error;
  }
}

/** `known` is what stood in the value's place when it was read before; reading it again would change nothing. */
function decode(type: GoType, value: Json, known: Json | undefined, walk: Walk): Json {
  if (value === known) return value;
  switch (type.is) {
    case "any":
      return value;
    case "scalar":
      return decodeScalar(type, type.of, value, walk);
    case "list":
      if (!isJsonList(value)) throw mismatch(type, value, walk);
      return decodeList(type.item, value, known, walk);
    case "map":
      if (!isJsonObject(value)) throw mismatch(type, value, walk);
      return decodeMap(type.value, value, known, walk);
    case "struct":
      if (!isJsonObject(value)) throw mismatch(type, value, walk);
      return decodeStruct(type, value, known, walk);
  }
}

function decodeList(type: GoType, list: JsonList, known: Json | undefined, walk: Walk): JsonList {
  const before = isJsonList(known) ? known : noItems;
  return changeItems(list, (item, index) => {
    walk.steps.push(index);
    const decoded = item === null ? zeroInList(type, walk) : decode(type, item, before[index], walk);
    walk.steps.pop();
    return decoded;
  });
}

function decodeMap(type: GoType, map: JsonObject, known: Json | undefined, walk: Walk): JsonObject {
  const before = isJsonObject(known) ? known : noFields;
  return changeValues(map, (value, key) =>
    value === null ? zeroInMap(type) : decode(type, value, ownValue(before, key), walk),
  );
}

function zeroInList(type: GoType, walk: Walk): Json {
  return type.is === "struct" ? decodeStruct(type, noFields, undefined, walk) : (zeroInMap(type) ?? null);
}

/** No bytes are stored as none, and read again as the empty text. */
function zeroInMap(type: GoType): Json | undefined {
  return type.is === "scalar" && (type.of === "string" || type.of === "bytes") ? "" : undefined;
}

function decodeStruct(type: GoStruct, object: JsonObject, before: Json | undefined, walk: Walk): JsonObject {
  const { struct: outer } = walk;
  const known = isJsonObject(before) ? before : noFields;
  walk.struct = type.name;
  const read = changeValues(object, (value, key) => {
    const field = type.fields.get(key);
    const isText = field?.type === text && typeof value === "string" && value !== "";
    if (isText || value === ownValue(known, key)) return value;
    walk.steps.push(key);
    const decoded =
      field === undefined
        ? void walk.unknown.push(pathText(walk.steps))
        : decodeField(field, value, ownValue(known, key), walk);
    walk.steps.pop();
    return decoded;
  });
  walk.struct = outer;
  return read === object && isWhole(type, object) ? object : inFieldOrder(type, read);
}

function isWhole({ written }: GoStruct, object: JsonObject): boolean {
  for (const key of written) if (!Object.hasOwn(object, key)) return false;
  return true;
}

function decodeField(
  { type, keepsZero, absent }: GoField,
  value: Json,
  known: Json | undefined,
  walk: Walk,
): Json | undefined {
  if (value === null) return absent;
  const decoded = decode(type, value, known, walk);
  // What is empty is nothing once it has been stored.
  const isKept = keepsZero && type.is !== "list" && type.is !== "map";
  return isKept || !isZero(decoded) ? decoded : absent;
}

function isZero(value: Json): boolean {
  if (typeof value === "object" && value !== null) {
    for (const _ in value) return false;
    return true;
  }
  return value === "" || value === 0 || value === false || value === null;
}

/** Fields come in the order of the Go struct, which is the order of the real server's answers. */
function inFieldOrder(type: GoStruct, object: JsonObject): JsonObject {
  const ordered: Record<string, Json> = {};
  for (const [key, { absent }] of type.fields) {
    const value = Object.hasOwn(object, key) ? object[key] : absent;
    if (value !== undefined) ordered[key] = value;
  }
  return ordered;
}

function decodeScalar(type: GoType, of: Scalar, value: Json, walk: Walk): Json {
  switch (of) {
    case "bytes":
      // Bytes may be written as numbers, too; none of them are.
      if (isJsonList(value) && value.length === 0) return "";
      if (typeof value !== "string") throw mismatch({ is: "scalar", of: "string" }, value, walk);
      return decodeBytes(value);
    case "string":
    case "bool":
      if (typeof value === (of === "bool" ? "boolean" : "string")) return value;
      throw mismatch(type, value, walk);
    case "int32":
    case "int64":
    case "float64":
      if (isOfKind(of, value)) return value;
      throw mismatch(type, value, walk);
    case "int-or-string":
      if (typeof value === "string" || isOfKind("int32", value)) return value;
      throw mismatch({ is: "scalar", of: "int32" }, value, walk);
    case "quantity":
      return decodeQuantity(value);
    case "time":
    case "micro-time":
      if (typeof value !== "string")
        throw new DecodeError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type string`);
      return goTime(value, of === "micro-time");
  }
}

function isOfKind(kind: "int32" | "int64" | "float64", value: Json): boolean {
  if (typeof value === "bigint") return kind === "int64";
  if (typeof value !== "number") return false;
  return (
    kind === "float64" || (Number.isInteger(value) && (kind === "int64" || (value >= -INT32_MAX && value < INT32_MAX)))
  );
}

function decodeQuantity(value: Json): Json {
  const parsed = parseQuantity(typeof value === "number" ? String(value) : typeof value === "string" ? value : "");
  if (parsed.ok) return quantityText(parsed.value);
  throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

/** Bytes stay as they are written, if they are; the decoder names the first character that is wrong, or the last group. */
function decodeBytes(text: string): string {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return text;
  const odd = text.search(/[^A-Za-z0-9+/=]/);
  throw new DecodeError(`illegal base64 data at input byte ${odd < 0 ? text.length - (text.length % 4) : odd}`);
}

/** Go's messages name fields without the indexes on the way. */
function mismatch(type: GoType, value: Json, { struct, steps }: Walk): DecodeError {
  const isFittingKind = type.is === "scalar" && type.of.startsWith("int") && typeof value === "number";
  const kind = isFittingKind ? `number ${value}` : jsonKind(value);
  const path = steps.filter((step) => typeof step === "string").join(".");
  const field = `${struct.split(".").at(-1)}.${path}`;
  return new DecodeError(`json: cannot unmarshal ${kind} into Go struct field ${field} of type ${goName(type)}`);
}

function jsonKind(value: Json): string {
  if (isJsonList(value)) return "array";
  if (typeof value === "object") return "object";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}
