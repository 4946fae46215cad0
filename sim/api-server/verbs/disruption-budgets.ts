// Evictions and disruption budgets, as the eviction subresource of the real server treats them: it believes the budget's status,
// takes one disruption from it, and refuses with 429 when there is none left. Who computes that status is a controller.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { compileLabelSelector, matchLabels } from "../../../src/core/labels/label-selector.ts";
import { listAt, metaOf, nameOf, numberAt, objectAt, textAt, withFields, withMeta } from "../api-object.ts";
import { internalError, Refusal } from "../faults/status.ts";
import type { Change, Store } from "../store/store.ts";

const TABLE = "poddisruptionbudgets.policy";
const RETRY_SECONDS = 10;
/** Pods in these phases serve nobody: their end disrupts nothing. */
const idlePhases = new Set(["Pending", "Succeeded", "Failed"]);

/** Takes the eviction of a pod from its budget; throws a Refusal when the budget does not allow it. */
export function spendBudget(
  store: Store,
  pod: JsonObject,
  { isDryRun, now }: { readonly isDryRun: boolean; readonly now: string },
): void {
  const isIdle =
    idlePhases.has(textAt(objectAt(pod, "status"), "phase")) || metaOf(pod).deletionTimestamp !== undefined;
  const [budget, ...others] = isIdle ? [] : budgetsOf(store, pod);
  if (budget === undefined) return;
  if (others.length > 0)
    throw internalError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  const status = objectAt(budget.object, "status");
  if (!isReady(pod) && allowsUnhealthy(budget.object)) return;
  const allowed = requireDisruption(budget.object);
  if (isDryRun) return;
  const disruptedPods = withFields(objectAt(status, "disruptedPods"), { [nameOf(pod)]: now });
  const next = withFields(budget.object, {
    status: withFields(status, { disruptionsAllowed: allowed - 1, disruptedPods }),
  });
  const object = withMeta(next, { resourceVersion: `${store.nextRevision}` });
  store.put({ table: TABLE, key: budget.key, object });
}

function budgetsOf(store: Store, pod: JsonObject): readonly Change[] {
  const { namespace, labels } = metaOf(pod);
  const all = store.list(TABLE, { revision: store.revision, prefix: `${namespace}/` });
  return [...all].filter(({ object }) => {
    const selector = compileLabelSelector(objectAt(object, "spec").selector);
    return selector.ok && matchLabels(selector.value, textsOf(labels));
  });
}

/** How many disruptions are left, at least one. */
function requireDisruption(budget: JsonObject): number {
  const status = objectAt(budget, "status");
  const isSeen = (numberAt(status, "observedGeneration") ?? 0) >= (numberAt(metaOf(budget), "generation") ?? 0);
  if (!isSeen)
    throw tooMany(`The disruption budget ${nameOf(budget)} is still being processed by the server.`, RETRY_SECONDS);
  const count = (field: string) => numberAt(status, field) ?? 0;
  const allowed = count("disruptionsAllowed");
  if (allowed > 0) return allowed;
  const [needed, healthy] = [count("desiredHealthy"), count("currentHealthy")];
  throw tooMany(`The disruption budget ${nameOf(budget)} needs ${needed} healthy pods and has ${healthy} currently`);
}

/** A pod that is not ready may go when the budget holds without it, or when it says that such pods always may. */
function allowsUnhealthy(budget: JsonObject): boolean {
  if (textAt(objectAt(budget, "spec"), "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = objectAt(budget, "status");
  const needed = numberAt(status, "desiredHealthy") ?? 0;
  return needed > 0 && (numberAt(status, "currentHealthy") ?? 0) >= needed;
}

function tooMany(cause: string, retryAfterSeconds?: number): Refusal {
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new Refusal(429, "TooManyRequests", message, {
    ...{ causes: [{ reason: "DisruptionBudget", message: cause }], ...wait },
  });
}

function isReady(pod: JsonObject): boolean {
  const conditions = listAt(objectAt(pod, "status"), "conditions").filter(isJsonObject);
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function textsOf(labels: unknown): Readonly<Record<string, string>> {
  const entries = isJsonObject(labels) ? Object.entries(labels) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
