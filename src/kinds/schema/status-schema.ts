// Parts of a status that all kinds share: conditions by the API conventions, and problems with a few example nodes. A
// status never holds a list that grows with the fleet.
import type { z } from "zod";
import { CONDITION_MESSAGE_MAX } from "../../core/decision/conditions.ts";
import { INT32_MAX, kubeSchema } from "./kube-schema.ts";

export const CONDITIONS_MAX = 32;
export const PROBLEM_GROUPS_MAX = 20;
export const EXAMPLE_NODES_MAX = 10;
const REASON_MAX = 1024;
const NAME_MAX = 253;

const conditionSchema = kubeSchema.shape("One condition.", {
  type: kubeSchema.text("The kind of condition.", { max: 316, min: 1 }),
  status: kubeSchema.choice("Whether it holds.", ["True", "False", "Unknown"]),
  observedGeneration: kubeSchema
    .wholeNumber("The generation that the condition speaks of.", { min: 0, max: Number.MAX_SAFE_INTEGER })
    .optional(),
  lastTransitionTime: kubeSchema
    .text("When the status changed last.", { max: 64 })
    .meta({ format: "date-time" })
    .optional(),
  reason: kubeSchema
    .text("One word for the cause; docs/reference/reasons.md lists them.", { max: REASON_MAX })
    .optional(),
  message: kubeSchema.text("The cause in a sentence.", { max: CONDITION_MESSAGE_MAX }).optional(),
});

const problemFields = Object.freeze({
  reason: kubeSchema.text("One word for the cause.", { max: REASON_MAX }),
  message: kubeSchema.text("The cause in a sentence, as it is on the first example.", { max: CONDITION_MESSAGE_MAX }),
  nodes: kubeSchema.wholeNumber("How many nodes have it.", { min: 0, max: INT32_MAX }),
  examples: kubeSchema.list("Some of these nodes.", kubeSchema.text("The name of a node.", { max: NAME_MAX }), {
    max: EXAMPLE_NODES_MAX,
    type: "atomic",
  }),
});

/** Builders of the shared parts of a status. */
export const statusSchema = {
  observedGeneration: () =>
    kubeSchema
      .wholeNumber("The generation of the spec that this status describes.", { min: 0, max: Number.MAX_SAFE_INTEGER })
      .optional(),
  conditions: () =>
    kubeSchema
      .list("Conditions, one per type.", conditionSchema, { max: CONDITIONS_MAX, type: "map", keys: ["type"] })
      .optional(),
  /** A kind may group its nodes by more than the cause. */
  problems: (groupedBy: z.ZodRawShape = {}) => {
    const problem = kubeSchema.shape("Nodes that have the same trouble.", { ...groupedBy, ...problemFields });
    return kubeSchema
      .list("What keeps nodes from being fitted, by cause.", problem, { max: PROBLEM_GROUPS_MAX, type: "atomic" })
      .optional();
  },
  count: (description: string) => kubeSchema.wholeNumber(description, { min: 0, max: INT32_MAX }),
} as const;
