// The pod of a site that brings its own builder: its template, with the order given to every container as files and variables. The
// kubelet fills `$(TARGET_IMAGE)` and the like into its arguments.

import { textsIn } from "../../../core/decision/object-identity.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { listOf, objectAt } from "../../schema/json-parts.ts";
import { givenTo, REGISTRY_FOLDER, verbatim } from "./build-given.ts";
import type { BuildOrder } from "./build-order.ts";

/** The pod of the template with the order filled in; what the template says of its containers stays as it is. */
export function templatePod(order: BuildOrder, template: JsonObject) {
  const spec = objectAt(template, "spec");
  const given = givenTo(order);
  const fill = (containers: Json | undefined): JsonObject[] =>
    listOf(containers)
      .filter(isJsonObject)
      .map((container) => ({
        ...container,
        env: [...environment(order), ...listOf(container.env)],
        volumeMounts: [...listOf(container.volumeMounts), ...given.mounts],
      }));
  return {
    annotations: textsIn(objectAt(template, "metadata").annotations),
    spec: {
      ...spec,
      initContainers: fill(spec.initContainers),
      containers: fill(spec.containers),
      volumes: [...listOf(spec.volumes), ...given.volumes],
    },
  };
}

/** First, so that the template's own variables can use them. */
function environment({ stage, image, args, imageTls, sourceTls }: BuildOrder): JsonObject[] {
  const values = {
    ...{ BUILD_STAGE: stage, TARGET_IMAGE: image, BUILD_ARGS: JSON.stringify(Object.fromEntries(args)) },
    DOCKER_CONFIG: REGISTRY_FOLDER,
    TARGET_IS_PLAIN_HTTP: String(imageTls.isPlainHttp),
    TARGET_SKIPS_VERIFICATION: String(imageTls.isAnyCertificateFine),
    BASE_IS_PLAIN_HTTP: String(sourceTls.isPlainHttp),
    BASE_SKIPS_VERIFICATION: String(sourceTls.isAnyCertificateFine),
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: verbatim(value) }));
}
