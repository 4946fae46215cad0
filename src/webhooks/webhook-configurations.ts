// What the API server must know to ask our webhooks: the configurations as objects, for the installation and for a server of our own.
// Only writes of our own kinds are sent to us; whatever becomes of the webhooks, nothing else in the cluster notices.

import type { ObjectBody } from "../core/decision/step.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { Kind } from "../kinds/kind.ts";
import { versionsOf } from "./api-versions.ts";
import { CONVERT_PATH, defaultsPath, validatePaths } from "./webhook-paths.ts";

export type HookedKind = {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly string[];
  readonly hasDefaults: boolean;
};

/** What the configurations say of a kind. */
export function hookedKind(kind: Kind): HookedKind {
  const { group, plural } = kind;
  return { group, kind: kind.kind, plural, versions: versionsOf(kind), hasDefaults: kind.withDefaults !== undefined };
}

/** How the API server reaches a path of ours. */
export type Reach = (path: string) => JsonObject;

const API_VERSION = "admissionregistration.k8s.io/v1";
/** The proposal for patches names its validator; the operator keeps the name. */
export const PATCHES_VALIDATOR = "daemonset-patches-validator";
export const VALIDATOR = "farrier-validator";
export const DEFAULTER = "farrier-defaulter";

/** A judgement takes milliseconds; who waits longer than this waits for a server that is gone. */
const TIMEOUT_SECONDS = 5;

/** The validators: what is not judged is not stored. */
export function validatingConfigurations(kinds: readonly HookedKind[], reach: Reach): readonly ObjectBody[] {
  const byName = Map.groupBy(kinds, (kind) => (validatePaths(kind).length > 1 ? PATCHES_VALIDATOR : VALIDATOR));
  return [...byName].map(([name, judged]) => ({
    ...{ apiVersion: API_VERSION, kind: "ValidatingWebhookConfiguration", metadata: { name } },
    webhooks: judged.map((kind) => ({
      ...{ ...webhook(kind), name: validatorName(kind), failurePolicy: "Fail" },
      clientConfig: reach(validatePaths(kind).at(-1) ?? ""),
    })),
  }));
}

/** The defaulter. Without it objects mean the same: our parsers know the defaults, too. */
export function mutatingConfiguration(kinds: readonly HookedKind[], reach: Reach): ObjectBody {
  return {
    ...{ apiVersion: API_VERSION, kind: "MutatingWebhookConfiguration", metadata: { name: DEFAULTER } },
    webhooks: kinds
      .filter(({ hasDefaults }) => hasDefaults)
      .map((kind) => ({
        ...{ ...webhook(kind), name: `defaults.${kind.plural}.${kind.group}`, failurePolicy: "Ignore" },
        clientConfig: reach(defaultsPath(kind)),
      })),
  };
}

/** How the API server gets from one version of a kind to another. */
export function conversionBy(reach: Reach): JsonObject {
  return {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: reach(CONVERT_PATH) },
  };
}

function webhook({ group, plural, versions }: HookedKind): JsonObject {
  return {
    ...{ admissionReviewVersions: ["v1"], sideEffects: "None", timeoutSeconds: TIMEOUT_SECONDS },
    rules: [
      {
        ...{ apiGroups: [group], apiVersions: versions, resources: [plural], operations: ["CREATE", "UPDATE"] },
        scope: "Namespaced",
      },
    ],
  };
}

function validatorName(kind: HookedKind): string {
  return validatePaths(kind).length > 1 ? "daemonset-patches.kruise.io" : `validate.${kind.plural}.${kind.group}`;
}
