// The three older kinds of patches: the current object in the version of the request, changed, read again as if it had been
// sent, and then written like any other change.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { withFields } from "../api-object.ts";
import { invalidValue } from "../faults/field-error.ts";
import { badRequest, invalid, Refusal, requestTooLarge, unsupportedMediaType } from "../faults/status.ts";
import { applyJsonPatch } from "../patch/json-patch.ts";
import { inPatchedOrder, mergePatch } from "../patch/merge-patch.ts";
import type { StrategicPatches } from "../patch/strategic-patch.ts";
import { type ApiRequest, mediaType } from "../request/api-request.ts";
import { bodyText, goType, readJson } from "../request/json-body.ts";
import { inNamespace, requireKind, strictFaults, typeFault, underName } from "../request/sent-object.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import type { Endpoint } from "../resource-table.ts";
import type { Answer, ServerParts, Target } from "../server-parts.ts";
import { applyObject } from "./apply-object.ts";
import { answerWith } from "./commit-object.ts";
import { updateObject } from "./update-object.ts";

const JSON_PATCH_STEPS_MAX = 10_000;

/** A change of a document, and how the server quotes the result when it refuses it. */
export type PatchStep = {
  readonly apply: (document: JsonObject) => JsonObject;
  readonly quote: (patched: JsonObject) => JsonObject;
};

/** Applies a patch to an object or to one of its subresources. */
export async function patchObject(
  parts: ServerParts & { readonly strategic: StrategicPatches },
  target: Target,
  request: ApiRequest,
): Promise<Answer> {
  const options = readWriteOptions(request, "PatchOptions");
  if (mediaType(request) === "application/apply-patch+yaml") return applyObject(parts, target, request, options);
  const step = readPatch(request, target.endpoint, parts.strategic);
  const revise = (current: JsonObject) => {
    const object = readPatched(current, step, target.endpoint, options);
    return inNamespace(underName(object, target.name), target);
  };
  const written = await updateObject(parts, target, { revise, options, isTracked: true });
  return answerWith(target, 200, written);
}

/** Reads the three older kinds of patch. */
export function readPatch(request: ApiRequest, { type }: Endpoint, strategic: StrategicPatches): PatchStep {
  const media = mediaType(request);
  const asIs = (patched: JsonObject) => patched;
  switch (media) {
    case "application/json-patch+json": {
      const steps = readJsonPatch(bodyText(request.body));
      return { apply: (document) => patchedBySteps(document, steps), quote: (patched) => inPatchedOrder(patched, {}) };
    }
    case "application/merge-patch+json": {
      const patch = readObjectPatch(bodyText(request.body));
      return { apply: (document) => mergePatch(document, patch), quote: (patched) => inPatchedOrder(patched, patch) };
    }
    case "application/strategic-merge-patch+json": {
      if (type.isCustom)
        throw unsupportedMediaType(
          `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`,
        );
      const patch = readObjectPatch(bodyText(request.body));
      // It is merged into an object in memory, which has its type from elsewhere.
      const typed = (merged: JsonObject, { apiVersion, kind }: JsonObject) => withFields(merged, { apiVersion, kind });
      const merge = (document: JsonObject) => strategic.merge(document, patch, type.schema, type.definitions);
      return { apply: (document) => typed(merge(document), document), quote: asIs };
    }
    default:
      throw unsupportedMediaType("415: Unsupported Media Type", {});
  }
}

function readJsonPatch(text: string): readonly Json[] {
  const read = readJson(text);
  if (!read.ok) throw badRequest(`error decoding patch: ${read.because}`);
  if (!isJsonList(read.value))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goType(read.value)} into Go value of type []handlers.jsonPatchOp`,
    );
  if (read.value.length > JSON_PATCH_STEPS_MAX)
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${JSON_PATCH_STEPS_MAX}, got ${read.value.length}`,
    );
  return read.value;
}

function patchedBySteps(document: JsonObject, steps: readonly Json[]): JsonObject {
  const patched = applyJsonPatch(document, steps);
  if (isJsonObject(patched)) return patched;
  throw new Refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

function readObjectPatch(text: string): JsonObject {
  const read = readJson(text);
  if (!read.ok) throw badRequest(`error decoding patch: ${read.because}`);
  if (isJsonObject(read.value)) return read.value;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${goType(read.value)} into Go value of type map[string]interface {}`,
  );
}

/** The patched document as an object of its kind; a refusal quotes the whole of it. */
function readPatched(
  current: JsonObject,
  { apply, quote }: PatchStep,
  endpoint: Endpoint,
  { fieldValidation, warnings }: WriteOptions,
): JsonObject {
  const { type } = endpoint;
  const patched = apply(current);
  const quoted = () => printJson(quote(patched));
  const unfit = typeFault(patched, endpoint);
  if (unfit !== undefined) throw invalid("", "", "", [invalidValue("patch", quoted(), unfit)]);
  requireKind(patched, type);
  const decoded = type.rules.decode(patched, current);
  if (!decoded.ok) throw invalid("", "", "", [invalidValue("patch", quoted(), decoded.because)]);
  const faults = fieldValidation === "Ignore" ? [] : strictFaults([], decoded.unknown);
  if (fieldValidation === "Strict" && faults.length > 0)
    throw invalid("", "", "", [invalidValue("patch", quoted(), `strict decoding error: ${faults.join(", ")}`)]);
  // Said once, however often the patch has to be tried.
  warnings.push(...faults.filter((fault) => !warnings.includes(fault)));
  return decoded.value;
}
