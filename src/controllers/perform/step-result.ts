// What came of one step of a plan. Everything that may happen out there is a value; only our own mistakes are thrown.
import type { Reason } from "../../core/decision/reasons.ts";
import { type Step, stepId } from "../../core/decision/step.ts";
import type { Fate } from "../../kinds/kind.ts";
import { ApiError, hasCause, isTypeFault } from "../../kube/client/api-error.ts";

export type StepResult =
  | { readonly did: "done" }
  /** The cluster says no, and will say no again until somebody changes something. */
  | { readonly did: "refused"; readonly reason: Reason; readonly because: string }
  /** Trouble that may pass: a lost answer, an overloaded server, a picture that was too old. */
  | { readonly did: "failed"; readonly because: string }
  /** It was not tried: a step that it waits for, or others like it, did not succeed; or the time was up. */
  | { readonly did: "unsent"; readonly because: string }
  /** It was not tried, since one pass performs only so many. */
  | { readonly did: "left" };

export type StepResults = ReadonlyMap<string, StepResult>;

/** What a kind is told of a step. That a namespace goes away is nobody's failure. */
export function fateIn(results: StepResults, step: Step): Fate {
  const result = results.get(stepId(step));
  if (result === undefined || result.did === "unsent" || result.did === "left") return { did: "unsent" };
  return result.did === "refused" && result.reason === "NamespaceTerminating" ? { did: "unsent" } : result;
}

export const done: StepResult = { did: "done" };

/** What an error of the client means for the step that met it. */
export function resultOfError(error: unknown): StepResult {
  const because = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) return { did: "failed", because };
  if (hasCause(error, "NamespaceTerminating")) return { did: "refused", reason: "NamespaceTerminating", because };
  if (error.status === 403) return { did: "refused", reason: "Forbidden", because };
  if (meansAnother(error)) return { did: "failed", because };
  if (error.status === 400 || error.status === 422 || isTypeFault(error))
    return { did: "refused", reason: "InvalidSpec", because };
  return { did: "failed", because };
}

/** Another object has the name by now: a patch or apply that names the UID of the one that was meant would give it that UID. */
function meansAnother({ status, causes }: ApiError): boolean {
  return status === 422 && causes.length > 0 && causes.every(({ field }) => field === "metadata.uid");
}

/**
 * True when the server certainly did not act. An answer to the second sending says nothing about the first, and a connection
 * that broke says nothing at all.
 */
export function isCertainlyUndone(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.attempts > 1) return false;
  return error.status >= 400 && error.status < 500 && error.reason !== "AlreadyExists";
}
