// The columns of workloads, as the real server prints them: what they want and have, and in wide tables containers and selector.

import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { compileLabelSelector, labelSelectorText } from "../../../src/core/labels/label-selector.ts";
import { metaOf, numberAt, objectAt, textAt } from "../api-object.ts";
import { printSpan } from "./age.ts";
import { ageColumn, type Column, column, count, counted, labelsText, NONE, nameColumn, wideColumn } from "./column.ts";
import { conditionOf, objectsAt } from "./pod-cells.ts";

/** The container names, images and selector of a workload. */
const containers: readonly Column[] = [
  wideColumn("Containers", (object) =>
    containersOf(object)
      .map((each) => textAt(each, "name"))
      .join(","),
  ),
  wideColumn("Images", (object) =>
    containersOf(object)
      .map((each) => textAt(each, "image"))
      .join(","),
  ),
  wideColumn("Selector", (object) => selectorText(objectAt(object, "spec").selector)),
];

function containersOf(object: JsonObject): readonly JsonObject[] {
  const template = objectAt(objectAt(object, "spec"), "template");
  return objectsAt(objectAt(template, "spec"), "containers");
}

function selectorText(selector: Json | undefined): string {
  const compiled = compileLabelSelector(selector ?? {});
  return compiled.ok ? labelSelectorText(compiled.value) || NONE : "<error>";
}

const job: readonly Column[] = [
  nameColumn,
  column("Status", jobStatus),
  column("Completions", completions),
  column("Duration", jobDuration),
  ageColumn,
  ...containers,
];

/** The word of a job's first true condition in this order; a deletion comes before those that are still on their way. */
function jobStatus(object: JsonObject): string {
  const is = (type: string) => conditionOf(objectAt(object, "status"), type) === "True";
  const over = ["Complete", "Failed"].find(is);
  if (over !== undefined) return over;
  if (metaOf(object).deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running";
}

function completions(object: JsonObject): string {
  const spec = objectAt(object, "spec");
  const succeeded = numberAt(objectAt(object, "status"), "succeeded") ?? 0;
  const wanted = numberAt(spec, "completions");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = numberAt(spec, "parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(object: JsonObject, nowMs: number): string {
  const status = objectAt(object, "status");
  const begin = textAt(status, "startTime");
  const end = textAt(status, "completionTime");
  return begin === "" ? "" : printSpan((end === "" ? nowMs : Date.parse(end)) - Date.parse(begin));
}

function controllerOf(object: JsonObject): string {
  const owner = objectsAt(metaOf(object), "ownerReferences").find(({ controller }) => controller === true);
  if (owner === undefined) return NONE;
  const [group = ""] = textAt(owner, "apiVersion").split("/").slice(0, -1);
  const kind = group === "" ? textAt(owner, "kind") : `${textAt(owner, "kind")}.${group}`;
  return `${kind.toLowerCase()}/${textAt(owner, "name")}`;
}

/** Columns by the store's names of resources. */
export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  "daemonsets.apps": [
    nameColumn,
    counted("Desired", ".status.desiredNumberScheduled"),
    counted("Current", ".status.currentNumberScheduled"),
    counted("Ready", ".status.numberReady"),
    counted("Up-to-date", ".status.updatedNumberScheduled"),
    counted("Available", ".status.numberAvailable"),
    column("Node Selector", (object) => {
      const template = objectAt(objectAt(object, "spec"), "template");
      return labelsText(objectAt(objectAt(template, "spec"), "nodeSelector"));
    }),
    ageColumn,
    ...containers,
  ],
  "deployments.apps": [
    nameColumn,
    column("Ready", (object) => `${count(".status.readyReplicas")(object, 0)}/${count(".spec.replicas")(object, 0)}`),
    column("Up-to-date", count(".status.updatedReplicas")),
    column("Available", count(".status.availableReplicas")),
    ageColumn,
    ...containers,
  ],
  "replicasets.apps": [
    nameColumn,
    counted("Desired", ".spec.replicas"),
    counted("Current", ".status.replicas"),
    counted("Ready", ".status.readyReplicas"),
    ageColumn,
    ...containers,
  ],
  "controllerrevisions.apps": [
    nameColumn,
    column("Controller", controllerOf),
    column("Revision", count(".revision")),
    ageColumn,
  ],
  "jobs.batch": job,
};
