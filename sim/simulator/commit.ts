// What invariants are told: each write as the store took it, and a way to read the store as it is then.
import type { JsonObject } from "../../src/core/json/json.ts";
import type { HttpRequest } from "../../src/kube/transport.ts";
import type { Change, Store } from "../api-server/store/store.ts";

export type Commit = {
  readonly table: string;
  readonly key: string;
  readonly revision: number;
  /** Undefined for what was created. */
  readonly before: JsonObject | undefined;
  /** Undefined for what is gone. */
  readonly after: JsonObject | undefined;
  /** The process whose request it was. */
  readonly by: string;
};

/** The store at one moment, to be read only. */
export interface State {
  object(table: string, key: string): JsonObject | undefined;
  objects(table: string): Iterable<JsonObject>;
}

/** Something that must hold after every write: a sentence about what is wrong, or undefined. It keeps nothing in mind. */
export type Invariant = {
  readonly name: string;
  readonly check: (commit: Commit, after: State) => string | undefined;
};

/** Something that must hold for every request at the moment when it is sent. */
export type RequestRule = {
  readonly name: string;
  /** Whose requests it is about. */
  readonly roles: readonly string[];
  readonly check: (sent: Sent, state: State) => string | undefined;
};

export type Sent = {
  readonly request: HttpRequest;
  /** The life of the process that sends it. */
  readonly by: string;
};

/** The commit that a change of the store is. */
export function commitOf(change: Change, by: string): Commit {
  const { table, key, revision, type, object, previous } = change;
  const before = type === "ADDED" ? undefined : previous?.object;
  return { table, key, revision, before, after: type === "DELETED" ? undefined : object, by };
}

/** The newest state of a store. */
export function stateOf(store: Store): State {
  return {
    object: (table, key) => store.get(table, key)?.object,
    *objects(table) {
      for (const { object } of store.list(table, { revision: store.revision, prefix: "" })) yield object;
    },
  };
}
