// The scale subresource: a small object of its own that shows and sets the replicas of another.
import type { JsonObject } from "../../src/core/json.ts";
import { metaOf, numberAt, objectAt, textAt, valueAtPath, withValueAtPath } from "./api-object.ts";
import type { ApiRequest } from "./api-request.ts";
import { bodyText } from "./json-body.ts";
import { readPatch } from "./patch-object.ts";
import type { Endpoint } from "./resource-table.ts";
import type { ScalePaths } from "./resource-type.ts";
import { readSentObject } from "./sent-object.ts";
import { type Answer, jsonAnswer, type ServerParts, type Target } from "./server-parts.ts";
import type { StrategicPatches } from "./strategic-patch.ts";
import { currentOf, updateObject } from "./update-object.ts";
import { readWriteOptions } from "./write-options.ts";

/** The replicas of an object, as a Scale. */
export async function readScale(parts: ServerParts, target: Target, paths: ScalePaths): Promise<Answer> {
  const { endpoint } = target;
  const object = await endpoint.convert(currentOf(parts, target).object, endpoint.apiVersion);
  return jsonAnswer(200, scaleOf(object, paths));
}

/** Sets the replicas of an object, by a whole Scale or by a patch of one. */
export async function writeScale(
  parts: ServerParts & { readonly strategic: StrategicPatches },
  target: Target,
  request: ApiRequest,
  paths: ScalePaths,
): Promise<Answer> {
  const isPatch = request.method === "PATCH";
  const options = readWriteOptions(request, isPatch ? "PatchOptions" : "UpdateOptions");
  const next = isPatch
    ? readPatch(request, target.endpoint, parts.strategic).apply
    : () => readSentObject(bodyText(request.body), scaleEndpoint(target.endpoint), options);
  const revise = (current: JsonObject) => {
    const scale = next(scaleOf(current, paths));
    const replicas = numberAt(objectAt(scale, "spec"), "replicas") ?? 0;
    const version = textAt(metaOf(scale), "resourceVersion");
    const versioned = version === "" ? current : withValueAtPath(current, "metadata.resourceVersion", version);
    return withValueAtPath(versioned, paths.specReplicasPath, replicas);
  };
  const written = await updateObject(parts, target, { revise, options, isTracked: true });
  return jsonAnswer(200, scaleOf("dryRun" in written ? written.dryRun : written.change.object, paths));
}

/** A Scale has no rules but its shape. */
function scaleEndpoint(endpoint: Endpoint): Endpoint {
  const rules = { decode: (value: JsonObject) => ({ ok: true, value, unknown: [] }) as const };
  return { ...endpoint, apiVersion: "autoscaling/v1", type: { ...endpoint.type, kind: "Scale", rules } };
}

function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const { name = "", namespace = "", uid = "", resourceVersion = "", creationTimestamp = "" } = metaOf(object);
  const selector = paths.labelSelectorPath === undefined ? undefined : valueAtPath(object, paths.labelSelectorPath);
  return {
    ...{ kind: "Scale", apiVersion: "autoscaling/v1" },
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAtPath(object, paths.specReplicasPath) ?? 0 },
    status: {
      replicas: valueAtPath(object, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === "string" ? { selector } : {}),
    },
  };
}
