// Conversion of custom resources by a webhook, called as the real server calls it: only for objects of another version than
// the one that is wanted, and never allowed to change an identity.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { isJsonObject } from "../../../src/core/json/json.ts";
import { type CallWebhook, withinTime } from "../admission/call-webhook.ts";
import { listAt, metaOf, objectAt, textAt } from "../api-object.ts";
import { failure } from "../faults/status.ts";
import { newUid } from "../identity.ts";
import type { Convert } from "../resource-table.ts";
import type { ServerParts } from "../server-parts.ts";

/** A definition cannot choose how long its webhook may take. */
const CONVERSION_MS_MAX = 30_000;

/** Conversion as a definition's `spec.conversion` says. */
export function convertByWebhook(
  { rand, clock }: ServerParts,
  conversion: JsonObject,
  callWebhook: CallWebhook,
): Convert {
  const clientConfig = objectAt(objectAt(conversion, "webhook"), "clientConfig");
  const convert = async (object: JsonObject, apiVersion: string): Promise<JsonObject> => {
    const uid = newUid(rand);
    const request = { uid, desiredAPIVersion: apiVersion, objects: [object] };
    const review = { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1", request };
    const call = withinTime(clock, CONVERSION_MS_MAX, () => callWebhook(clientConfig, review));
    const answer = await call.catch((error) => fail(object, String(error?.message ?? error)));
    return convertedOf(objectAt(answer, "response"), object, uid);
  };
  return (object, apiVersion) => (object.apiVersion === apiVersion ? object : convert(object, apiVersion));
}

function convertedOf(response: JsonObject, object: JsonObject, uid: string): JsonObject {
  const result = objectAt(response, "result");
  if (response.uid !== uid) fail(object, `expected response.uid=${JSON.stringify(uid)}`);
  if (result.status !== "Success") fail(object, textAt(result, "message"));
  const [converted] = listAt(response, "convertedObjects");
  if (!isJsonObject(converted)) return fail(object, "it returned no object");
  if (metaOf(converted).uid !== metaOf(object).uid || metaOf(converted).name !== metaOf(object).name)
    fail(object, "it changed the identity of the object");
  return converted;
}

function fail(object: JsonObject, because: string): never {
  const of = `${textAt(object, "apiVersion")}, Kind=${textAt(object, "kind")}`;
  throw failure(`conversion webhook for ${of} failed: ${because}`);
}
