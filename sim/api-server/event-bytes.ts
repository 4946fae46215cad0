// The bytes of objects and watch events, made once and shared: by the answer to the writer, by every watcher, whatever their
// number. Only the latest are kept; older ones are made again for the few who still need them.
import type { JsonObject } from "../../src/core/json.ts";
import { printJson } from "../../src/kube/json-text.ts";
import { withMeta } from "./api-object.ts";
import type { Change } from "./store.ts";

/** Enough for watchers that keep up; they read within the turn in which an event happens. */
const EVENTS_KEPT_MAX = 512;

/** Made at once, or later where a webhook has to convert. */
export type Bytes = Uint8Array | Promise<Uint8Array>;
type Convert = (object: JsonObject) => JsonObject | Promise<JsonObject>;

export class EventBytes {
  readonly #convert: Convert;
  readonly #changes = new Map<Change, Bytes>();
  readonly #arrivals = new Map<Change, Bytes>();
  readonly #departures = new Map<Change, Bytes>();

  /** `convert` brings a stored object into the version that is served. */
  constructor(convert: Convert) {
    this.#convert = convert;
  }

  /** The event as every watcher without a selector gets it. */
  ofChange(change: Change): Bytes {
    return remembered(this.#changes, change, () => this.#event(change.type, change.object));
  }

  /** Takes over the text of an object that was printed in the version that is served. */
  keep(change: Change, text: string): void {
    void remembered(this.#changes, change, () => eventBytes(change.type, text));
  }

  /** The object alone: a part of the same bytes. */
  ofObject(change: Change): Bytes {
    const from = opening(change.type).length;
    const cut = (bytes: Uint8Array) => bytes.subarray(from, bytes.length - closing.length);
    return mapped(this.ofChange(change), cut);
  }

  /** The object arrives for a watcher whose selector it did not meet before. */
  ofArrival(change: Change): Bytes {
    if (change.type === "ADDED") return this.ofChange(change);
    return remembered(this.#arrivals, change, () => mapped(this.ofObject(change), arrival));
  }

  /** The object leaves for a watcher whose selector it does not meet any more: its state before, under the new version. */
  ofDeparture(change: Change, before: JsonObject): Bytes {
    const last = () => withMeta(before, { resourceVersion: `${change.revision}` });
    return remembered(this.#departures, change, () => this.#event("DELETED", last()));
  }

  #event(type: string, object: JsonObject): Bytes {
    return mapped(this.#convert(object), (served) => eventBytes(type, printJson(served)));
  }
}

const closing = "}\n";

/** The event around bytes that were printed for another one: a list that is streamed repeats what everybody has seen. */
function arrival(object: Uint8Array): Uint8Array {
  return Buffer.concat([arrivalOpening, object, closingBytes]);
}

function opening(type: string): string {
  return `{"type":"${type}","object":`;
}

const arrivalOpening = Buffer.from(opening("ADDED"));
const closingBytes = Buffer.from(closing);

/** A watch event around the text of an object. */
export function eventBytes(type: string, objectText: string): Uint8Array {
  // Buffers of this size are cut from a larger piece of memory; each of their own would cost more than its text.
  return Buffer.from(`${opening(type)}${objectText}${closing}`);
}

/** Applies a function to a value that may have to be waited for, without waiting where it is there. */
export function mapped<A, B>(value: A | Promise<A>, map: (value: A) => B): B | Promise<B> {
  return value instanceof Promise ? value.then(map) : map(value);
}

function remembered(memory: Map<Change, Bytes>, change: Change, make: () => Bytes): Bytes {
  const known = memory.get(change);
  if (known !== undefined) return known;
  const made = make();
  memory.set(change, made);
  if (memory.size > EVENTS_KEPT_MAX) for (const oldest of memory.keys()) return forget(memory, oldest, made);
  return made;
}

function forget(memory: Map<Change, Bytes>, oldest: Change, made: Bytes): Bytes {
  memory.delete(oldest);
  return made;
}
