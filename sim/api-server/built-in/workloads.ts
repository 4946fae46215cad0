// DaemonSets, Deployments, ReplicaSets, Jobs and the revisions of sets: defaults that depend on other fields, what a create or
// change sets, and what is refused.
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { compileLabelSelector, matchLabels } from "../../../src/core/labels/label-selector.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { metaOf, numberAt, objectAt, textAt, withFields, withMeta } from "../api-object.ts";
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import { labelValueFaults } from "../faults/name-syntax.ts";
import { setFields } from "../patch/change-json.ts";
import type { KindRules } from "../resource-type.ts";
import { isSameJson } from "../same-json.ts";
import { completeTemplate } from "./pod.ts";
import { templateFaults } from "./pod-faults.ts";
import { labelSelectorFaults } from "./selector-faults.ts";

/** The rules of a kind with the defaults that decoding does not know. */
export type MoreRules = Omit<KindRules, "decode"> & { readonly complete?: (object: JsonObject) => JsonObject };

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
const immutable = "field is immutable";
const percentWords =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

const specOf = (object: JsonObject) => objectAt(object, "spec");
const templateOf = (object: JsonObject) => objectAt(specOf(object), "template");
const labelsOf = (holder: JsonObject) => objectAt(objectAt(holder, "metadata"), "labels");
const withSpec = (object: JsonObject, fields: { readonly [key: string]: Json | undefined }) =>
  setFields(object, { spec: setFields(specOf(object), fields) });

export const daemonSetRules: MoreRules = {
  complete: (set) =>
    withTemplateGeneration(
      rolling(completeTemplate(set), "updateStrategy", { maxUnavailable: 1, maxSurge: 0 }),
      (was) => was,
    ),
  prepareCreate: (set) => withTemplateGeneration(set, (was) => Math.max(was, 1)),
  prepareUpdate: (next, old) => {
    const isNew = !isSameJson(templateOf(next), templateOf(old));
    return withTemplateGeneration(next, () => templateGeneration(old) + (isNew ? 1 : 0));
  },
  validate: (set) => daemonSetFaults(set),
  validateUpdate: (next, old) => [...selectorChange(next, old), ...daemonSetFaults(next, old)],
};

export const deploymentRules: MoreRules = {
  complete: (deployment) =>
    rolling(completeTemplate(deployment), "strategy", { maxUnavailable: "25%", maxSurge: "25%" }),
  // Of what a write of the status brings along, only labels are left as they were.
  prepareStatus: (next, old) => withMeta(next, { labels: metaOf(old).labels }),
  validate: (deployment) => replicatedFaults(deployment, "deployment"),
  validateUpdate: (next, old) => [...selectorChange(next, old), ...replicatedFaults(next, "deployment", old)],
};

export const replicaSetRules: MoreRules = {
  complete: completeTemplate,
  validate: (set) => replicatedFaults(set, "deployment"),
  validateUpdate: (next, old) => [...selectorChange(next, old), ...replicatedFaults(next, "deployment", old)],
};

export const jobRules: MoreRules = {
  complete: completeJob,
  prepareCreate: withJobLabels,
  validate: (job) => jobFaults(job),
  validateUpdate: (next, old) => [
    ...jobFaults(next, old),
    ...["completions", "selector", "template", "completionMode", "podFailurePolicy"].flatMap((field) => {
      const [value, was] = [specOf(next)[field], specOf(old)[field]];
      const isKept = isSameJson(value, was) || (field === "template" && isRescheduled(next, old));
      return isKept ? [] : [invalidValue(`spec.${field}`, value ?? null, immutable)];
    }),
  ],
};

/** A suspended job that never ran may still change where its pods go, and nothing else of them. */
function isRescheduled(next: JsonObject, old: JsonObject): boolean {
  if (specOf(old).suspend !== true || objectAt(old, "status").startTime !== undefined) return false;
  const fixed = (job: JsonObject) => {
    const template = templateOf(job);
    const free = { nodeSelector: undefined, affinity: undefined, tolerations: undefined, schedulingGates: undefined };
    return withMeta(setFields(template, { spec: withFields(objectAt(template, "spec"), free) }), {
      ...{ labels: undefined, annotations: undefined },
    });
  };
  return isSameJson(fixed(next), fixed(old));
}

