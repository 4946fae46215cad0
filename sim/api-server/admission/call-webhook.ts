// A call of a webhook, of whichever kind: what posts the review comes from outside, how long it may take is watched here.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Clock } from "../../../src/kube/clock.ts";

/** Posts a review to a webhook and gives its answer; rejects when it cannot be reached. */
export type CallWebhook = (clientConfig: JsonObject, review: JsonObject) => Promise<JsonObject>;

/** What a call gives, unless it takes longer than it may. */
export async function withinTime<T>(clock: Clock, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(timeoutMs, () => late.reject(new Error("context deadline exceeded")));
  try {
    return await Promise.race([call(), late.promise]);
  } finally {
    cancel();
  }
}
