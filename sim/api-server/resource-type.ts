// What the server has to know of a kind to serve it: its names, its schema, its subresources and the rules of its own.
// Built-in kinds (built-in/) and custom resource definitions (custom-resources.ts) both become values of this type.
import type { JsonObject } from "../../src/core/json/json.ts";
import type { FieldError } from "./faults/field-error.ts";
import type { KindMemory } from "./kind-memory.ts";
import type { Definitions, Schema } from "./schema.ts";

export type ResourceType = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** `<kind>List` unless a definition says otherwise. */
  readonly listKind?: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly isCustom: boolean;
  /** What everybody is told who uses this version. */
  readonly deprecationWarning?: string;
  readonly schema: Schema;
  /** What the schema's references name; empty for custom resources. */
  readonly definitions: Definitions;
  /** What Go writes of an empty object, from which every create starts; nothing for custom resources. */
  readonly zero?: JsonObject;
  /** `status`, `scale`, `binding`, `eviction`, `finalize`, `log`, `resize`. */
  readonly subresources: readonly string[];
  readonly scale?: ScalePaths;
  /** Fields that a field selector may name beside `metadata.name` and `metadata.namespace`: `spec.nodeName`. */
  readonly selectableFields: readonly string[];
  /** True where `metadata.generation` counts the changes of everything but metadata and status. */
  readonly countsGenerations: boolean;
  /** True where a change of annotations counts as well. */
  readonly countsAnnotations?: boolean;
  /** False where a replacement must name the version it replaces. */
  readonly allowsUnconditionalUpdate: boolean;
  /** True where a replacement of what is not there creates it. */
  readonly createsOnUpdate?: boolean;
  /** True where a delete answers with the object instead of a status. */
  readonly returnsDeleted: boolean;
  readonly rules: KindRules;
  /** What servers have worked out from the kinds that were made together with this one. */
  readonly memory?: KindMemory;
};

/** Dotted paths with a leading dot, as a definition writes them: `.spec.replicas`. */
export type ScalePaths = {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
};

/** The rules of one kind, as pure functions. Metadata, generations and the isolation of status are the server's own. */
export type KindRules = {
  /**
   * Reads what a client sent: types checked, unknown fields dropped and named, defaults filled in. What is stored in this
   * version reads as itself; so parts that are those of the stored object need not be looked at again.
   */
  readonly decode: (sent: JsonObject, stored?: JsonObject) => Decoded;
  /**
   * Reads what an apply has made of an object, where that differs from reading what a client sent: the real server decodes a
   * built-in kind again, but hands a merged custom resource on as it is, nulls where maps lost their content included.
   */
  readonly decodeMerged?: (merged: JsonObject, stored?: JsonObject) => Decoded;
  /** Why this cannot be the name of an object; by default a DNS subdomain is wanted. */
  readonly nameFaults?: (name: string) => readonly string[];
  /** Why the server's own admission plug-ins forbid a new object, if they do. */
  readonly forbids?: (object: JsonObject) => string | undefined;
  /** What the server's own admission plug-ins add to a new object. */
  readonly admit?: (object: JsonObject) => JsonObject;
  /** What the kind itself sets or drops in a new object; identity and time are in its metadata already. */
  readonly prepareCreate?: (object: JsonObject) => JsonObject;
  /** True where metadata is looked at only if nothing else is wrong with a new object. */
  readonly checksMetaLast?: boolean;
  readonly prepareUpdate?: (next: JsonObject, old: JsonObject) => JsonObject;
  readonly prepareStatus?: (next: JsonObject, old: JsonObject) => JsonObject;
  /**
   * `inMeta` are the faults of its metadata: some of them keep later checks from being made. What the object shares with a
   * `sound` one has passed them before.
   */
  readonly validate?: (object: JsonObject, inMeta?: readonly FieldError[], sound?: JsonObject) => readonly FieldError[];
  readonly validateUpdate?: (
    next: JsonObject,
    old: JsonObject,
    inMeta?: readonly FieldError[],
  ) => readonly FieldError[];
  readonly validateStatus?: (next: JsonObject, old: JsonObject) => readonly FieldError[];
};

export type Decoded =
  | {
      readonly ok: true;
      readonly value: JsonObject;
      /** Paths of fields that the schema does not know: `spec.extra`, `spec.parts[0].extra`. */
      readonly unknown: readonly string[];
    }
  /** In the words of Go's decoder: `json: cannot unmarshal number into Go struct field ConfigMap.data of type string`. */
  | { readonly ok: false; readonly because: string };
