// The seam to field ownership: who set which field, and what a server-side apply makes of it. The server calls it for every
// write of a client, with the state that the write found.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ResourceType } from "../resource-type.ts";

export type OwnedWrite = {
  readonly type: ResourceType;
  /** The object before the write, in the version of the request; undefined when the write creates it. */
  readonly live: JsonObject | undefined;
  readonly manager: string;
  /** Empty for a write of the object itself. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
};

export interface FieldOwnership {
  /** The object with its managed fields after a create, replacement or patch; unchanged ones keep their time. */
  track(next: JsonObject, write: OwnedWrite): JsonObject;
  /** The live object with an applied configuration merged in, and its managed fields; throws a Refusal on conflicts. */
  apply(applied: JsonObject, write: OwnedWrite & { readonly force: boolean }): JsonObject;
}
