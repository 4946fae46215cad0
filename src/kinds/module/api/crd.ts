// The custom resource definition of Module.
import { ageColumn, type CrdSource, readyColumn } from "../../schema/crd.ts";
import { moduleSpecSchema } from "./schema.ts";
import { moduleStatusSchema } from "./schema-status.ts";

export const moduleCrd: CrdSource = {
  names: {
    group: "kmm.sigs.x-k8s.io",
    kind: "Module",
    plural: "modules",
    singular: "module",
    shortNames: ["kmod"],
  },
  description: "A driver: every node gets the image that its kernel needs, built in the cluster where it is missing.",
  versions: [
    {
      name: "v1beta1",
      isStorage: true,
      spec: moduleSpecSchema,
      status: moduleStatusSchema,
      columns: [
        { name: "Nodes", type: "integer", jsonPath: ".status.nodes.inScope", description: "Nodes in scope." },
        { name: "Kernels", type: "integer", jsonPath: ".status.kernelCount", description: "Kernels in scope." },
        {
          name: "Fitted",
          type: "integer",
          jsonPath: ".status.nodes.fitted",
          description: "Nodes with a ready driver.",
        },
        { name: "Unfit", type: "integer", jsonPath: ".status.nodes.unfit", description: "Nodes that cannot get one." },
        { name: "Building", type: "integer", jsonPath: ".status.buildingCount", description: "Images being built." },
        readyColumn,
        ageColumn,
        {
          ...{ name: "Reason", type: "string", description: "Why it is or is not ready.", isWide: true },
          jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
        },
        {
          ...{ name: "Selector", type: "string", description: "The node selector.", isWide: true },
          jsonPath: ".status.selector",
        },
      ],
    },
  ],
};
