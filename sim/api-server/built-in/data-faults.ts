// What may be in a config map or a secret: keys that can be the names of files, and no more than a mebibyte of it.
import type { JsonObject } from "../../../src/core/json.ts";
import { objectAt } from "../api-object.ts";
import { type FieldError, invalidValue, tooLongValue } from "../field-error.ts";

/** Of all values together, as the real server counts them. */
export const DATA_BYTES_MAX = 1024 * 1024;

const keyText = /^[-._a-zA-Z0-9]+$/;
const KEY_MAX = 253;
const keyWords =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** What is wrong with the data of a config map. */
export function mapDataFaults(map: JsonObject): readonly FieldError[] {
  const [data, binary] = [objectAt(map, "data"), objectAt(map, "binaryData")];
  const size = sizeOf(data, textBytes) + sizeOf(binary, encodedBytes);
  return [
    ...keyFaults("data", data),
    ...keyFaults("binaryData", binary),
    // The real server names no field for this.
    ...(size > DATA_BYTES_MAX ? [tooLongValue("[]", DATA_BYTES_MAX)] : []),
  ];
}

/** What is wrong with the data of a secret. */
export function secretDataFaults(secret: JsonObject): readonly FieldError[] {
  const data = objectAt(secret, "data");
  const isTooLong = sizeOf(data, encodedBytes) > DATA_BYTES_MAX;
  return [...keyFaults("data", data), ...(isTooLong ? [tooLongValue("data", DATA_BYTES_MAX)] : [])];
}

function keyFaults(field: string, data: JsonObject): readonly FieldError[] {
  return Object.keys(data).flatMap((key) =>
    keyFaultsOf(key).map((words) => invalidValue(`${field}[${key}]`, key, words)),
  );
}

function keyFaultsOf(key: string): readonly string[] {
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

function sizeOf(data: JsonObject, bytesOf: (text: string) => number): number {
  return Object.values(data).reduce<number>((sum, value) => sum + bytesOf(String(value)), 0);
}

function textBytes(text: string): number {
  return Buffer.byteLength(text);
}

function encodedBytes(text: string): number {
  return Buffer.byteLength(text, "base64");
}
