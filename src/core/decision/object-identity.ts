// Who a stored object is: the part of its metadata that decisions read. The object may hold anything; what is missing or of the
// wrong type reads as absent.
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import type { Labels } from "../labels/label-requirement.ts";

export type ObjectIdentity = {
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** The UID of the one owner that controls it. Names and versions of owners change hands; a UID does not. */
  readonly controllerUid: string | undefined;
  /** It is being deleted. */
  readonly isLeaving: boolean;
  readonly createdMs: number | undefined;
};

const NO_LABELS: Labels = Object.freeze({});

/** Reads the identity of a stored object of whatever shape. */
export function objectIdentity(object: JsonObject): ObjectIdentity {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return {
    namespace: textIn(metadata.namespace),
    name: textIn(metadata.name),
    uid: textIn(metadata.uid),
    resourceVersion: textIn(metadata.resourceVersion),
    generation: countIn(metadata.generation),
    labels: textsIn(metadata.labels),
    annotations: textsIn(metadata.annotations),
    controllerUid: controllerIn(metadata.ownerReferences),
    isLeaving: textIn(metadata.deletionTimestamp) !== "",
    createdMs: instantIn(metadata.creationTimestamp),
  };
}

/** The text at a place where anything may stand; empty when it is none. */
export function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The count at a place where anything may stand; 0 when it is none. */
export function countIn(value: Json | undefined): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : 0;
}

/** The instant, in wall ms, at a place where anything may stand. */
export function instantIn(value: Json | undefined): number | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The texts of a map such as labels; the API server stores nothing else there, so nearly always the very map. */
export function textsIn(value: Json | undefined): Labels {
  if (!isJsonObject(value)) return NO_LABELS;
  if (holdsOnlyTexts(value)) return value;
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts);
}

function holdsOnlyTexts(value: JsonObject): value is Labels {
  for (const key in value) {
    if (typeof value[key] !== "string") return false;
  }
  return true;
}

function controllerIn(owners: Json | undefined): string | undefined {
  if (!isJsonList(owners)) return undefined;
  for (const owner of owners) {
    if (isJsonObject(owner) && owner.controller === true && typeof owner.uid === "string") return owner.uid;
  }
  return undefined;
}
