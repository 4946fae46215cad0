// All doors of Farrier: the kinds that a process may serve.

import { DEFAULT_GATES, type Gates } from "./daemon-set/api/gates.ts";
import { createDaemonSetKind } from "./daemon-set/daemon-set-kind.ts";
import type { Binding } from "./daemon-set/pods/pod-body.ts";
import type { Kind } from "./kind.ts";
import { BUILD_SITE, type BuildSite } from "./module/build/build-site.ts";
import { planBuilds } from "./module/build/plan-builds.ts";
import { createModuleKind } from "./module/module-kind.ts";
import { createVariantSetKind } from "./variant-set/variant-set-kind.ts";

export type KindOptions = {
  readonly gates?: Gates;
  readonly site?: BuildSite;
  /** Who binds the pods of advanced DaemonSets. */
  readonly binding?: Binding;
  /** The server lets memory be taken from containers that run. */
  readonly canShrinkMemory?: boolean;
};

export const KIND_NAMES: readonly string[] = ["Module", "VariantSet", "DaemonSet"];

/** Makes all kinds. They remember what they have worked out, so one set of them should serve a process. */
export function createKinds({
  gates = DEFAULT_GATES,
  site = BUILD_SITE,
  binding = "scheduler",
  canShrinkMemory = false,
}: KindOptions = {}): readonly Kind[] {
  return [
    createModuleKind({ planBuilds: (input) => planBuilds(input, site) }),
    createVariantSetKind(),
    createDaemonSetKind({ gates, binding, canShrinkMemory }),
  ];
}
