// The driver of a Module: which kernel gets which image, and what the loader does with it on the node.

import { RULE_LENGTH_MAX } from "../../../core/kernel/kernel-rule-grammar.ts";
import { PATTERN_LENGTH_MAX } from "../../../core/values/go-regexp.ts";
import { kubeSchema } from "../../schema/kube-schema.ts";
import { buildSchema, moduleSchema, signSchema } from "./schema-image.ts";

export const MAPPINGS_MAX = 1000;
const ARGS_MAX = 64;
const MODULES_MAX = 32;

const kernelModule = {
  ...{ max: 64, min: 1, pattern: /^[A-Za-z0-9_-]+$/ },
  form: "the name of a kernel module: letters, digits, - and _",
} as const;

/** Fields that stand both in a mapping and beside the mappings. */
const inTreeFields = Object.freeze({
  inTreeModulesToRemove: kubeSchema
    .list("Modules of the kernel to unload before ours is loaded.", kubeSchema.text("A module.", kernelModule), {
      ...{ max: MODULES_MAX, type: "atomic" },
    })
    .optional(),
  inTreeModuleToRemove: kubeSchema
    .text("The same for one module; inTreeModulesToRemove is the newer form.", { max: 64, pattern: /^[A-Za-z0-9_-]*$/ })
    .optional(),
});

const inTreeRule = {
  cel: "!has(self.inTreeModuleToRemove) || self.inTreeModuleToRemove == '' || !has(self.inTreeModulesToRemove)",
  holds: (value: { readonly inTreeModuleToRemove?: string | undefined; readonly inTreeModulesToRemove?: unknown }) =>
    (value.inTreeModuleToRemove ?? "") === "" || value.inTreeModulesToRemove === undefined,
  message: "must be left out beside inTreeModulesToRemove; put the module into that list",
  at: "inTreeModuleToRemove",
} as const;

const mappingSchema = kubeSchema.ruled(
  kubeSchema.shape("Which kernels get which image.", {
    literal: kubeSchema.text("A kernel release, letter by letter.", { max: 256 }).optional(),
    regexp: kubeSchema
      .text("A regular expression (RE2) that is found in the release.", { max: PATTERN_LENGTH_MAX })
      .optional(),
    kernel: kubeSchema.text("A kernel rule: 5.x, >=5.14 <6, several with ||.", { max: RULE_LENGTH_MAX }).optional(),
    arch: kubeSchema
      .text("Only nodes of this architecture, in Go's words: amd64, arm64.", {
        ...{ max: 32, min: 1, pattern: /^[a-z0-9]+$/ },
        form: "an architecture in lower case such as amd64 or arm64",
      })
      .optional(),
    osImage: kubeSchema
      .text("Only nodes in whose OS image this regular expression (RE2) is found.", { max: PATTERN_LENGTH_MAX, min: 1 })
      .optional(),
    containerImage: moduleSchema
      .image("The image; that of the container without it. May hold kernel variables.")
      .optional(),
    build: buildSchema.optional(),
    sign: signSchema.optional(),
    registryTLS: moduleSchema.registryTls("How the registry of the image is reached.").optional(),
    ...inTreeFields,
  }),
  [
    {
      cel: "(has(self.literal) && self.literal != '' ? 1 : 0) + (has(self.regexp) && self.regexp != '' ? 1 : 0) + (has(self.kernel) && self.kernel != '' ? 1 : 0) == 1",
      holds: ({ literal = "", regexp = "", kernel = "" }) =>
        [literal, regexp, kernel].filter((each) => each !== "").length === 1,
      message: "needs exactly one of literal, regexp and kernel",
    },
    inTreeRule,
  ],
);

/** The mappings; the first that matches a node wins. */
export const mappingsSchema = kubeSchema.list("Images by kernel; the first mapping that matches wins.", mappingSchema, {
  ...{ max: MAPPINGS_MAX, min: 1, type: "atomic" },
});

const args = { max: ARGS_MAX, min: 1, type: "atomic" } as const;
const argSchema = kubeSchema.text("An argument.", { max: 1024 });
const commandsSchema = kubeSchema.shape("Arguments of modprobe.", {
  load: kubeSchema.list("To load.", argSchema, args).optional(),
  unload: kubeSchema.list("To unload.", argSchema, args).optional(),
});

const modprobeSchema = kubeSchema.ruled(
  kubeSchema.shape("What the loader gives to modprobe.", {
    moduleName: kubeSchema
      .text("The kernel module to load.", { max: 64, pattern: /^[A-Za-z0-9_-]*$/, form: kernelModule.form })
      .optional(),
    dirName: kubeSchema
      .text("Where the modules are in the image.", { max: 1024, pattern: /^\//, form: "an absolute path" })
      .default("/opt"),
    parameters: kubeSchema
      .list("Parameters of the module, key=value.", argSchema, { max: ARGS_MAX, type: "atomic" })
      .optional(),
    args: commandsSchema.optional(),
    rawArgs: commandsSchema.optional(),
    firmwarePath: kubeSchema
      .text("Firmware in the image that is copied to the node.", {
        max: 1024,
        pattern: /^\//,
        form: "an absolute path",
      })
      .optional(),
    modulesLoadingOrder: kubeSchema
      .list(
        "Modules that depend on each other, the one that needs all others first.",
        kubeSchema.text("A module.", kernelModule),
        {
          ...{ max: MODULES_MAX, min: 2, type: "atomic" },
        },
      )
      .optional(),
  }),
  [
    {
      cel: "has(self.moduleName) && self.moduleName != '' ? !(has(self.rawArgs) && (has(self.rawArgs.load) || has(self.rawArgs.unload))) : (has(self.rawArgs) && has(self.rawArgs.load) && has(self.rawArgs.unload))",
      holds: ({ moduleName = "", rawArgs }) =>
        moduleName === ""
          ? rawArgs?.load !== undefined && rawArgs.unload !== undefined
          : rawArgs?.load === undefined && rawArgs?.unload === undefined,
      message: "needs either moduleName, or rawArgs with both load and unload",
    },
    {
      cel: "!has(self.modulesLoadingOrder) || (has(self.moduleName) && self.modulesLoadingOrder[0] == self.moduleName)",
      holds: ({ moduleName, modulesLoadingOrder }) =>
        modulesLoadingOrder === undefined || modulesLoadingOrder[0] === moduleName,
      message: "must start with moduleName",
      at: "modulesLoadingOrder",
    },
  ],
);

const loaderContainerSchema = kubeSchema.ruled(
  kubeSchema.shape("The loader; Farrier writes its container.", {
    kernelMappings: mappingsSchema,
    modprobe: modprobeSchema,
    containerImage: moduleSchema.image("The image of mappings that name none.").optional(),
    imagePullPolicy: kubeSchema.choice("When the image is pulled.", ["Always", "IfNotPresent", "Never"]).optional(),
    version: kubeSchema
      .text("The version for ordered upgrades; cannot be added or removed later.", {
        ...{ max: 63, pattern: /^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/ },
        form: "a label value",
      })
      .optional(),
    build: buildSchema.optional(),
    sign: signSchema.optional(),
    registryTLS: moduleSchema.registryTls("How the registry of the image is reached.").optional(),
    ...inTreeFields,
  }),
  [inTreeRule],
);

/** KMM's spelling of the driver. */
export const moduleLoaderSchema = kubeSchema.shape(
  "The driver in KMM's spelling: Farrier writes the container that loads it.",
  {
    serviceAccountName: kubeSchema.text("The service account of the loader's pods.", { max: 253 }).optional(),
    container: loaderContainerSchema,
  },
);
