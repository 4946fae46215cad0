// Reads an object that kubectl sends as protobuf. The envelope is the real server's: four bytes, then a message with the type
// of the object and the object itself. A field that is not in our tables is passed over when it says nothing, and named otherwise.
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { type Field, messages } from "./messages.ts";
import { type WireField, wireFields } from "./wire-fields.ts";

const magic = [0x6b, 0x38, 0x73, 0x00];
/** Deeper than any message of the tables. */
const DEPTH_MAX = 32;

export type ReadProtobuf =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly because: string };

const decoder = new TextDecoder();

/** Thrown inside this file alone, to leave all levels of a message at once. */
class Unreadable extends Error {}

/** The object in an envelope, or why it cannot be read. */
export function readProtobuf(bytes: Uint8Array): ReadProtobuf {
  if (!magic.every((byte, at) => bytes[at] === byte)) return { ok: false, because: "it does not begin with k8s" };
  try {
    const { typeMeta, raw } = envelope(bytes.subarray(magic.length));
    const { 1: apiVersion = "", 2: kind = "" } = texts(typeMeta);
    return { ok: true, value: { apiVersion, kind, ...message(raw, kind, kind, 0) } };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, because: error.message };
    throw error;
  }
}

function envelope(bytes: Uint8Array): { readonly typeMeta: Uint8Array; readonly raw: Uint8Array } {
  const fields = fieldsOf(bytes, "the envelope");
  const run = (number: number) => {
    const found = fields.find((field) => field.number === number)?.value;
    return found instanceof Uint8Array ? found : new Uint8Array();
  };
  return { typeMeta: run(1), raw: run(2) };
}

function texts(bytes: Uint8Array): Readonly<Record<number, string>> {
  const found = fieldsOf(bytes, "its type").map(({ number, value }) => [number, textOf(value)] as const);
  return Object.fromEntries(found);
}

function fieldsOf(bytes: Uint8Array, where: string): readonly WireField[] {
  const fields = wireFields(bytes);
  if (fields === undefined) throw new Unreadable(`${where} is no protobuf message`);
  return fields;
}

function message(bytes: Uint8Array, name: string, path: string, depth: number): JsonObject {
  const known = Object.hasOwn(messages, name) ? messages[name] : undefined;
  if (known === undefined || depth > DEPTH_MAX) throw new Unreadable(`this server reads no ${name} in protobuf`);
  const found: Record<string, Json> = {};
  for (const { number, value } of fieldsOf(bytes, path)) {
    const field = known[number];
    if (field !== undefined) put(found, field, value, { path: `${path}.${field[0]}`, depth });
    else if (!isEmpty(value)) throw new Unreadable(`this server reads no field ${number} of ${path} in protobuf`);
  }
  return found;
}

type Place = { readonly path: string; readonly depth: number };

function put(found: Record<string, Json>, [name, form, many]: Field, value: bigint | Uint8Array, place: Place): void {
  const before = found[name];
  if (many === "map") {
    const entry = fieldsOf(value instanceof Uint8Array ? value : new Uint8Array(), place.path);
    const [key, inner] = [1, 2].map((number) => entry.find((field) => field.number === number)?.value);
    const put = { [textOf(key)]: single(inner ?? new Uint8Array(), form, place) ?? "" };
    found[name] = { ...(typeof before === "object" && !Array.isArray(before) ? before : {}), ...put };
    return;
  }
  const read = single(value, form, place);
  if (many === "list") found[name] = [...(Array.isArray(before) ? before : []), read ?? ""];
  else if (read !== undefined) found[name] = read;
}

/** A value in its form; undefined when it says nothing. */
function single(value: bigint | Uint8Array, form: string, { path, depth }: Place): Json | undefined {
  const bytes = value instanceof Uint8Array ? value : new Uint8Array();
  switch (form) {
    case "text":
      return textOf(value) || undefined;
    case "bytes":
      return Buffer.from(bytes).toString("base64");
    case "yes":
      return value === 1n;
    case "number":
      return numberOf(value) || undefined;
    case "count":
      return numberOf(value);
    case "Quantity":
      return texts(bytes)[1] ?? "0";
    case "IntOrString":
      return intOrText(bytes, path);
    default: {
      const inner = message(bytes, form, path, depth + 1);
      return Object.keys(inner).length === 0 ? undefined : inner;
    }
  }
}

/** A number or a text, as the first field tells. */
function intOrText(bytes: Uint8Array, path: string): Json {
  const fields = new Map(fieldsOf(bytes, path).map(({ number, value }) => [number, value]));
  return fields.get(1) === 1n ? textOf(fields.get(3)) : numberOf(fields.get(2) ?? 0n);
}

function textOf(value: bigint | Uint8Array | undefined): string {
  return value instanceof Uint8Array ? decoder.decode(value) : "";
}

/** Numbers below zero are written as 64 bits. */
function numberOf(value: bigint | Uint8Array): number {
  return typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;
}

function isEmpty(value: bigint | Uint8Array): boolean {
  if (typeof value === "bigint") return value === 0n;
  // A message whose fields all say nothing says nothing.
  return value.length === 0 || (wireFields(value)?.every((field) => isEmpty(field.value)) ?? false);
}
