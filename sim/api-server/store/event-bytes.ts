// The bytes of objects and watch events, made once and shared: by the answer to the writer, by every watcher, whatever their
// number. Only the latest are kept; older ones are made again for the few who still need them.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { withMeta } from "../api-object.ts";
import type { PrintedEvents } from "./printed-events.ts";
import type { Change } from "./store.ts";

/** Enough for watchers that keep up; they read within the turn in which an event happens. */
const EVENTS_KEPT_MAX = 512;

/** Made at once, or later where a webhook has to convert. */
export type Bytes = Uint8Array | Promise<Uint8Array>;
type Convert = (object: JsonObject) => JsonObject | Promise<JsonObject>;

export class EventBytes {
  readonly #convert: Convert;
  readonly #printed: PrintedEvents | undefined;
  readonly #changes = new Map<Change, Bytes>();
  readonly #arrivals = new Map<Change, Bytes>();
  readonly #departures = new Map<Change, Bytes>();

  /** `convert` brings a stored object into the version that is served. */
  constructor(convert: Convert, printed: PrintedEvents | undefined) {
    this.#convert = convert;
    this.#printed = printed;
  }

  /** The event as every watcher without a selector gets it. */
  ofChange(change: Change): Bytes {
    return remembered(this.#changes, change, () => this.#event(change.type, change.object));
  }

  /** Takes over the text of an object that was printed in the version that is served. */
  keep(change: Change, text: string): void {
    void remembered(this.#changes, change, () => this.#print(change.type, change.object, text));
  }

  /** The object alone: a part of the same bytes. */
  ofObject(change: Change): Bytes {
    return mapped(this.ofChange(change), (bytes) => objectIn(bytes, change.type));
  }

  /** The object arrives for a watcher whose selector it did not meet before. */
  ofArrival(change: Change): Bytes {
    if (change.type === "ADDED") return this.ofChange(change);
    return remembered(this.#arrivals, change, () =>
      mapped(this.ofChange(change), (bytes) => this.#arrival(change, bytes)),
    );
  }

  /** The object leaves for a watcher whose selector it does not meet any more: its state before, under the new version. */
  ofDeparture(change: Change, before: JsonObject): Bytes {
    const last = () => withMeta(before, { resourceVersion: `${change.revision}` });
    return remembered(this.#departures, change, () => this.#event("DELETED", last()));
  }

  #event(type: string, object: JsonObject): Bytes {
    return mapped(this.#convert(object), (served) => this.#print(type, served, printJson(served)));
  }

  /** The bytes that were printed for another event: a list that is streamed repeats what everybody has seen. */
  #arrival({ type }: Change, bytes: Uint8Array): Uint8Array {
    const arrival = Buffer.concat([arrivalOpening, objectIn(bytes, type), closingBytes]);
    const printed = this.#printed?.of(bytes);
    if (printed !== undefined) this.#printed?.keep(arrival, { ...printed, type: "ADDED" });
    return arrival;
  }

  #print(type: string, object: JsonObject, text: string): Uint8Array {
    const bytes = eventBytes(type, text);
    this.#printed?.keep(bytes, { type, object });
    return bytes;
  }
}

const closing = "}\n";

function objectIn(event: Uint8Array, type: string): Uint8Array {
  return event.subarray(opening(type).length, event.length - closing.length);
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
