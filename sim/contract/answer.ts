// An answer as the contract compares it: what depends on the run (versions, identities, times, random names) is replaced
// by its rank or by a word, and everything else stays as the server wrote it.
import type { Json } from "../../src/core/json/json.ts";
import { parseJson } from "../../src/kube/wire/json-text.ts";
import { valueAt } from "./marks.ts";

export type Answer =
  | { readonly status: number; readonly body: Json }
  | { readonly status: number; readonly events: readonly Json[] };

const TEXT_MAX = 600;
const uidPattern = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Versions that the server writes into its messages. */
const versionInText = /((?:current: |precondition \(|record \(|"resourceVersion\\?":\\?"))\d+/g;

/** Replaces what differs from run to run. One per scenario, so that ranks hold across its answers. */
export class Normaliser {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Set<string>();

  /** A body with everything that depends on the run replaced. */
  normalise(body: unknown): Json {
    return this.#value(body, undefined);
  }

  /** Versions are compared by equality only: which earlier answer had the same one. */
  #version(version: string): string {
    if (version === "" || version === "0") return version;
    this.#versions.add(version);
    return `version#${[...this.#versions].indexOf(version) + 1}`;
  }

  #value(value: unknown, key: string | undefined): Json {
    if (typeof value === "string") return this.#text(value, key);
    if (typeof value === "bigint") return `integer ${value}`;
    if (value === null || typeof value === "number" || typeof value === "boolean") return value;
    if (Array.isArray(value))
      return inOrder(
        value.map((item) => this.#value(item, undefined)),
        key,
      );
    if (typeof value !== "object" || value === null) return null;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== "remainingItemCount")
        .map(([name, item]) => [this.#text(name, undefined), this.#value(item, name)]),
    );
  }

  #text(text: string, key: string | undefined): string {
    if (key === "resourceVersion") return this.#version(text);
    if (key === "continue") return text === "" ? "" : "<position>";
    const plain = text
      .replace(uidPattern, (uid) => this.#uid(uid))
      .replace(timePattern, "<time>")
      .replace(versionInText, "$1<version>")
      .replace(/\b127\.0\.0\.1:\d+\b/g, "<server>");
    return plain.length <= TEXT_MAX ? plain : `${plain.slice(0, TEXT_MAX)}… (${plain.length} characters)`;
  }

  #uid(uid: string): string {
    const known = this.#uids.get(uid) ?? `uid#${this.#uids.size + 1}`;
    this.#uids.set(uid, known);
    return known;
  }
}

/** Causes come in the order of a Go map, managed fields in that of whole seconds; other lists are as they are. */
function inOrder(items: readonly Json[], key: string | undefined): readonly Json[] {
  if (key !== "causes" && key !== "managedFields") return items;
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}

/** A body of bytes as a value; text that is not JSON stays text. */
export function readBody(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** A normalised body without the fields that may differ between servers. */
export function withoutPaths(body: Json, paths: readonly string[]): Json {
  return paths.reduce((rest, path) => removeAt(rest, path.split(".")), body);
}

function removeAt(value: Json, [step, ...below]: readonly string[]): Json {
  if (step === undefined || typeof value !== "object" || value === null) return value;
  if (step === "*" && Array.isArray(value)) return value.map((item: Json) => removeAt(item, below));
  if (Array.isArray(value) || valueAt(value, step) === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]): [string, Json][] => {
      if (key !== step) return [[key, item]];
      return below.length === 0 ? [] : [[key, removeAt(item, below)]];
    }),
  );
}