export const controllerRevisionRules: MoreRules = {
  validate: (revision) => (isJsonObject(revision.data) ? [] : [requiredValue("data", "data is mandatory")]),
  // The real server compares what was written, so that another order of keys is a change to it.
  validateUpdate: ({ data = null }, { data: before = null }) =>
    data === before || printJson(data) === printJson(before)
      ? []
      : [invalidValue("data", JSON.parse(canonicalJson(data)), immutable)],
};

/** A rolling update, the default, has its numbers; other strategies have none. */
function rolling(object: JsonObject, key: string, numbers: JsonObject): JsonObject {
  const strategy = objectAt(specOf(object), key);
  if (strategy.type !== "RollingUpdate" || strategy.rollingUpdate !== undefined) return object;
  return withSpec(object, { [key]: setFields(strategy, { rollingUpdate: numbers }) });
}

/** The real server keeps this count apart and shows it as an annotation. */
function withTemplateGeneration(set: JsonObject, count: (was: number) => number): JsonObject {
  const before = objectAt(metaOf(set), "annotations");
  const annotations = setFields(before, { [TEMPLATE_GENERATION]: String(count(templateGeneration(set))) });
  return annotations === before ? set : withMeta(set, { annotations });
}

function templateGeneration(set: JsonObject): number {
  return Number.parseInt(textAt(objectAt(metaOf(set), "annotations"), TEMPLATE_GENERATION), 10) || 0;
}

function selectorChange(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const { selector = null } = specOf(next);
  return isSameJson(selector, specOf(old).selector) ? [] : [invalidValue("spec.selector", selector, immutable)];
}

function daemonSetFaults(set: JsonObject, old?: JsonObject): readonly FieldError[] {
  const pod = objectAt(templateOf(set), "spec");
  const { type, rollingUpdate = null } = objectAt(specOf(set), "updateStrategy");
  const path = "spec.updateStrategy";
  return [
    ...selectorFaults(set, "daemonset"),
    ...templateFaults(set, old),
    ...onlyAlways(pod),
    ...(pod.activeDeadlineSeconds === undefined
      ? []
      : [
          forbiddenValue(
            "spec.template.spec.activeDeadlineSeconds",
            "activeDeadlineSeconds in DaemonSet is not Supported",
          ),
        ]),
    ...notNegative(specOf(set), ["minReadySeconds", "revisionHistoryLimit"]),
    ...(type === "RollingUpdate" && isJsonObject(rollingUpdate)
      ? rollingFaults(rollingUpdate, `${path}.rollingUpdate`)
      : []),
    ...(type === "RollingUpdate" || type === "OnDelete"
      ? []
      : // The real server shows the strategy as it holds it.
        [unsupportedValue(path, { Type: type ?? "", RollingUpdate: rollingUpdate }, ["RollingUpdate", "OnDelete"])]),
  ];
}

