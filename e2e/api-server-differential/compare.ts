// When two answers are the same: versions and identities by rank, times masked, and what no server promises left out. Every
// difference that is let pass has a name and a reason here; docs/quirks/embedded-api-server.md tells users of them.
import { Normaliser } from "../../sim/contract/answer.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { Said } from "./player.ts";

/** One server's answers in a form that can be compared; ranks hold across an episode. */
export class Comparable {
  readonly #normaliser = new Normaliser();

  /** An answer without what differs from run to run. */
  answer({ status, warning, body }: Said): JsonObject {
    return { status, warning: this.#plain(promisedWarnings(warning)), body: this.#plain(body) };
  }

  /** An event of a watch. */
  event(event: Json): Json {
    return this.#plain(event);
  }

  #plain(value: Json): Json {
    return this.#normaliser.normalise(stable(value));
  }
}

/** What is let pass, by name. */
export const allowances = {
  "quoted document":
    "a refused patch quotes the whole document and the first field that cannot be read; both follow the order of a Go map",
  "quoted value": "a refused change of an immutable part quotes it as Go holds it in memory",
  "first fault": "of several faults of an applied configuration, a Go map decides which are told",
  "repeated cause": "the real server checks metadata two to four times, depending on the kind, and says so each time",
  advice:
    "warnings about odd but legal content of pods are advice; warnings about unknown and repeated fields are kept",
} as const;

const quotedDocument = /(patch: )?Invalid value: "(?:\{|map\[)(?:[^"\\]|\\.)*": .*$/s;
const quotedValue = /Invalid value: [[{].*[\]}](: .*(?:immutable|may not (?:change|be)|Only one reference).*)$/s;

/** The pod before and after a change that is not allowed, line by line. */
const podDiff = /(pod updates may not change fields other than [^\n]*)\n.*$/s;
const noLabels = /Invalid value: (?:null|\{\})(: `selector` does not match)/;

const typedFaults = /(failed to create typed patch object \([^)]*\): ).*$/s;

function withoutQuotes(text: string): string {
  return text
    .replace(typedFaults, "$1<its faults>")
    .replace(podDiff, "$1 <the change>")
    .replace(noLabels, "<a value>$1")
    .replace(quotedDocument, "<a document that cannot be read>")
    .replace(quotedValue, "<a value>$1");
}

function promisedWarnings(header: string): string {
  const all = header.match(/299 - "(?:[^"\\]|\\.)*"/g) ?? [];
  return all
    .filter((warning) => /(unknown|duplicate) field|child pods/.test(warning))
    .sort()
    .join(", ");
}

/** Keys in order, so that ranks are given alike, and without what no server promises. */
function stable(value: Json): Json {
  if (typeof value === "string") return withoutQuotes(value);
  if (isJsonList(value)) return value.map(stable);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !isOfList(key, value));
  const ordered = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return unordered(Object.fromEntries(ordered.map(([key, item]) => [key, stable(item)])));
}

/** The version of a list is that of the whole server, where others write too. */
function isOfList(key: string, holder: JsonObject): boolean {
  return key === "metadata" && isJsonList(holder.items);
}

/** A refusal with several causes names them in the order of a Go map; its causes say the same. */
function unordered(object: JsonObject): JsonObject {
  const { details } = object;
  if (object.kind !== "Status" || !isJsonObject(details) || !isJsonList(details.causes)) return object;
  const said = new Set(details.causes.map((cause) => JSON.stringify(cause)));
  const causes = [...said].map((cause): Json => JSON.parse(cause));
  const message = said.size > 1 ? { message: "<as its causes>" } : {};
  return { ...object, ...message, details: { ...details, causes } };
}
