// The truth behind a scripted server: objects of one resource and every version they went through.
// Tests compare what a client believes with what was true at the same version.
import type { KubeObject, Stored } from "../src/kube/resource.ts";

export type HistoryObject = Stored<KubeObject & { readonly spec: { readonly colour: string } }>;

export type HistoryEvent = {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly version: number;
  readonly atMs: number;
  readonly object: HistoryObject;
};

const FIRST_VERSION = 100;

export class ObjectHistory {
  readonly #events: HistoryEvent[] = [];
  /** The objects after each event, sorted by name. */
  readonly #states: { readonly version: number; readonly objects: readonly HistoryObject[] }[] = [];
  readonly #goneUids = new Set<string>();
  readonly #current = new Map<string, HistoryObject>();
  #version = FIRST_VERSION;
  #compactedTo = 0;
  #madeObjects = 0;

  /** The newest version. */
  get version(): number {
    return this.#version;
  }

  /** Versions below this one are forgotten by the servers, though not by the tests. */
  get compactedTo(): number {
    return this.#compactedTo;
  }

  get names(): readonly string[] {
    return [...this.#current.keys()];
  }

  /** Creates the object, or changes it when there is one of that name. */
  put(name: string, colour: string, atMs: number): HistoryObject {
    const before = this.#current.get(name);
    const uid = before?.metadata.uid ?? `uid-${++this.#madeObjects}`;
    return this.#commit(before === undefined ? "ADDED" : "MODIFIED", name, uid, colour, atMs);
  }

  remove(name: string, atMs: number): HistoryObject | undefined {
    const before = this.#current.get(name);
    return before && this.#commit("DELETED", name, before.metadata.uid, before.spec.colour, atMs);
  }

  /** Uses up a version for something that is no object of this resource. */
  skipVersion(): void {
    this.#version += 1;
  }

  /** Forgets what was before a version. */
  compact(version: number): void {
    this.#compactedTo = Math.max(this.#compactedTo, Math.min(version, this.#version));
  }

  /** The events after a version, up to and including another. */
  between(after: number, upTo: number): readonly HistoryEvent[] {
    const first = this.#events.findLastIndex(({ version }) => version <= after) + 1;
    const last = this.#events.findLastIndex(({ version }) => version <= upTo);
    return this.#events.slice(first, last + 1);
  }

  /** The newest version that was there at a time. */
  versionAt(atMs: number): number {
    if ((this.#events.at(-1)?.atMs ?? 0) <= atMs) return this.#version;
    return this.#events.findLast((event) => event.atMs <= atMs)?.version ?? FIRST_VERSION;
  }

  /** The objects at a version, sorted by name. */
  at(version: number): readonly HistoryObject[] {
    return this.#states.findLast((state) => state.version <= version)?.objects ?? [];
  }

  /** True for an object that was there and was deleted. */
  isGone(uid: string): boolean {
    return this.#goneUids.has(uid);
  }

  #commit(type: HistoryEvent["type"], name: string, uid: string, colour: string, atMs: number): HistoryObject {
    this.#version += 1;
    const object: HistoryObject = {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name, uid, resourceVersion: String(this.#version) },
      spec: { colour },
    };
    this.#events.push({ type, version: this.#version, atMs, object });
    if (type === "DELETED") this.#current.delete(name);
    else this.#current.set(name, object);
    if (type === "DELETED") this.#goneUids.add(uid);
    const objects = [...this.#current.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    this.#states.push({ version: this.#version, objects });
    return object;
  }
}
