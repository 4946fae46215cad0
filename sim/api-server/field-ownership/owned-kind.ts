// A kind as ownership sees it, made once: its types, the object that a create starts from, and the fields that a write does
// not own because the server resets them.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { apiVersionOf } from "../../../src/kube/resource.ts";
import type { ResourceType } from "../resource-type.ts";
import { type FieldSet, leaf, noFields } from "./field-set.ts";
import { type FieldType, fieldTypeOf } from "./field-types.ts";
import { KnownShapes } from "./known-shapes.ts";

export type OwnedKind = {
  readonly type: FieldType;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly isCustom: boolean;
  /** What a create is compared with: for a built-in kind, the zero value of its Go type. */
  readonly nothing: JsonObject;
  /** What the latest objects of this kind were created with. */
  readonly shapes: KnownShapes;
  /** The fields that a write in some version leaves to others: status for the object, spec for its status. */
  readonly resetFields: (subresource: string, apiVersion: string) => FieldSet;
};

type KindOfResource = Pick<
  ResourceType,
  "group" | "version" | "kind" | "plural" | "schema" | "definitions" | "isCustom" | "subresources" | "zero"
>;

/** Makes a kind ready. */
export function ownedKindOf(resource: KindOfResource): OwnedKind {
  const { group, version, kind, schema, definitions, isCustom, zero = {} } = resource;
  const apiVersion = apiVersionOf(resource);
  const nothing = { ...zero, apiVersion, kind };
  const type = fieldTypeOf(schema, definitions, isCustom);
  const hasStatus = resource.subresources.includes("status");
  const shapes = new KnownShapes({ type, nothing, reset: hasStatus ? "status" : undefined });
  return {
    ...{ type, group, version, kind, apiVersion, isCustom, nothing, shapes },
    resetFields: (subresource, writtenIn) => {
      if (!hasStatus) return noFields;
      if (subresource === "status") return resetByStatusOf[resource.plural] ?? resetByStatus;
      // Of a custom resource, only the version of the request knows that status is reset.
      return writtenIn === apiVersion && subresource !== "scale" ? resetByObject : noFields;
    },
  };
}

const resetByObject: FieldSet = { "f:status": leaf };
const resetByStatus: FieldSet = { "f:spec": leaf };
const resetByStatusOf: Readonly<Record<string, FieldSet>> = {
  pods: { "f:metadata": { "f:deletionTimestamp": leaf, "f:ownerReferences": leaf }, "f:spec": leaf },
  deployments: { "f:metadata": { "f:labels": leaf }, "f:spec": leaf },
};
