// The custom resource definition of VariantSet.
import { ageColumn, type CrdSource, readyColumn } from "../../schema/crd.ts";
import { variantSetSpecSchema } from "./schema.ts";
import { variantSetStatusSchema } from "./schema-status.ts";

export const variantSetCrd: CrdSource = {
  names: {
    group: "farrier.dev",
    kind: "VariantSet",
    plural: "variantsets",
    singular: "variantset",
    shortNames: ["vset"],
  },
  description: "A daemon in variants: each node gets the one that suits its kernel, operating system or labels.",
  versions: [
    {
      name: "v1alpha1",
      isStorage: true,
      spec: variantSetSpecSchema,
      status: variantSetStatusSchema,
      columns: [
        {
          name: "Variants",
          type: "integer",
          jsonPath: ".status.variantCount",
          description: "Variants that have nodes.",
        },
        { name: "Nodes", type: "integer", jsonPath: ".status.nodes.inScope", description: "Nodes in scope." },
        {
          name: "Fitted",
          type: "integer",
          jsonPath: ".status.nodes.fitted",
          description: "Nodes with what they need.",
        },
        { name: "Held", type: "integer", jsonPath: ".status.nodes.held", description: "Nodes that wait." },
        {
          name: "Unknown",
          type: "integer",
          jsonPath: ".status.nodes.unknown",
          description: "Nodes with unread facts.",
        },
        readyColumn,
        ageColumn,
      ],
    },
  ],
};
