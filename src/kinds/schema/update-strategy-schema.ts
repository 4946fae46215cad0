// The update strategy of the kinds whose children are DaemonSets: one budget per object, over all its children.
import { type IntOrPercent, parseIntOrPercent } from "../../core/values/int-or-percent.ts";
import { kubeSchema } from "./kube-schema.ts";

const zeroPattern = /^0+%?$/;

export type WrittenStrategy = {
  readonly maxUnavailable: number | string;
  readonly maxParallel?: number | string | undefined;
  readonly paused: boolean;
};

export type UpdateStrategy = {
  readonly maxUnavailable: IntOrPercent;
  /** Nodes that may be on the move at once, ready or not; as many as may be unavailable if not given. */
  readonly maxParallel: IntOrPercent;
  readonly isPaused: boolean;
};

/** Builds the field. */
export const updateStrategySchema = {
  of: () =>
    kubeSchema.ruled(
      kubeSchema.shape("How nodes are moved to something new: one budget for the whole object.", {
        maxUnavailable: kubeSchema.intOrPercent("Nodes that may be without a ready pod at once.").default(1),
        maxParallel: kubeSchema
          .intOrPercent("Nodes that may be on the move at once; as many as maxUnavailable without it.")
          .optional(),
        paused: kubeSchema.flag("Move no node until this is false again.").default(false),
      }),
      [
        {
          cel: "!has(self.maxUnavailable) || !string(self.maxUnavailable).matches('^0+%?$')",
          holds: ({ maxUnavailable }) => !zeroPattern.test(String(maxUnavailable)),
          message: "must not be zero, or no node could ever move; use paused to stop updates",
          at: "maxUnavailable",
        },
        {
          cel: "!has(self.maxParallel) || !string(self.maxParallel).matches('^0+%?$')",
          holds: ({ maxParallel }) => maxParallel === undefined || !zeroPattern.test(String(maxParallel)),
          message: "must not be zero, or no node could ever move; use paused to stop updates",
          at: "maxParallel",
        },
      ],
    ),
} as const;

/** The strategy of a spec that the schema accepted. */
export function readUpdateStrategy({ maxUnavailable, maxParallel, paused }: WrittenStrategy): UpdateStrategy {
  return {
    maxUnavailable: shareOf(maxUnavailable),
    maxParallel: shareOf(maxParallel ?? maxUnavailable),
    isPaused: paused,
  };
}

/** A value that the schema accepted always parses; were it not so, one node at a time is the careful answer. */
function shareOf(value: number | string): IntOrPercent {
  const parsed = parseIntOrPercent(value, "");
  return parsed.ok ? parsed.value : { kind: "count", count: 1 };
}
