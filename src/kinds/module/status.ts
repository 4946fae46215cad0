// The status of a Module: KMM's counters, one entry per kernel, the troubles of nodes, and conditions that `kubectl wait` can wait for.

import { buildConditions, type Claim, timestamp } from "../../core/decision/conditions.ts";
import type { Hold } from "../../core/decision/plan.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { StatusStep } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { labelSelectorText } from "../../core/labels/label-selector.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import type { Fitting } from "../../core/rollout/fitting.ts";
import { cut } from "../../core/values/shown.ts";
import { KERNELS_MAX } from "./api/schema-status.ts";
import type { BuildPlan } from "./build/image-need.ts";
import type { BroughtDrivers } from "./driver/bring-drivers.ts";
import type { BroughtPlugins } from "./driver/bring-plugins.ts";
import { kernelEntries, problemGroups, unfitNodes } from "./kernel-status.ts";
import { moduleClaims } from "./module-claims.ts";
import type { Observed } from "./observe.ts";
import { moduleRef } from "./render.ts";
import type { Survey } from "./survey.ts";

const SELECTOR_LENGTH_MAX = 4000;
const PROBLEMS_SHOWN_MAX = 5;

/** What a status tells of. */
export type StatusParts = {
  readonly builds: BuildPlan;
  readonly drivers: BroughtDrivers;
  readonly plugins: BroughtPlugins;
  readonly survey: Survey;
  readonly fitting: Fitting<DaemonPod>;
  readonly held: readonly Hold[];
};

/** The step that brings the stored status there; undefined when it is there. */
export function statusStep(observed: Observed, parts: StatusParts, nowMs: number): StatusStep | undefined {
  const { known, stored } = observed;
  const { survey, builds } = parts;
  const entries = kernelEntries(observed, survey, builds);
  const unfit = unfitNodes(survey);
  const omitted = entries.length - KERNELS_MAX;
  const { selector } = known.module;
  const status: JsonObject = {
    observedGeneration: stored.generation,
    ...counters(observed, parts),
    ...(builds.rebuiltFor === undefined ? {} : { imageRebuildTriggerGeneration: builds.rebuiltFor }),
    ...(builds.rebuildingSinceMs === undefined ? {} : { imageRebuildStarted: laterSecond(builds.rebuildingSinceMs) }),
    nodes: { inScope: survey.inScope, fitted: survey.fitted, unfit: unfit.length },
    kernelCount: entries.length,
    buildingCount: entries.filter(({ state }) => state === "Building" || state === "Signing").length,
    kernels: entries.slice(0, KERNELS_MAX),
    ...(omitted > 0 ? { kernelsOmitted: omitted } : {}),
    selector: cut(labelSelectorText(selector), SELECTOR_LENGTH_MAX),
    problems: [...problemGroups(unfit, parts.held)],
  };
  return report(stored, status, moduleClaims(observed, { ...parts, unfit, entries }), nowMs);
}

/** An instant in a status has no parts of a second; what was answered in that second may be from before it. */
function laterSecond(instantMs: number): string {
  return timestamp(Math.ceil(instantMs / 1_000) * 1_000);
}

/** The status of a Module that cannot be read: what is wrong with it, beside what was known before. */
export function invalidStatusStep(
  stored: StoredObject,
  problems: readonly Problem[],
  nowMs: number,
): StatusStep | undefined {
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX).map(({ path, message }) => `${path}: ${message}`);
  const more = problems.length > PROBLEMS_SHOWN_MAX ? [`and ${problems.length - PROBLEMS_SHOWN_MAX} more`] : [];
  const message = [...shown, ...more].join("; ");
  const claims: readonly Claim[] = [
    { type: "Ready", status: "False", reason: "InvalidSpec", message },
    { type: "Reconciling", status: "False", reason: "InvalidSpec", message },
    { type: "Stalled", status: "True", reason: "InvalidSpec", message },
  ];
  return report(stored, { ...storedStatus(stored), observedGeneration: stored.generation }, claims, nowMs);
}

function report(
  stored: StoredObject,
  status: JsonObject,
  claims: readonly Claim[],
  nowMs: number,
): StatusStep | undefined {
  const before = storedStatus(stored);
  const { generation } = stored;
  const conditions = buildConditions({ previous: before.conditions, claims, generation, nowMs });
  const wanted = { ...status, conditions: [...conditions] };
  if (canonicalJson(wanted) === canonicalJson(before)) return undefined;
  return { do: "status", target: moduleRef(stored), status: wanted, why: "the status changed" };
}

function storedStatus({ object }: StoredObject): JsonObject {
  return isJsonObject(object.status) ? object.status : {};
}

/** KMM's three numbers for each of its two parts. */
function counters({ known }: Observed, { survey, plugins }: StatusParts): JsonObject {
  const { driver, devicePlugin } = known.module;
  const nodesMatchingSelectorNumber = survey.inScope;
  const loader = {
    ...{ nodesMatchingSelectorNumber, desiredNumber: survey.wanting, availableNumber: survey.fitted },
  };
  return {
    ...(driver === undefined ? {} : { moduleLoader: loader }),
    ...(devicePlugin === undefined
      ? {}
      : {
          devicePlugin: {
            ...{ nodesMatchingSelectorNumber, desiredNumber: driver === undefined ? survey.inScope : survey.labelled },
            availableNumber: plugins.current?.status.available ?? 0,
          },
        }),
  };
}
