// The Module that most stories about drivers are told of: an image for each of two kernels. For tests.
import type { JsonObject } from "../../../core/json/json.ts";
import { mappedModule } from "./module-builders.ts";
import type { ModuleStage } from "./module-stage.ts";

/** Of the Module on a stage. */
export const UID = "uid-of-my-kmod";
export const KERNEL = "kmm.node.kubernetes.io/kernel-version.full";

export const image = (tag: string) => `registry.example.com/kmod:${tag}`;

/** The Module, with these tags for its kernels. */
export const byKernel = (el9 = "el9", ubuntu = "ubuntu", more: JsonObject = {}) =>
  mappedModule(
    [
      { regexp: "el9", containerImage: image(el9) },
      { regexp: "generic$", containerImage: image(ubuntu) },
    ],
    more,
  );

/** The kernels that have a DaemonSet. */
export const kernelsOf = (stage: ModuleStage) =>
  stage.cluster
    .workloadsOf(UID)
    .map(({ labels }) => labels[KERNEL])
    .sort();
