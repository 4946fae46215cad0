// From a stored DaemonSet, which nobody is trusted to have checked, to the value that decisions work with.
//
// This folder is the API of the advanced DaemonSet. Beside this file:
//   schema.ts, schema-update.ts, schema-status.ts: the fields, in both versions
//   crd.ts: the definition
//   spec.ts: the parsed value, which the rest of the kind reads
//   defaults.ts, convert.ts: what the webhooks fill in and convert
//   validate.ts, without-effect.ts: admission: errors, and warnings for fields that do nothing
//   gates.ts: Kruise's feature gates
import type { z } from "zod";
import type { Parsed, Problem } from "../../../core/decision/problem.ts";
import { type LabelSelector, matchLabels } from "../../../core/labels/label-selector.ts";
import { labelKeyFault, labelValueFault } from "../../../core/labels/label-syntax.ts";
import { type IntOrPercent, parseIntOrPercent } from "../../../core/values/int-or-percent.ts";
import { quoted } from "../../../core/values/shown.ts";
import { podTemplateProblems, templateLabels } from "../../pod-template/pod-template-problems.ts";
import { type PatchGround, patchProblems } from "../../pod-template/template-patch.ts";
import { problem } from "../../schema/admission.ts";
import { type Collected, collected } from "../../schema/collected.ts";
import { parseLabelSelector } from "../../schema/label-selector-schema.ts";
import { type ReadObject, readObject } from "../../schema/read-spec.ts";
import { LIFECYCLE_STATE, PREPARING_DELETE } from "../pods/lifecycle.ts";
import { daemonSetSpecSchema } from "./schema.ts";
import type { AdvancedDaemonSet, NodePatch, PreDeleteHook, RollingUpdate } from "./spec.ts";

type Written = z.output<typeof daemonSetSpecSchema>;
type WrittenUpdate = NonNullable<Written["updateStrategy"]["rollingUpdate"]>;

const nothing: LabelSelector = Object.freeze({ kind: "nothing" });

/** Parses a DaemonSet of v1beta1, whatever its shape; never throws. */
export function parseDaemonSet(object: unknown): Parsed<AdvancedDaemonSet> {
  const read = readObject(daemonSetSpecSchema, object);
  return read.ok ? parseRead(read.value) : read;
}

function parseRead({ name, namespace, spec }: ReadObject<Written>): Parsed<AdvancedDaemonSet> {
  const door = collected();
  const { template, updateStrategy } = spec;
  const templateProblems = podTemplateProblems(template, "spec.template");
  door.note([...templateProblems, ...farewellProblems(template)]);
  const selector = selectorOf(spec, door);
  return door.settle({
    name,
    namespace,
    selector,
    template,
    patches: patchesOf(spec, { template, selector, templateProblems }, door),
    updateStrategy:
      updateStrategy.type === "OnDelete"
        ? { kind: "OnDelete" }
        : rollingUpdateOf(updateStrategy.rollingUpdate ?? {}, door),
    minReadySeconds: spec.minReadySeconds ?? 0,
    burst: shareOf(spec.burstReplicas, "spec.burstReplicas", door),
    revisionsKept: spec.revisionHistoryLimit,
    preDelete: preDeleteOf(spec, door),
    replicas: spec.replicas,
    isScalingPartitioned: spec.scaleStrategy?.partitionedScaling === true,
  });
}

/** Pods that are born with the mark of those that are to go would be deleted as soon as they are seen, and made again. */
function farewellProblems(template: Written["template"]): readonly Problem[] {
  if (templateLabels(template)[LIFECYCLE_STATE] !== PREPARING_DELETE) return [];
  const path = `spec.template.metadata.labels[${quoted(LIFECYCLE_STATE)}]`;
  return problem(path, "asks for the end of every pod that is made; remove the label");
}

function selectorOf({ selector, template }: Written, door: Collected): LabelSelector {
  const path = "spec.selector";
  const compiled = door.take(parseLabelSelector(selector, path));
  if (compiled === undefined || compiled.kind === "nothing") return nothing;
  if (compiled.requirements.length === 0)
    door.note(problem(path, "is empty and would own every pod of the namespace; give the labels of the template"));
  else if (!matchLabels(compiled, templateLabels(template)))
    door.note(problem("spec.template.metadata.labels", "do not match spec.selector; give the pods its labels"));
  return compiled;
}

function patchesOf({ patches = [] }: Written, ground: PatchGround, door: Collected): readonly NodePatch[] {
  return patches
    .flatMap(({ selector, patch, priority = 0 }, index): readonly NodePatch[] => {
      const path = `spec.patches[${index}]`;
      const compiled = door.take(parseLabelSelector(selector, `${path}.selector`));
      const faults: readonly Problem[] = patchProblems(patch, ground, `${path}.patch`);
      return compiled === undefined ? [] : [{ index, priority, selector: compiled, patch, faults }];
    })
    .toSorted((a, b) => a.priority - b.priority || a.index - b.index);
}

function rollingUpdateOf(written: WrittenUpdate, door: Collected): RollingUpdate {
  const path = "spec.updateStrategy.rollingUpdate";
  const { selector, partition = 0, paused = false, strictAvailability = true } = written;
  return {
    kind: "RollingUpdate",
    isInPlacePreferred: written.rollingUpdateType === "InPlaceIfPossible",
    budget: budgetOf(written, path, door),
    candidates: selector && door.take(parseLabelSelector(selector, `${path}.selector`)),
    partition: shareOf(partition, `${path}.partition`, door),
    isPaused: paused,
    isStrict: strictAvailability,
  };
}

/** The schema has seen to it that at most one of the two is more than zero. */
function budgetOf({ maxUnavailable, maxSurge }: WrittenUpdate, path: string, door: Collected): RollingUpdate["budget"] {
  const surge = maxSurge === undefined ? undefined : shareOf(maxSurge, `${path}.maxSurge`, door);
  if (surge !== undefined && !isZero(surge)) return { kind: "surge", max: surge };
  return { kind: "unavailable", max: shareOf(maxUnavailable ?? 1, `${path}.maxUnavailable`, door) };
}

function isZero(share: IntOrPercent): boolean {
  return share.kind === "count" ? share.count === 0 : share.percent === 0;
}

function shareOf(value: number | string, path: string, door: Collected): IntOrPercent {
  return door.take(parseIntOrPercent(value, path)) ?? { kind: "count", count: 1 };
}

function preDeleteOf({ lifecycle }: Written, door: Collected): PreDeleteHook | undefined {
  const hook = lifecycle?.preDelete;
  for (const [key, value] of Object.entries(hook?.labelsHandler ?? {})) {
    const fault = labelKeyFault(key) ?? labelValueFault(value);
    const path = `spec.lifecycle.preDelete.labelsHandler[${quoted(key)}]`;
    if (fault !== undefined) door.note(problem(path, `${fault}; no pod can have this label, so it would hold none`));
  }
  return (
    hook && {
      labels: hook.labelsHandler ?? {},
      finalizers: hook.finalizersHandler ?? [],
      isMarkedNotReady: hook.markPodNotReady === true,
    }
  );
}
