// The gate of every write, in the order of the real server: the kind's own plug-ins and then webhooks may change an object;
// quotas and then webhooks may refuse it.
//
// Beside this file:
//   admission-webhooks, webhook-match, call-webhook: which webhooks a write calls, and the call
//   quota: limits on the number of objects
//   siblings: reuses what was found for objects of the same controller
import type { JsonObject } from "../../../src/core/json/json.ts";
import { forbidden } from "../faults/status.ts";
import type { Admission, AdmissionRequest, Target } from "../server-parts.ts";
import { AdmissionWebhooks, type WebhookParts } from "./admission-webhooks.ts";
import { chargeQuotas } from "./quota.ts";

function admitNew(object: JsonObject, { endpoint: { type }, name }: Target): JsonObject {
  const { admit, forbids } = type.rules;
  const because = forbids?.(object);
  if (because !== undefined) throw forbidden(type, name, because);
  return admit === undefined ? object : admit(object);
}

/** Builds the gate over a store. */
export function createAdmission(parts: WebhookParts): Admission {
  const mutating = new AdmissionWebhooks("mutatingwebhookconfigurations", parts);
  const validating = new AdmissionWebhooks("validatingwebhookconfigurations", parts);
  return {
    mutate(object: JsonObject, request: AdmissionRequest) {
      const { operation, target } = request;
      const isNew = operation === "CREATE" && target.subresource === "";
      const admitted = isNew ? admitNew(object, target) : object;
      return mutating.isEmpty ? admitted : mutating.mutate(admitted, { ...request, object: admitted });
    },
    validate(request) {
      chargeQuotas(parts.store, request);
      return validating.isEmpty ? undefined : validating.validate(request);
    },
  };
}
