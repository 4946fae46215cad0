// A ConversionReview of the API server: objects of one of our kinds that it wants in another version.

import { textIn } from "../core/decision/object-identity.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../core/json/json.ts";
import { quoted } from "../core/values/shown.ts";
import type { Kind } from "../kinds/kind.ts";
import { apiVersionsOf } from "./api-versions.ts";

const API_VERSION = "apiextensions.k8s.io/v1";

/** Answers a review; undefined for a body that is none. All objects are converted, or none and the answer says why. */
export function convertReview(kinds: readonly Kind[], review: Json): JsonObject | undefined {
  if (!isJsonObject(review) || review.apiVersion !== API_VERSION) return undefined;
  const { request } = review;
  if (!isJsonObject(request) || !isJsonList(request.objects)) return undefined;
  const desired = textIn(request.desiredAPIVersion);
  const converted = request.objects.map((object) => convert(kinds, object, desired));
  const trouble = converted.find((each) => typeof each === "string");
  const outcome =
    trouble === undefined
      ? { convertedObjects: converted, result: { status: "Success" } }
      : { convertedObjects: [], result: { status: "Failure", message: trouble } };
  return {
    ...{ apiVersion: API_VERSION, kind: "ConversionReview" },
    response: { uid: textIn(request.uid), ...outcome },
  };
}

/** The object in the wanted version, or why it cannot be had. */
function convert(kinds: readonly Kind[], object: Json, desired: string): JsonObject | string {
  if (!isJsonObject(object)) return "an object to convert is no object";
  const from = textIn(object.apiVersion);
  const kind = kinds.find((each) => object.kind === each.kind && groupOf(from) === each.group);
  if (kind === undefined) return `${quoted(textIn(object.kind))} of ${quoted(from)} is not converted here`;
  const known = apiVersionsOf(kind);
  for (const version of [from, desired]) {
    if (!known.includes(version)) return `${kind.kind} has no version ${quoted(version)}; it has ${known.join(", ")}`;
  }
  return kind.conversion?.convert(object, desired.slice(kind.group.length + 1)) ?? object;
}

function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));
}