/** Exactly one of the two numbers is more than nothing; what is no number counts as nothing. */
function rollingFaults({ maxUnavailable = 0, maxSurge = 0 }: JsonObject, path: string): readonly FieldError[] {
  const isNothing = (amount: Json) => amount === 0 || amount === "0%" || percentFaults(amount).length > 0;
  const hasBoth = !isNothing(maxUnavailable) && !isNothing(maxSurge);
  return [
    ...amountFaults(maxUnavailable).map((words) => invalidValue(`${path}.maxUnavailable`, maxUnavailable, words)),
    ...amountFaults(maxSurge).map((words) => invalidValue(`${path}.maxSurge`, maxSurge, words)),
    ...(isNothing(maxUnavailable) && isNothing(maxSurge)
      ? [requiredValue(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]
      : []),
    ...(hasBoth ? [invalidValue(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")] : []),
  ];
}

/** Why an amount is neither a number of nodes nor a part of all. */
function amountFaults(amount: Json): readonly string[] {
  if (typeof amount === "number") return amount < 0 ? ["must be greater than or equal to 0"] : [];
  const faults = percentFaults(amount);
  return faults.length === 0 && Number.parseInt(String(amount), 10) > 100 ? ["must not be greater than 100%"] : faults;
}

function percentFaults(amount: Json): readonly string[] {
  return typeof amount !== "string" || /^[0-9]+%$/.test(amount) ? [] : [percentWords];
}

function replicatedFaults(object: JsonObject, kind: string, old?: JsonObject): readonly FieldError[] {
  const pod = objectAt(templateOf(object), "spec");
  return [
    ...notNegative(specOf(object), ["replicas", "minReadySeconds", "revisionHistoryLimit"]),
    ...(specOf(object).selector === undefined ? [requiredValue("spec.selector")] : []),
    ...selectorFaults(object, kind),
    ...templateFaults(object, old),
    ...onlyAlways(pod),
  ];
}

function onlyAlways({ restartPolicy = "" }: JsonObject): readonly FieldError[] {
  if (restartPolicy === "Always") return [];
  return [unsupportedValue("spec.template.spec.restartPolicy", restartPolicy, ["Always"])];
}

function notNegative(spec: JsonObject, fields: readonly string[]): readonly FieldError[] {
  return fields.flatMap((field) => {
    const value = numberAt(spec, field) ?? 0;
    return value < 0 ? [invalidValue(`spec.${field}`, value, "must be greater than or equal to 0")] : [];
  });
}

/** The selector must choose something, and the pods of the template; one that is missing chooses nothing. */
function selectorFaults(object: JsonObject, kind: string): readonly FieldError[] {
  const { selector: sent } = specOf(object);
  const selector = isJsonObject(sent) ? sent : null;
  const compiled = compileLabelSelector(selector ?? {});
  if (!compiled.ok) {
    const faults = labelSelectorFaults(selector ?? {}, "spec.selector");
    // Deployments and ReplicaSets say it once more, of the whole.
    return kind === "deployment"
      ? [...faults, invalidValue("spec.selector", selector, "invalid label selector")]
      : faults;
  }
  const labels = labelsOf(templateOf(object));
  const texts = Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
  // Go prints a map by its keys, and one that is not there as null.
  const shown = Object.keys(texts).length === 0 ? null : Object.fromEntries(Object.entries(texts).sort());
  const isChosen = selector !== null && matchLabels(compiled.value, texts);
  const isEmpty = selector !== null && Object.keys(selector).length === 0;
  return [
    ...(isChosen
      ? []
      : [invalidValue("spec.template.metadata.labels", shown, "`selector` does not match template `labels`")]),
    ...(isEmpty ? [invalidValue("spec.selector", selector, `empty selector is invalid for ${kind}`)] : []),
  ];
}

function completeJob(job: JsonObject): JsonObject {
  const { completions, parallelism = 1, podReplacementPolicy, podFailurePolicy } = specOf(job);
  const isAlone = completions === undefined && specOf(job).parallelism === undefined;
  const policy = podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  const completed = withSpec(completeTemplate(job), {
    ...{ parallelism, completions: isAlone ? 1 : completions },
    podReplacementPolicy: podReplacementPolicy ?? policy,
  });
  return withTemplateLabels(completed);
}

/** A job without labels has those of its pods. The real server finds so when it reads what it stored, after validation. */
function withTemplateLabels(job: JsonObject): JsonObject {
  const labels = labelsOf(templateOf(job));
  const isLegal = Object.values(labels).every((value) => labelValueFaults(String(value)).length === 0);
  if (Object.keys(labels).length === 0 || !isLegal || Object.keys(labelsOf(job)).length > 0) return job;
  return withMeta(job, { labels });
}

/** The labels and the selector by which a job knows its pods. */
function withJobLabels(job: JsonObject): JsonObject {
  if (specOf(job).manualSelector === true) return job;
  const { uid = "" } = metaOf(job);
  const name = textAt(metaOf(job), "name");
  const template = templateOf(job);
  const own = labelsOf(template);
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
    ...own,
  };
  const selector = objectAt(specOf(job), "selector");
  const chosen = { "batch.kubernetes.io/controller-uid": uid, ...objectAt(selector, "matchLabels") };
  const labelled = withSpec(job, {
    selector: setFields(selector, { matchLabels: chosen }),
    template: withMeta(template, { labels }),
  });
  return isSameJson(labelsOf(job), own) ? withTemplateLabels(withMeta(labelled, { labels: undefined })) : labelled;
}

function jobFaults(job: JsonObject, old?: JsonObject): readonly FieldError[] {
  const { restartPolicy } = objectAt(templateOf(job), "spec");
  const isEnding = restartPolicy === "OnFailure" || restartPolicy === "Never";
  return [
    ...notNegative(specOf(job), ["parallelism", "completions", "backoffLimit", "activeDeadlineSeconds"]),
    ...templateFaults(job, old),
    ...(specOf(job).selector === undefined ? [requiredValue("spec.selector")] : []),
    ...selectorFaults(job, "job"),
    ...(isEnding ? [] : [requiredValue("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"')]),
  ];
}
