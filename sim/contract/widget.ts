// The custom resource of the contract: small, and with one field for each thing that a structural schema can do.

export const GROUP = "contract.example.dev";

const partSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 20 },
    count: { type: "integer", default: 1 },
    note: { type: "string" },
  },
};

const specSchema = {
  type: "object",
  "x-kubernetes-validations": [
    { rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: "low must not be above high" },
  ],
  properties: {
    size: { type: "integer", minimum: 1, maximum: 10, default: 3 },
    mode: { type: "string", enum: ["Fast", "Safe"], default: "Safe" },
    owner: { type: "string", maxLength: 10, pattern: "^[a-z]+$" },
    low: { type: "integer" },
    high: { type: "integer" },
    share: { "x-kubernetes-int-or-string": true },
    ratio: { type: "number" },
    big: { type: "integer", format: "int64" },
    note: { type: "string", nullable: true },
    parts: {
      type: "array",
      maxItems: 3,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: partSchema,
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    plain: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "string" } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    fixed: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "fixed cannot change" }],
    },
  },
};

const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: specSchema,
      status: { type: "object", properties: { replicas: { type: "integer" }, phase: { type: "string" } } },
    },
  },
};

const version = (name: string, isStored: boolean) => ({
  name,
  served: true,
  storage: isStored,
  schema,
  subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" } },
  additionalPrinterColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
      shortNames: ["wg"],
      categories: ["contract"],
    },
    versions: [version("v1", true), version("v1beta1", false)],
  },
};

export const widgets = `/apis/${GROUP}/v1/namespaces/{{ns}}/widgets`;

/** A widget with a spec, and metadata beside its name if given. */
export function aWidget(name: string, spec: object = {}, metadata: object = {}): object {
  return { apiVersion: `${GROUP}/v1`, kind: "Widget", metadata: { name, ...metadata }, spec };
}
