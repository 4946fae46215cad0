// A pod template as a field of a custom resource. The API server will judge the pods that come of it, so the schema says
// only what every decision here relies on: labels are texts, and there are containers with distinct names.
import { isDeeperThan, TEMPLATE_DEPTH_MAX } from "../schema/json-depth.ts";
import { kubeSchema } from "../schema/kube-schema.ts";
import { labelValue } from "../schema/label-selector-schema.ts";

export const CONTAINERS_MAX = 100;
export const METADATA_ENTRIES_MAX = 256;
const ANNOTATION_CHARS_MAX = 262_144;

const keepsUnknown = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
const containersShape = {
  type: "array",
  description: "The containers, each as in a Pod.",
  minItems: 1,
  maxItems: CONTAINERS_MAX,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: {
    ...keepsUnknown,
    description: "One container, as in a Pod.",
    required: ["name"],
    properties: { name: { type: "string", maxLength: 63, description: "The name, unique among the containers." } },
  },
} as const;

const nodeSelectorShape = {
  type: "object",
  description: "Labels that a node must have for the pods to run there.",
  maxProperties: METADATA_ENTRIES_MAX,
  additionalProperties: labelValue,
} as const;

/** Builds the field. */
export const podTemplateSchema = {
  of: (description: string) =>
    kubeSchema
      .opaque(description, {
        required: ["spec"],
        properties: {
          metadata: {
            ...keepsUnknown,
            description: "Labels and annotations of the pods.",
            properties: {
              labels: texts("Labels of the pods.", 63),
              annotations: texts("Annotations of the pods.", ANNOTATION_CHARS_MAX),
            },
          },
          spec: {
            ...keepsUnknown,
            description: "The pods' spec, as in a Pod; the API server checks it when a pod is made.",
            required: ["containers"],
            properties: { containers: containersShape, nodeSelector: nodeSelectorShape },
          },
        },
      })
      .refine((template) => !isDeeperThan(template, TEMPLATE_DEPTH_MAX), {
        message: `nests deeper than ${TEMPLATE_DEPTH_MAX} levels; no pod template does`,
      }),
} as const;

function texts(description: string, valueMax: number) {
  const additionalProperties = { type: "string", maxLength: valueMax };
  return { type: "object", description, maxProperties: METADATA_ENTRIES_MAX, additionalProperties };
}
