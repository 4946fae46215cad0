// The scale subresource: a small object of its own that shows and sets the replicas of another.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt, valueAtPath, withValueAtPath } from "../api-object.ts";
import { invalidValue } from "../faults/field-error.ts";
import { internalError, invalid, type Refusal } from "../faults/status.ts";
import type { StrategicPatches } from "../patch/strategic-patch.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { bodyText } from "../request/json-body.ts";
import { readSentObject } from "../request/sent-object.ts";
import { readWriteOptions } from "../request/write-options.ts";
import type { Endpoint } from "../resource-table.ts";
import type { ScalePaths } from "../resource-type.ts";
import { type Answer, jsonAnswer, type ServerParts, type Target } from "../server-parts.ts";
import { readPatch } from "./patch-object.ts";
import { currentOf, updateObject } from "./update-object.ts";

/** The replicas of an object, as a Scale. */
export async function readScale(parts: ServerParts, target: Target, paths: ScalePaths): Promise<Answer> {
  const { endpoint } = target;
  const object = await endpoint.convert(currentOf(parts, target).object, endpoint.apiVersion);
  if (endpoint.type.isCustom && valueAtPath(object, paths.specReplicasPath) === undefined)
    throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} does not exist`);
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
    if (replicas < 0 && !target.endpoint.type.isCustom) throw negative(target.name, replicas);
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
  const replicas = valueAtPath(object, paths.specReplicasPath) ?? 0;
  return {
    ...{ kind: "Scale", apiVersion: "autoscaling/v1" },
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // Go leaves a zero out.
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueAtPath(object, paths.statusReplicasPath) ?? 0,
      ...(typeof selector === "string"
        ? { selector }
        : isJsonObject(selector)
          ? { selector: selectorText(selector) }
          : {}),
    },
  };
}

/** A label selector of a built-in kind as the text that a query would have. */
function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, "matchLabels")).map(([key, value]) => `${key}=${value}`);
  const terms = listAt(selector, "matchExpressions").filter(isJsonObject).map(termText);
  return [...labels, ...terms].sort().join(",");
}

function termText(term: JsonObject): string {
  const key = textAt(term, "key");
  const values = `(${listAt(term, "values").map(String).sort().join(",")})`;
  switch (term.operator) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return `${key} ${textAt(term, "operator").toLowerCase()} ${values}`;
  }
}

function negative(name: string, replicas: number): Refusal {
  const fault = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
  return invalid("autoscaling", "Scale", name, [fault]);
}
