// A DaemonSet as its controller sees it: selector and eligibility compiled once per change, not once per node.
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { compileLabelSelector, type LabelSelector } from "../../../src/core/labels/label-selector.ts";
import { compileDaemonEligibility, type DaemonEligibility } from "../../../src/core/scheduling/daemon-eligibility.ts";
import type { Stored } from "../../../src/kube/resource.ts";
import { numberAt, objectAt, textAt } from "../../api-server/api-object.ts";
import type { ApiObject } from "../api-resources.ts";
import { type ObjectView, parseObjectView } from "../object-view.ts";

export type DaemonSetView = ObjectView & {
  readonly annotations: Readonly<Record<string, string>>;
  readonly selector: LabelSelector;
  readonly eligibility: DaemonEligibility;
  readonly template: JsonObject;
  /** What a revision of the present template remembers, as canonical text. */
  readonly revisionText: string;
  /** Counts changes of the template; pods of this generation are up to date whatever their hash. */
  readonly templateGeneration: string;
  readonly minReadySeconds: number;
  readonly historyLimit: number;
  readonly isRolling: boolean;
  readonly maxUnavailable: Json;
  readonly maxSurge: Json;
  readonly status: JsonObject;
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
const HISTORY_LIMIT = 10;

/** Reads a DaemonSet. */
export function parseDaemonSet(set: Stored<ApiObject>): DaemonSetView {
  const { spec = {}, status = {} } = set;
  const template = objectAt(spec, "template");
  const strategy = objectAt(spec, "updateStrategy");
  const rolling = objectAt(strategy, "rollingUpdate");
  const selector = compileLabelSelector(spec.selector);
  const annotations = set.metadata.annotations ?? {};
  return {
    ...parseObjectView(set),
    annotations,
    selector: selector.ok ? selector.value : { kind: "nothing" },
    eligibility: compileDaemonEligibility(objectAt(template, "spec"), { comparisonOperators: false }),
    template,
    revisionText: canonicalJson(revisionContent(template)),
    templateGeneration: annotations[TEMPLATE_GENERATION] ?? "",
    minReadySeconds: numberAt(spec, "minReadySeconds") ?? 0,
    historyLimit: numberAt(spec, "revisionHistoryLimit") ?? HISTORY_LIMIT,
    isRolling: textAt(strategy, "type") !== "OnDelete",
    maxUnavailable: rolling.maxUnavailable ?? 0,
    maxSurge: rolling.maxSurge ?? 0,
    status,
  };
}

/** A patch that would bring a set back to this template. */
export function revisionContent(template: JsonObject): JsonObject {
  return { spec: { template: { ...template, $patch: "replace" } } };
}
