// An AdmissionReview of the API server: what it asks, and how it is answered.

import { textIn } from "../core/decision/object-identity.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";

const API_VERSION = "admission.k8s.io/v1";

export type AdmissionRequest = {
  readonly uid: string;
  readonly operation: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  /** The object as it would be stored; undefined where there is none, as at a deletion. */
  readonly object: JsonObject | undefined;
  readonly before: JsonObject | undefined;
};

export type Judgement =
  | {
      readonly isAllowed: true;
      readonly warnings: readonly string[];
      /** Base64 of a JSON patch. */
      readonly patch?: string;
    }
  | {
      readonly isAllowed: false;
      readonly warnings: readonly string[];
      readonly status: { readonly code: number; readonly reason: string; readonly message: string };
    };

/** Reads a review; undefined for a body that is none. */
export function readAdmissionRequest(review: Json): AdmissionRequest | undefined {
  if (!isJsonObject(review) || review.apiVersion !== API_VERSION) return undefined;
  const { request } = review;
  if (!isJsonObject(request) || textIn(request.uid) === "") return undefined;
  const resource = isJsonObject(request.resource) ? request.resource : {};
  return {
    uid: textIn(request.uid),
    operation: textIn(request.operation),
    group: textIn(resource.group),
    resource: textIn(resource.resource),
    name: textIn(request.name),
    object: objectOf(request.object),
    before: objectOf(request.oldObject),
  };
}

/** The answer to a review. */
export function admissionAnswer({ uid }: AdmissionRequest, judgement: Judgement): JsonObject {
  const { isAllowed: allowed, warnings } = judgement;
  const told = { uid, allowed, ...(warnings.length === 0 ? {} : { warnings }) };
  if (!judgement.isAllowed) return answer({ ...told, status: judgement.status });
  const { patch } = judgement;
  return answer(patch === undefined ? told : { ...told, patchType: "JSONPatch", patch });
}

function answer(response: JsonObject): JsonObject {
  return { apiVersion: API_VERSION, kind: "AdmissionReview", response };
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
