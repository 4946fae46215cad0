// The API of Module: KMM's spelling, in which Farrier writes the loader's container, and the short one, in which the author does.

import { INT32_MAX, kubeSchema } from "../../schema/kube-schema.ts";
import { labelSelectorSchema } from "../../schema/label-selector-schema.ts";
import { updateStrategySchema } from "../../schema/update-strategy-schema.ts";
import { buildSchema, moduleSchema } from "./schema-image.ts";
import { mappingsSchema, moduleLoaderSchema } from "./schema-loader.ts";

const VOLUMES_MAX = 64;
const TOLERATIONS_MAX = 64;

const containerImage = { type: "string", maxLength: 2048, description: "The image." } as const;
const volumesSchema = kubeSchema.list("Volumes, as in a Pod.", kubeSchema.opaque("A volume, as in a Pod."), {
  ...{ max: VOLUMES_MAX, type: "atomic" },
});

const pluginContainerSchema = kubeSchema.opaque(
  "A container: command, args, env, image, imagePullPolicy, resources, volumeMounts.",
  {
    required: ["image"],
    properties: { image: containerImage },
  },
);

const devicePluginSchema = kubeSchema.shape("A device plugin, which runs where the driver is ready.", {
  container: pluginContainerSchema,
  initContainer: pluginContainerSchema.optional(),
  serviceAccountName: kubeSchema.text("The service account of its pods.", { max: 253 }).optional(),
  automountServiceAccountToken: kubeSchema.flag("Whether its pods get a token of that account.").optional(),
  volumes: volumesSchema.optional(),
});

const tolerationSchema = kubeSchema.checkedByCode("A toleration, as in a Pod.", {
  properties: {
    key: { type: "string", maxLength: 317, description: "The key of the taint; any without it." },
    operator: { type: "string", maxLength: 16, description: "Equal or Exists." },
    value: { type: "string", maxLength: 63, description: "The value of the taint." },
    effect: { type: "string", maxLength: 32, description: "The effect of the taint; any without it." },
    tolerationSeconds: { type: "integer", format: "int64", description: "How long a NoExecute taint is borne." },
  },
});

export const moduleSpecSchema = kubeSchema.ruled(
  kubeSchema.shape("Which driver runs where. Exactly one of moduleLoader and driverContainer describes it.", {
    selector: kubeSchema.textMap("Labels that a node must have.", { max: 64, keyMax: 317, valueMax: 63 }),
    nodeSelector: labelSelectorSchema.over("What the labels of a node must meet besides.").optional(),
    tolerations: kubeSchema
      .list("Taints of nodes that are borne.", tolerationSchema, { max: TOLERATIONS_MAX, type: "atomic" })
      .optional(),
    imageRepoSecret: moduleSchema
      .reference("The Secret for pulling images, and for pushing those that are built.")
      .optional(),
    imageRebuildTriggerGeneration: kubeSchema
      .wholeNumber("Another value has all images looked up, built and signed anew.", {
        min: -INT32_MAX,
        max: INT32_MAX,
      })
      .optional(),
    moduleLoader: moduleLoaderSchema.optional(),
    kernelMappings: mappingsSchema.optional(),
    driverContainer: kubeSchema
      .opaque("The driver in the short spelling: a whole container, whose image the mapping gives.")
      .optional(),
    additionalVolumes: volumesSchema.optional(),
    build: buildSchema.optional(),
    devicePlugin: devicePluginSchema.optional(),
    dra: kubeSchema.opaque("Not supported: an object with it is refused.").optional(),
    updateStrategy: updateStrategySchema.of().prefault({}),
    unloadPolicy: kubeSchema
      .choice("Whether the driver is unloaded when its pod goes, or left in the kernel.", ["Unload", "Leave"])
      .default("Unload"),
  }),
  [
    {
      cel: "!has(self.dra)",
      holds: ({ dra }) => dra === undefined,
      message:
        "is not supported: drivers for dynamic resource allocation have a life cycle of their own; deploy the driver by itself and remove this field",
      at: "dra",
    },
    {
      cel: "!has(self.moduleLoader) || !has(self.driverContainer)",
      holds: ({ moduleLoader, driverContainer }) => moduleLoader === undefined || driverContainer === undefined,
      message: "must be left out beside moduleLoader; keep the one that describes the driver",
      at: "driverContainer",
    },
    {
      cel: "has(self.driverContainer) || !(has(self.kernelMappings) || has(self.additionalVolumes) || has(self.build))",
      holds: ({ driverContainer, kernelMappings, additionalVolumes, build }) =>
        driverContainer !== undefined ||
        (kernelMappings === undefined && additionalVolumes === undefined && build === undefined),
      message:
        "kernelMappings, additionalVolumes and build at this level need driverContainer; with moduleLoader they stand in moduleLoader.container",
    },
    {
      cel: "!has(self.driverContainer) || has(self.kernelMappings)",
      holds: ({ driverContainer, kernelMappings }) => driverContainer === undefined || kernelMappings !== undefined,
      message: "is required with driverContainer: say which kernel gets which image",
      at: "kernelMappings",
    },
    {
      cel: "has(self.moduleLoader) || has(self.driverContainer) || has(self.devicePlugin) || has(self.dra)",
      holds: ({ moduleLoader, driverContainer, devicePlugin, dra }) =>
        [moduleLoader, driverContainer, devicePlugin, dra].some((each) => each !== undefined),
      message: "describes nothing to run; give moduleLoader, driverContainer or devicePlugin",
    },
  ],
);
