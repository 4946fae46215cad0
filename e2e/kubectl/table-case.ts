// An object in a state that tables tell apart, for the comparison of tables with a real server's. Times are relative to the present
// and far enough from the next unit that a slow machine prints the same ages.
import type { JsonObject } from "../../src/core/json/json.ts";

export type TableCase = {
  /** The collection that it belongs to. */
  readonly path: string;
  readonly object: JsonObject & { readonly metadata: JsonObject };
  /** Written to the status of the object after it is created. */
  readonly status?: JsonObject;
  /** Deleted at last; a finalizer of it keeps it. */
  readonly isDeleted?: true;
};

const MINUTE_MS = 60_000;
export const NAMESPACE = "tables";
export const space = `/namespaces/${NAMESPACE}`;
/** Where the objects of the core group are. */
export const core = `/api/v1${space}`;
/** Keeps a deleted object for as long as it is looked at. */
export const keeps = ["example.dev/keeps"];

/** A time so many minutes and half a minute ago. */
export function ago(nowMs: number, minutes: number): string {
  return new Date(nowMs - (minutes + 0.5) * MINUTE_MS).toISOString().replace(/\.\d+/, "");
}

/** An object with a name and, if given, a status. */
export const named = (path: string, name: string, rest: JsonObject = {}, status?: JsonObject): TableCase => ({
  path,
  object: { metadata: { name }, ...rest },
  ...(status === undefined ? {} : { status }),
});
