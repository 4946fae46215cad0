// Where a merge stands, as its parts hand it to each other: the place, what the schema says of it, and who keeps record.
import type { JsonObject } from "../json/json.ts";
import type { PlainLists } from "./join.ts";
import type { FieldPath } from "./path.ts";
import type { ListSchema, StructSchema } from "./schema.ts";
import type { Trace } from "./trace.ts";

/** Where two objects meet. */
export type ObjectPlace = {
  readonly schema: StructSchema | undefined;
  readonly path: FieldPath;
  readonly trace: Trace | undefined;
  /** What earlier layers have left; undefined where there is one layer. */
  readonly plain: PlainLists | undefined;
};

/** Where two lists meet. */
export type ListPlace = {
  readonly schema: ListSchema;
  readonly path: FieldPath;
  readonly trace: Trace | undefined;
  readonly plain: PlainLists | undefined;
  /** Merges two elements; handed down because objects hold lists and lists hold objects. */
  readonly mergeElement: MergeObjects;
};

export type MergeObjects = (original: JsonObject, patch: JsonObject, place: ObjectPlace) => JsonObject;
