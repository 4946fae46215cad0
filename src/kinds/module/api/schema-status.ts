// The status of a Module: KMM's counters under KMM's names, counts over the fleet, and one entry per kernel.
import { INT32_MAX, kubeSchema } from "../../schema/kube-schema.ts";
import { statusSchema } from "../../schema/status-schema.ts";
import { moduleSchema } from "./schema-image.ts";

export const KERNELS_MAX = 100;

const countersSchema = kubeSchema.shape("KMM's counters.", {
  nodesMatchingSelectorNumber: statusSchema.count("Nodes that the selector matches.").optional(),
  desiredNumber: statusSchema.count("Nodes that should run it.").optional(),
  availableNumber: statusSchema.count("Nodes that run it.").optional(),
});

const nodesSchema = kubeSchema.shape("Nodes by outcome.", {
  inScope: statusSchema.count("Nodes that the Module is for."),
  fitted: statusSchema.count("Nodes whose driver is ready."),
  unfit: statusSchema.count("Nodes that cannot get the driver; problems say why."),
});

const kernelSchema = kubeSchema.shape("One kernel of the fleet.", {
  kernel: kubeSchema.text("The release.", { max: 256 }),
  image: moduleSchema.image("The image for it.").optional(),
  digest: kubeSchema
    .text("The digest of the image: what pods are pinned to, or what the registry has.", { max: 256 })
    .optional(),
  nodes: statusSchema.count("Nodes with this kernel."),
  ready: statusSchema.count("Of these, nodes whose driver is ready."),
  state: kubeSchema.choice("How far it is.", [
    "Unmapped",
    "Waiting",
    "Building",
    "Signing",
    "Failed",
    "Deploying",
    "Ready",
  ]),
  reason: kubeSchema.text("One word for the cause.", { max: 1024 }).optional(),
  message: kubeSchema.text("The cause in a sentence; the tail of the log of a failed build.", { max: 4096 }).optional(),
});

export const moduleStatusSchema = kubeSchema.shape("What Farrier found and did.", {
  observedGeneration: statusSchema.observedGeneration(),
  conditions: statusSchema.conditions(),
  moduleLoader: countersSchema.optional(),
  devicePlugin: countersSchema.optional(),
  dra: countersSchema.optional(),
  imageRebuildTriggerGeneration: kubeSchema
    .wholeNumber("The value that the images were last looked up for.", { min: -INT32_MAX, max: INT32_MAX })
    .optional(),
  imageRebuildStarted: kubeSchema
    .text("Since when images are looked up or made anew for a new value of the trigger.", { max: 64 })
    .optional(),
  nodes: nodesSchema.optional(),
  kernelCount: statusSchema.count("Kernels in scope.").optional(),
  buildingCount: statusSchema.count("Kernels whose image is being built or signed.").optional(),
  kernels: kubeSchema
    .list("The kernels in scope, at most a hundred.", kernelSchema, { max: KERNELS_MAX, type: "map", keys: ["kernel"] })
    .optional(),
  kernelsOmitted: statusSchema.count("Kernels that are not listed.").optional(),
  selector: kubeSchema.text("The node selector as text.", { max: 4096 }).optional(),
  problems: statusSchema.problems(),
});
