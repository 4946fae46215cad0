// Between the two versions of the advanced DaemonSet. What one version has no field for is kept in an annotation, and put
// back only while the object still says what the kept part would have become: whoever edits it in between is not overruled.
//
// Guarantees: an object that goes to the other version and comes back unedited is the same object. Nothing is ever refused.
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import { objectAt } from "../../schema/json-parts.ts";

const OLDER = "apps.kruise.io/v1alpha1";
const NEWER = "apps.kruise.io/v1beta1";
/** Kruise's way to say `scaleStrategy.partitionedScaling` in v1alpha1. */
export const PROGRESSIVE = "daemonset.kruise.io/progressive-create-pod";
/** Holds what the other version has no field for: the members of `Differing` as the version that has them wrote them. */
export const KEPT = "daemonset.farrier.dev/kept-for-conversion";

/** The parts that the versions write differently; a part that is not there is undefined. */
type Differing = {
  readonly rollingUpdate: Json | undefined;
  readonly scaleStrategy: Json | undefined;
  readonly progressive: Json | undefined;
};

/** The object as v1beta1; one that is not of v1alpha1 stays as it is. */
export function olderToNewer(object: JsonObject): JsonObject {
  return object.apiVersion === OLDER ? converted(object, NEWER, asNewer, asOlder) : object;
}

/** The object as v1alpha1; one that is not of v1beta1 stays as it is. */
export function newerToOlder(object: JsonObject): JsonObject {
  return object.apiVersion === NEWER ? converted(object, OLDER, asOlder, asNewer) : object;
}

/** Surging is Standard with Kruise's defaults for it; the annotation `"true"` is the field. */
function asNewer({ rollingUpdate, progressive }: Differing): Differing {
  const isSurging = isJsonObject(rollingUpdate) && rollingUpdate.rollingUpdateType === "Surging";
  return {
    rollingUpdate: isSurging
      ? { maxSurge: 1, maxUnavailable: 0, ...rollingUpdate, rollingUpdateType: "Standard" }
      : rollingUpdate,
    scaleStrategy: progressive === "true" ? { partitionedScaling: true } : undefined,
    progressive,
  };
}

/** The annotation says what the field says: a stale one would bring the flag back with the next write of v1alpha1. */
function asOlder({ rollingUpdate, scaleStrategy, progressive }: Differing): Differing {
  const isPartitioned = isJsonObject(scaleStrategy) && scaleStrategy.partitionedScaling === true;
  const isStale = !isPartitioned && progressive === "true";
  return {
    rollingUpdate,
    scaleStrategy: undefined,
    progressive: isPartitioned ? "true" : isStale ? undefined : progressive,
  };
}

function converted(
  object: JsonObject,
  apiVersion: string,
  convert: (parts: Differing) => Differing,
  convertBack: (parts: Differing) => Differing,
): JsonObject {
  const here = differing(object);
  const kept = keptParts(object);
  // What was kept by the other version is taken again if it would become what stands here now.
  const isUnedited = kept !== undefined && isSame(convertBack(kept), here);
  const there = isUnedited ? kept : convert(here);
  const isLossless = isSame(convertBack(there), here);
  return withParts({ ...object, apiVersion, ...statusOf(object, apiVersion) }, there, isLossless ? undefined : here);
}

function differing(object: JsonObject): Differing {
  const spec = objectAt(object, "spec");
  return {
    rollingUpdate: objectAt(spec, "updateStrategy").rollingUpdate,
    scaleStrategy: spec.scaleStrategy,
    progressive: objectAt(objectAt(object, "metadata"), "annotations")[PROGRESSIVE],
  };
}

function keptParts(object: JsonObject): Differing | undefined {
  const text = objectAt(objectAt(object, "metadata"), "annotations")[KEPT];
  const parsed = typeof text === "string" ? parseJson(text) : undefined;
  if (parsed?.ok !== true || !isJsonObject(parsed.value)) return undefined;
  const { rollingUpdate, scaleStrategy, progressive } = parsed.value;
  return { rollingUpdate, scaleStrategy, progressive };
}

function isSame(a: Differing, b: Differing): boolean {
  return partsText(a) === partsText(b);
}

function partsText(parts: Differing): string {
  return canonicalJson(Object.fromEntries(present(Object.entries(parts))));
}

function withParts(object: JsonObject, parts: Differing, toKeep: Differing | undefined): JsonObject {
  const { metadata, spec } = object;
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined;
  const changed = withMembers(objectOf(annotations), {
    [PROGRESSIVE]: parts.progressive,
    [KEPT]: toKeep === undefined ? undefined : partsText(toKeep),
  });
  // The API server stores no empty map of annotations, so none is told apart from an empty one.
  const left = Object.keys(changed).length === 0 ? undefined : changed;
  return {
    ...object,
    ...(isJsonObject(metadata) ? { metadata: withMembers(metadata, { annotations: left }) } : {}),
    ...(isJsonObject(spec) ? { spec: withSpecParts(spec, parts) } : {}),
  };
}

function withSpecParts(spec: JsonObject, { rollingUpdate, scaleStrategy }: Differing): JsonObject {
  const { updateStrategy } = spec;
  const strategy = isJsonObject(updateStrategy) ? withMembers(updateStrategy, { rollingUpdate }) : updateStrategy;
  return withMembers(spec, { updateStrategy: strategy, scaleStrategy });
}

/** The revision has another name in each version. */
function statusOf({ status }: JsonObject, apiVersion: string): { readonly status?: Json } {
  if (!isJsonObject(status)) return status === undefined ? {} : { status };
  const [from, to] = apiVersion === NEWER ? ["daemonSetHash", "updateRevision"] : ["updateRevision", "daemonSetHash"];
  const revision = status[from ?? ""];
  return { status: withMembers(status, { [from ?? ""]: undefined, [to ?? ""]: revision }) };
}

/** The object with these members, in place where it had them; undefined takes a member away. */
function withMembers(object: JsonObject, members: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(present(Object.entries({ ...object, ...members })));
}

function present(entries: readonly (readonly [string, Json | undefined])[]): readonly (readonly [string, Json])[] {
  return entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
