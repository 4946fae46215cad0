// Metadata as Go reads it. Custom resources have no Go type, but their metadata has one: what does not fit is refused, and what
// it does not know is dropped.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Decoded } from "../resource-type.ts";
import type { Definitions, Schema } from "../schema.ts";
import { decodeObject } from "./go-object.ts";
import { GoTypes } from "./go-type.ts";

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };
const always: Schema = { type: "string", "x-go": "always" };
const time: Schema = { type: "string", format: "date-time", "x-go": "pointer" };
const flag: Schema = { type: "boolean", "x-go": "pointer" };
const count: Schema = { type: "integer", format: "int64" };

const definitions: Definitions = {
  "meta.v1.OwnerReference": {
    type: "object",
    properties: {
      ...{ apiVersion: always, kind: always, name: always, uid: always, controller: flag, blockOwnerDeletion: flag },
    },
  },
  "meta.v1.ObjectMeta": {
    type: "object",
    properties: {
      ...{ name: text, generateName: text, namespace: text, selfLink: text, uid: text, resourceVersion: text },
      ...{ generation: count, creationTimestamp: time, deletionTimestamp: time },
      deletionGracePeriodSeconds: { ...count, "x-go": "pointer" },
      ...{ labels: texts, annotations: texts },
      ownerReferences: { type: "array", items: { $ref: "#/definitions/meta.v1.OwnerReference" } },
      finalizers: { type: "array", items: text },
      managedFields: {},
    },
  },
  "meta.v1.PartialObjectMetadata": {
    type: "object",
    properties: { metadata: { $ref: "#/definitions/meta.v1.ObjectMeta" } },
  },
};

/** A reader of the metadata of custom resources: gives `{ metadata }` as Go would. */
export function metadataReader(): (metadata: JsonObject[string]) => Decoded {
  const type = new GoTypes(definitions).struct("meta.v1.PartialObjectMetadata");
  return (metadata) => decodeObject(type, { metadata });
}
