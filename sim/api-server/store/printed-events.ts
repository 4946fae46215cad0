// Which event stands in which bytes: a client in the same process may take the event itself and spare the reading. The real server
// has nothing like it, so it is an option of servers, and off unless somebody asks.
import type { JsonObject } from "../../../src/core/json/json.ts";

export type PrintedEvent = { readonly type: string; readonly object: JsonObject };

/** Remembers events as long as somebody holds their bytes. */
export class PrintedEvents {
  readonly #events = new WeakMap<Uint8Array, PrintedEvent>();

  keep(bytes: Uint8Array, event: PrintedEvent): void {
    this.#events.set(bytes, event);
  }

  /** The event that these very bytes were printed from; undefined for others, be they the same by value. */
  of(bytes: Uint8Array): PrintedEvent | undefined {
    return this.#events.get(bytes);
  }
}
