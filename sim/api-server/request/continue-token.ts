// Where the next page of a list begins: the version of the first page and the key behind its last object, in the form of the
// real server's tokens.
import { isJsonObject } from "../../../src/core/json/json.ts";
import { badRequest } from "../faults/status.ts";
import { goQuoted, readJson } from "./json-body.ts";

export type Position = {
  /** The version of all pages; -1 for a list that goes on at whatever is current. */
  readonly revision: number;
  /** The key to begin with. */
  readonly start: string;
};

/** Keys in tokens are relative to the prefix of the list, and end in a byte below all others: "behind this key". */
export function printPosition({ revision, start }: Position): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** The position behind a key. */
export function behind(key: string): string {
  return `${key}\u0000`;
}

/** Reads a token; refuses one that this server cannot have made. */
export function readPosition(token: string): Position {
  if (/[^A-Za-z0-9_-]/.test(token)) {
    const at = token.search(/[^A-Za-z0-9_-]/);
    throw invalidToken(`illegal base64 data at input byte ${at}`);
  }
  const bytes = Buffer.from(token, "base64url");
  const first = bytes[0] ?? 0;
  if (first > 0x7f)
    throw invalidToken(`invalid character ${goQuoted(String.fromCharCode(first))} looking for beginning of value`);
  const read = readJson(bytes.toString());
  if (!read.ok) throw invalidToken(read.because);
  const { v, rv, start } = isJsonObject(read.value) ? read.value : {};
  if (v !== "meta.k8s.io/v1" || typeof rv !== "number" || typeof start !== "string")
    throw invalidToken("server does not recognize this encoded version");
  return { revision: rv, start };
}

function invalidToken(because: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${because}`);
}
