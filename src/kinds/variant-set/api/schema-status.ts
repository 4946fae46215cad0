// The status of a VariantSet: counts over the fleet, one entry per DaemonSet, and problems with example nodes.
import { TEMPLATE_LENGTH_MAX } from "../../../core/values/image-template.ts";
import { kubeSchema } from "../../schema/kube-schema.ts";
import { statusSchema } from "../../schema/status-schema.ts";

/** One DaemonSet per variant, and per kernel where an image names the kernel. */
export const DAEMON_SETS_MAX = 200;

const nodeCountsSchema = kubeSchema.shape("Nodes by outcome; every node in scope has exactly one.", {
  inScope: statusSchema.count("Nodes that the set is for."),
  fitted: statusSchema.count("Nodes that run what they should."),
  held: statusSchema.count("Nodes that keep what they have for now."),
  unknown: statusSchema.count("Nodes with a fact that could not be read."),
  none: statusSchema.count("Nodes that no variant matches and that get nothing."),
  excluded: statusSchema.count("Nodes that the selector or a taint leaves out."),
});

const variantStatusSchema = kubeSchema.shape("One DaemonSet of the set.", {
  name: kubeSchema.text("The variant; default for the default.", { max: 63 }),
  daemonSet: kubeSchema.text("The name of its DaemonSet.", { max: 253 }),
  image: kubeSchema.text("The image that varies, if one does.", { max: TEMPLATE_LENGTH_MAX }).optional(),
  imageState: kubeSchema
    .choice("What the registry says of the image, if it was asked.", ["Present", "Missing", "Unknown"])
    .optional(),
  nodes: statusSchema.count("Nodes that the variant is for."),
  desired: statusSchema.count("Nodes that its DaemonSet should run on."),
  ready: statusSchema.count("Nodes whose pod is ready."),
  updated: statusSchema.count("Nodes whose pod has the newest template."),
  deployed: kubeSchema.flag("The DaemonSet exists and at least one node is bound to it."),
  since: kubeSchema.text("Since when.", { max: 64 }).meta({ format: "date-time" }).optional(),
});

export const variantSetStatusSchema = kubeSchema.shape("What Farrier found and did.", {
  observedGeneration: statusSchema.observedGeneration(),
  conditions: statusSchema.conditions(),
  variantCount: statusSchema.count("Variants that have nodes.").optional(),
  nodes: nodeCountsSchema.optional(),
  variants: kubeSchema
    .list("The DaemonSets of the set.", variantStatusSchema, {
      ...{ max: DAEMON_SETS_MAX, type: "map", keys: ["daemonSet"] },
    })
    .optional(),
  problems: statusSchema.problems({
    variant: kubeSchema.text("The variant that these nodes should have, where that is known.", { max: 63 }).optional(),
  }),
});
