// What can be done to a pod beside writing it: a scheduler binds it to a node, and whoever drains a node evicts it.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, objectAt, textAt, withFields, withMeta } from "../api-object.ts";
import { badRequest, conflict, type Refusal, success } from "../faults/status.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { bodyText, readJson } from "../request/json-body.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { type Answer, jsonAnswer, type ServerParts, type Target } from "../server-parts.ts";
import { deleteObject, parseDeleteOptions, requirePreconditions } from "./delete-object.ts";
import { spendBudget } from "./disruption-budgets.ts";
import { currentOf, updateObject } from "./update-object.ts";

/** Gives a pod its node, once. */
export async function bindPod(parts: ServerParts, target: Target, request: ApiRequest): Promise<Answer> {
  const options = readWriteOptions(request, "CreateOptions");
  const binding = readBody(request, "Binding", target.name);
  const nodeName = textAt(objectAt(binding, "target"), "name");
  const { labels, annotations } = metaOf(binding);
  const revise = (pod: JsonObject) => {
    if (metaOf(pod).deletionTimestamp !== undefined)
      throw bindingConflict(target.name, `pod ${target.name} is being deleted, cannot be assigned to a host`);
    const there = textAt(objectAt(pod, "spec"), "nodeName");
    if (there !== "") throw bindingConflict(target.name, `pod ${target.name} is already assigned to node "${there}"`);
    const bound = withFields(pod, {
      spec: withFields(objectAt(pod, "spec"), { nodeName }),
      status: scheduled(objectAt(pod, "status"), parts.now()),
    });
    const { labels: hisLabels = {}, annotations: hisAnnotations = {} } = metaOf(pod);
    return withMeta(bound, {
      ...(isJsonObject(labels) && isJsonObject(hisLabels) ? { labels: { ...hisLabels, ...labels } } : {}),
      ...(isJsonObject(annotations) && isJsonObject(hisAnnotations)
        ? { annotations: { ...hisAnnotations, ...annotations } }
        : {}),
    });
  };
  await updateObject(parts, target, { revise, options, isTracked: false });
  return jsonAnswer(201, success(201));
}

function bindingConflict(name: string, because: string): Refusal {
  return conflict("", "pods/binding", name, because);
}

function scheduled(status: JsonObject, now: string): JsonObject {
  return withCondition(status, "PodScheduled", { lastProbeTime: null, lastTransitionTime: now });
}

/** The status with a condition that holds: one that is there keeps its place, and its time if it held before. */
function withCondition(status: JsonObject, type: string, more: JsonObject): JsonObject {
  const conditions = listAt(status, "conditions");
  const at = conditions.findIndex((each) => isJsonObject(each) && each.type === type);
  const there = conditions[at];
  const met = { type, status: "True", ...more };
  if (!isJsonObject(there)) return withFields(status, { conditions: [...conditions, met] });
  const { lastTransitionTime = null } = there;
  const kept = there.status === "True" ? { lastTransitionTime } : {};
  return withFields(status, { conditions: conditions.with(at, { ...met, ...kept }) });
}

/** Deletes a pod on behalf of someone who drains its node; its status says so. */
export async function evictPod(parts: ServerParts, target: Target, request: ApiRequest): Promise<Answer> {
  const options = readWriteOptions(request, "CreateOptions");
  const asked = parseDeleteOptions(objectAt(readBody(request, "Eviction", target.name), "deleteOptions"));
  const isDryRun = options.isDryRun || asked.isDryRun;
  const lastTransitionTime = parts.now();
  const evicted = currentOf(parts, target).object;
  requirePreconditions(evicted, target, asked);
  spendBudget(parts.store, evicted, { isDryRun, now: lastTransitionTime });
  const told = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
  const revise = (pod: JsonObject) => {
    requirePreconditions(pod, target, asked);
    const more = { lastProbeTime: null, lastTransitionTime, ...told };
    return withFields(pod, { status: withCondition(objectAt(pod, "status"), "DisruptionTarget", more) });
  };
  await updateObject(parts, target, { revise, options: { ...options, isDryRun }, isTracked: false });
  // The mark has changed the version; who named one meant the pod as it was.
  await deleteObject(parts, target, { ...asked, resourceVersion: "", isDryRun });
  return jsonAnswer(201, success(201));
}

/** What is asked for a pod, which both the path and the body must name. */
function readBody(request: ApiRequest, kind: string, name: string): JsonObject {
  const read = readJson(bodyText(request.body));
  if (!read.ok) throw badRequest(`couldn't get version/kind; json parse error: ${read.because}`);
  const asked = isJsonObject(read.value) ? read.value : {};
  if (textAt(metaOf(asked), "name") === name) return asked;
  throw badRequest(`name in URL does not match name in ${kind} object`);
}
