// A text that somebody keeps in a ConfigMap for us to use, such as a Dockerfile.
import { isJsonObject, type JsonObject } from "../json/json.ts";
import { quoted } from "../values/shown.ts";
import type { ConfigText } from "./snapshot.ts";

/** It travels in an annotation, and all annotations of an object together may have 256 KiB. */
export const CONFIG_TEXT_BYTES_MAX = 200_000;

/** What a ConfigMap of whatever shape has under the key; never throws. */
export function textIn({ data, binaryData, metadata }: JsonObject, key: string): ConfigText {
  const name = isJsonObject(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  const absent = (fault: string): ConfigText => ({ is: "absent", because: `ConfigMap ${quoted(name)} ${fault}` });
  const text = isJsonObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof text !== "string") {
    const isBinary = isJsonObject(binaryData) && Object.hasOwn(binaryData, key);
    return absent(isBinary ? `has ${key} as binaryData; write it as data` : `has nothing under the key ${key}; add it`);
  }
  if (text.trim() === "") return absent(`has an empty ${key}; fill it in`);
  // Every character has one byte at least, so whatever is longer need not be counted.
  const bytes = text.length > CONFIG_TEXT_BYTES_MAX ? text.length : new TextEncoder().encode(text).byteLength;
  if (bytes > CONFIG_TEXT_BYTES_MAX)
    return absent(`has ${bytes} bytes of ${key}; at most ${CONFIG_TEXT_BYTES_MAX} can be used`);
  return { is: "present", text };
}
