// What may be in a config map or a secret: keys that can be the names of files, and no more than a mebibyte of it.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { objectAt } from "../api-object.ts";
import { type FieldError, invalidValue, tooLongValue } from "../faults/field-error.ts";

/** Of all values together, as the real server counts them. */
export const ENTRY_BYTES_MAX = 1024 * 1024;

const keyText = /^[-._a-zA-Z0-9]+$/;
const KEY_MAX = 253;
const keyWords =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** What is wrong with the entries of a config map. */
export function mapEntryFaults(map: JsonObject): readonly FieldError[] {
  const [plain, binary] = [objectAt(map, "data"), objectAt(map, "binaryData")];
  const twice = Object.keys(plain).filter((key) => Object.hasOwn(binary, key));
  const size = sizeOf(plain, textBytes) + sizeOf(binary, encodedBytes);
  return [
    ...keyFaults("data", plain),
    ...twice.map((key) => invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")),
    ...keyFaults("binaryData", binary),
    // The real server names no field for this.
    ...(size > ENTRY_BYTES_MAX ? [tooLongValue("[]", ENTRY_BYTES_MAX)] : []),
  ];
}

/** What is wrong with the entries of a secret. */
export function secretEntryFaults(secret: JsonObject): readonly FieldError[] {
  const entries = objectAt(secret, "data");
  const isTooLong = sizeOf(entries, encodedBytes) > ENTRY_BYTES_MAX;
  return [...keyFaults("data", entries), ...(isTooLong ? [tooLongValue("data", ENTRY_BYTES_MAX)] : [])];
}

function keyFaults(field: string, entries: JsonObject): readonly FieldError[] {
  return Object.keys(entries).flatMap((key) =>
    keyFaultsOf(key).map((words) => invalidValue(`${field}[${key}]`, key, words)),
  );
}

/** Why a text cannot be the key of an entry. */
export function keyFaultsOf(key: string): readonly string[] {
  return [
    ...(key.length > KEY_MAX ? [`must be no more than ${KEY_MAX} characters`] : []),
    ...(keyText.test(key) ? [] : [keyWords]),
    ...dotFaults(key),
  ];
}

/** Names that mean another folder. */
function dotFaults(key: string): readonly string[] {
  if (key === "." || key === "..") return [`must not be '${key}'`];
  return key.startsWith("..") ? ["must not start with '..'"] : [];
}

function sizeOf(entries: JsonObject, bytesOf: (text: string) => number): number {
  return Object.values(entries).reduce<number>((sum, value) => sum + bytesOf(String(value)), 0);
}

function textBytes(text: string): number {
  return Buffer.byteLength(text);
}

function encodedBytes(text: string): number {
  return Buffer.byteLength(text, "base64");
}
