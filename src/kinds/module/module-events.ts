// What people who watch a Module are told: what was done to its DaemonSets, and troubles that were not there before.

import { storedConditions } from "../../core/decision/conditions.ts";
import { textIn } from "../../core/decision/object-identity.ts";
import { isReason, type Reason } from "../../core/decision/reasons.ts";
import type { StatusStep, Step } from "../../core/decision/step.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import type { BringingReason } from "../../core/rollout/bring-workload.ts";
import type { Observed } from "./observe.ts";
import { moduleRef } from "./render.ts";

/** Names in one event; the rest is counted. */
const EVENT_NAMES_MAX = 3;
/** Troubles that somebody has to look at; those of builds are told by whoever builds. */
const WARNED: ReadonlySet<string> = new Set<Reason>(["KernelUnmapped", "ImageMissing", "ImageUnreachable"]);

/** A warning for each trouble that was not there before. */
export function warningEvents({ stored }: Observed, { status }: StatusStep): readonly Step[] {
  const before = new Set(troublesIn(stored.object.status).map(({ reason }) => reason));
  return troublesIn(status)
    .filter(({ reason }) => !before.has(reason))
    .map(({ reason, message }) => ({
      ...{ do: "event", about: moduleRef(stored), severity: "Warning", reason, message, why: "it was not so before" },
    }));
}

function troublesIn(status: Json | undefined): readonly { readonly reason: Reason; readonly message: string }[] {
  const conditions = isJsonObject(status) ? storedConditions(status.conditions) : [];
  return conditions.flatMap(({ type, status: is, reason, message }) => {
    const isTrouble = (type === "Mapped" || type === "ImagesAvailable") && is === "False";
    if (!isTrouble || typeof reason !== "string" || !isReason(reason) || !WARNED.has(reason)) return [];
    return [{ reason, message: textIn(message) }];
  });
}

/** What people who watch the Module are told: one event per kind of thing that was done. */
export function doneEvents(
  { stored }: Observed,
  brought: Iterable<readonly [name: string, reason: BringingReason]>,
  steps: readonly Step[],
): readonly Step[] {
  const done = new Map<Reason, string[]>();
  const note = (reason: Reason, name: string) => done.set(reason, [...(done.get(reason) ?? []), name]);
  for (const [name, reason] of brought) note(reason, name);
  for (const step of steps) {
    if (step.do === "delete" && step.target.kind === "DaemonSet") note("WorkloadPruned", step.target.name);
  }
  return [...done].map(([reason, names]): Step => {
    const more = names.length > EVENT_NAMES_MAX ? ` and ${names.length - EVENT_NAMES_MAX} more` : "";
    const message = `DaemonSet ${names.sort().slice(0, EVENT_NAMES_MAX).join(", ")}${more}`;
    return { do: "event", about: moduleRef(stored), severity: "Normal", reason, message, why: "the cluster changed" };
  });
}
