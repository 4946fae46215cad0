// The pod that carries out an order: the builder's own spec, and around it what holds for every builder.
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { DOCKERFILE_ANNOTATION } from "./build-given.ts";
import type { BuildOrder } from "./build-order.ts";
import { buildahPod } from "./build-pod-buildah.ts";
import { buildkitPod } from "./build-pod-buildkit.ts";
import { kanikoPod } from "./build-pod-kaniko.ts";
import { templatePod } from "./build-pod-template.ts";
import type { BuildSite } from "./build-site.ts";

export type BuildPod = { readonly annotations: Readonly<Record<string, string>>; readonly spec: JsonObject };

/** The pod for an order: no token, no second try of its own, on a machine of the right architecture. */
export function buildPod(order: BuildOrder, site: BuildSite): BuildPod {
  const { annotations, spec } = builderPod(order, site);
  const text = "text" in order.dockerfile ? { [DOCKERFILE_ANNOTATION]: order.dockerfile.text } : {};
  const build = (containers: JsonObject[string] | undefined) =>
    listOf(containers)
      .filter(isJsonObject)
      // The end of the log becomes the last message of a container that fails.
      .map((each) => ({ terminationMessagePolicy: "FallbackToLogsOnError", resources: site.resources, ...each }));
  const initContainers = build(spec.initContainers);
  return {
    annotations: { ...annotations, ...text },
    spec: {
      ...{ enableServiceLinks: false, ...spec },
      ...(initContainers.length === 0 ? {} : { initContainers }),
      containers: build(spec.containers),
      ...{ restartPolicy: "Never", automountServiceAccountToken: false },
      nodeSelector: { ...objectAt(spec, "nodeSelector"), ...order.nodeSelector },
      tolerations: [...listOf(spec.tolerations), ...order.tolerations],
    },
  };
}

function builderPod(order: BuildOrder, { builder }: BuildSite): BuildPod {
  switch (builder.is) {
    case "buildkit":
      return buildkitPod(order, builder.image);
    case "buildah":
      return { annotations: {}, spec: buildahPod(order, builder.image) };
    case "kaniko":
      return { annotations: {}, spec: kanikoPod(order, builder.image) };
    case "template":
      return templatePod(order, builder.template);
  }
}
