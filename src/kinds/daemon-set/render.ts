// Rendering: the template with the patches of a class of nodes applied, checked as the template is, with what every daemon pod
// gets on top. The result is shared by all nodes of the class; `pod-body.ts` makes it the pod of one of them.

import type { Parsed, Problem } from "../../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { type LabelSelector, matchLabels } from "../../core/labels/label-selector.ts";
import { compileDaemonEligibility, type DaemonEligibility } from "../../core/scheduling/daemon-eligibility.ts";
import { withDaemonTolerations } from "../../core/scheduling/daemon-tolerations.ts";
import { StrategicMergeError } from "../../core/strategic-merge/error.ts";
import { createStrategicMerge } from "../../core/strategic-merge/strategic-merge.ts";
import { podTemplateProblems, templateLabels } from "../pod-template/pod-template-problems.ts";
import type { SoundParts } from "../pod-template/sound-parts.ts";
import { problem } from "../schema/admission.ts";
import { listOf, objectAt } from "../schema/json-parts.ts";
import type { PatchMatch } from "./match-patches.ts";
import { type TemplateIdentity, withoutDirective } from "./revision/revision-template.ts";

/** What the pods of one class of nodes have in common. It is shared, with parts of the template and of the patches in it. */
export type Rendered = {
  /** Where the applied patches stand in spec.patches, in the order of application: `2,0`. */
  readonly places: string;
  /** The identity of the template: equal templates have equal hashes, whichever patches made them. */
  readonly hash: string;
  /** The template with the patches applied and nothing else. */
  readonly template: JsonObject;
  /** The spec of the pods, without their node. */
  readonly podSpec: JsonObject;
  readonly eligibility: DaemonEligibility;
};

export type RenderGround = {
  readonly template: JsonObject;
  /** Pods must match it, or nobody would know whose they are. */
  readonly selector: LabelSelector;
  /** Readiness gates that pods get on top of their own: for updates in place, or to leave the service before they go. */
  readonly gates: readonly string[];
  /** Keeps the digests of parts, which the classes of a set share. */
  readonly identityOf: TemplateIdentity;
  /** Parts of the template and of its patches that need not be checked again, or only in part. */
  readonly sound: SoundParts;
};

/** Renders the pods of one class of nodes, or says why there cannot be any; never throws on what a user wrote. */
export function renderPods(ground: RenderGround, match: PatchMatch): Parsed<Rendered> {
  const { template, selector, gates, identityOf, sound } = ground;
  const faults = match.patches.flatMap((patch) => patch.faults);
  if (faults.length > 0) return { ok: false, problems: faults };
  const merged = mergePatches(template, match);
  if (!merged.ok) return merged;
  const problems = [...podTemplateProblems(merged.value, "template", sound), ...labelProblems(merged.value, selector)];
  if (problems.length > 0) return { ok: false, problems: problems.map((each) => inCombination(each, match)) };
  const podSpec = podSpecOf(merged.value, gates);
  const hash = identityOf(merged.value);
  const eligibility = compileDaemonEligibility(podSpec, { comparisonOperators: true });
  return { ok: true, value: { places: match.places, hash, template: merged.value, podSpec, eligibility } };
}

/** The template with patches applied one after the other, or the patch and the path at which that ends. */
export function mergePatches(template: JsonObject, { patches }: PatchMatch): Parsed<JsonObject> {
  const merge = createStrategicMerge();
  let merged = withoutDirective(template);
  for (const { patch, index } of patches) {
    try {
      merged = merge(merged, patch);
    } catch (error) {
      if (!(error instanceof StrategicMergeError)) throw error;
      return { ok: false, problems: problem(`spec.patches[${index}].patch`, error.message) };
    }
  }
  return { ok: true, value: merged };
}

function labelProblems(template: JsonObject, selector: LabelSelector): readonly Problem[] {
  if (matchLabels(selector, templateLabels(template))) return [];
  return problem("template.metadata.labels", "do not match spec.selector; leave the labels that it names alone");
}

function inCombination({ path, message }: Problem, { places }: PatchMatch): Problem {
  if (places === "") return { path: `spec.${path}`, message };
  return { path: "spec.patches", message: `with patches ${places} applied in this order, ${path}: ${message}` };
}

/** Tolerations come after the patches, which may have moved the pod into the host's network. */
function podSpecOf(template: JsonObject, gates: readonly string[]): JsonObject {
  const spec = objectAt(template, "spec");
  const tolerations = withDaemonTolerations(listOf(spec.tolerations), spec.hostNetwork === true);
  return {
    ...spec,
    ...(gates.length === 0 ? {} : { readinessGates: withGates(spec.readinessGates, gates) }),
    tolerations,
  };
}

function withGates(given: Json | undefined, gates: readonly string[]): readonly Json[] {
  const own = listOf(given);
  const isThere = (type: string) => own.some((gate) => isJsonObject(gate) && gate.conditionType === type);
  return [...own, ...gates.filter((type) => !isThere(type)).map((conditionType) => ({ conditionType }))];
}
