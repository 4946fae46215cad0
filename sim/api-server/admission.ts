// The gate of every write, in the order of the real server: the kind's own plug-ins and then webhooks may change an object;
// quotas and then webhooks may refuse it.
import type { JsonObject } from "../../src/core/json.ts";
import { AdmissionWebhooks, type WebhookParts } from "./admission-webhooks.ts";
import { chargeQuotas } from "./quota.ts";
import type { Admission, AdmissionRequest } from "./server-parts.ts";

/** Builds the gate over a store. */
export function createAdmission(parts: WebhookParts): Admission {
  const mutating = new AdmissionWebhooks("mutatingwebhookconfigurations", parts);
  const validating = new AdmissionWebhooks("validatingwebhookconfigurations", parts);
  return {
    mutate(object: JsonObject, request: AdmissionRequest) {
      const { operation, target } = request;
      const { admit } = target.endpoint.type.rules;
      const admitted = operation === "CREATE" && target.subresource === "" && admit ? admit(object) : object;
      return mutating.isEmpty ? admitted : mutating.mutate(admitted, { ...request, object: admitted });
    },
    validate(request) {
      chargeQuotas(parts.store, request);
      return validating.isEmpty ? undefined : validating.validate(request);
    },
  };
}
