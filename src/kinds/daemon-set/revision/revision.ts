// A revision: what a set said at some time, kept as a ControllerRevision in Kruise's own form, so that either operator can go on
// with what the other wrote. Two revisions are the same when nothing differs that a pod could show.

import { countIn } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import type { ObjectBody } from "../../../core/decision/step.ts";
import { controllerRevisionHash, controllerRevisionName } from "../../../core/hash/controller-revision-hash.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import { isJsonList, isJsonObject, type Json, type JsonList, type JsonObject } from "../../../core/json/json.ts";
import { parseJson } from "../../../core/json/parse-json.ts";
import { objectAt } from "../../schema/json-parts.ts";
import { ownerReference } from "../pods/pod-body.ts";
import { REVISION_HASH } from "../pods/pod-keys.ts";
import { markedTemplate, recordedTemplate, withoutDirective } from "./revision-template.ts";

/** What a set says of its pods, or said in one of its revisions. */
export type Recording = {
  /** The pod template, as it was written. */
  readonly template: JsonObject;
  /** The patches as spec.patches has them, in its order. */
  readonly patches: JsonList;
  /** Equal for templates that mean the same. */
  readonly templateText: string;
  /** Equal for patches that mean the same. */
  readonly patchesText: string;
};

export type Revision = {
  readonly name: string;
  /** Empty while it is only about to be made. */
  readonly uid: string;
  /** Later is higher; 0 in one that is about to be made only until it gets its number. */
  readonly number: number;
  /** The value of the label controller-revision-hash, on the revision and on its pods. */
  readonly hash: string;
  /** Undefined when nobody can read what it holds. */
  readonly recording: Recording | undefined;
  /** It says which patches there are, if only that there are none: whoever goes back to it gets its patches back. */
  readonly namesPatches: boolean;
  /** It carries its hash as a label. */
  readonly isLabelled: boolean;
  readonly isLeaving: boolean;
  readonly createdMs: number | undefined;
};

const NO_PATCHES: JsonList = Object.freeze([]);

/** Reads what a set, or the data of a revision, says of its pods; undefined when there is no template. */
export function recordingOf(spec: JsonObject): Recording | undefined {
  const { template, patches } = spec;
  if (!isJsonObject(template)) return undefined;
  const list = isJsonList(patches) ? patches : NO_PATCHES;
  return {
    template: withoutDirective(template),
    patches: list,
    templateText: canonicalJson(recordedTemplate(template)),
    patchesText: canonicalJson(list.map(plainPatch)),
  };
}

/** Reads a stored ControllerRevision, whoever wrote it; never throws. */
export function parseRevision({ name, uid, labels, isLeaving, createdMs, object }: StoredObject): Revision {
  const spec = objectAt(objectAt(object, "data"), "spec");
  const hash = labels[REVISION_HASH];
  return {
    ...{ name, uid, isLeaving, createdMs, number: countIn(object.revision), recording: recordingOf(spec) },
    hash: hash ?? name,
    namesPatches: Object.hasOwn(spec, "patches"),
    isLabelled: hash !== undefined,
  };
}

/** Whether two recordings ask for the same pods on every node. */
export function isSameRecording(a: Recording, b: Recording): boolean {
  return isSameTemplate(a, b) && a.patchesText === b.patchesText;
}

/** Whether two recordings differ at most in their patches. */
export function isSameTemplate(a: Recording, b: Recording): boolean {
  return a.templateText === b.templateText;
}

/** The patches that a pod records by their places (`2,0`), in that order; undefined when one of them is not there. */
export function patchesAt({ patches }: Recording, places: string): readonly JsonObject[] | undefined {
  if (places === "") return [];
  const found = places.split(",").map((place) => (/^\d{1,3}$/.test(place) ? patches[Number(place)] : undefined));
  return found.every((patch): patch is JsonObject => isJsonObject(patch)) ? found : undefined;
}

/**
 * The data of a revision in the very bytes that Kruise would store, as far as it knows patches: it knows none, so a set that
 * never had any has none in its revisions. Where they are named, no patches are null: a merge patch removes nothing else.
 */
export function revisionText(recording: Recording, { namesPatches }: { readonly namesPatches: boolean }): string {
  const template = markedTemplate(recordedTemplate(recording.template));
  const patches = recording.patches.length === 0 ? null : recording.patches;
  return canonicalJson({ spec: namesPatches ? { patches, template } : { template } });
}

export type NewRevision = {
  readonly set: StoredObject;
  readonly recording: Recording;
  readonly namesPatches: boolean;
  readonly number: number;
  /** Told apart from revisions whose hash is the same by accident; undefined until that has happened. */
  readonly collisionCount: number | undefined;
};

/** The hash and the name that a new revision gets. */
export function revisionIdentity({ set, recording, namesPatches, collisionCount }: Omit<NewRevision, "number">) {
  const hash = controllerRevisionHash(revisionText(recording, { namesPatches }), collisionCount);
  return { hash, name: controllerRevisionName(set.name, hash) };
}

/** The ControllerRevision as it is created. */
export function revisionBody(made: NewRevision): ObjectBody {
  const { set, recording, namesPatches, number } = made;
  const { hash, name } = revisionIdentity(made);
  const labels = objectAt(objectAt(recording.template, "metadata"), "labels");
  return {
    ...{ apiVersion: "apps/v1", kind: "ControllerRevision" },
    metadata: {
      ...{ name, namespace: set.namespace, labels: { ...labels, [REVISION_HASH]: hash } },
      ...(Object.keys(set.annotations).length === 0 ? {} : { annotations: set.annotations }),
      ownerReferences: [ownerReference(set.name, set.uid)],
    },
    // Parsed again, so that its keys stand in the order of the text: Kruise compares bytes.
    data: parsedText(revisionText(recording, { namesPatches })),
    revision: number,
  };
}

function parsedText(text: string): Json {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error("a revision that was written cannot be read");
  return parsed.value;
}

/** The patch as it is compared: a priority of 0 is none, and a null member is an absent one. */
export function plainPatch(patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const { priority, ...rest } = patch;
  const said = Object.entries(rest).filter(([, value]) => value !== null);
  return Object.fromEntries(
    priority === undefined || priority === null || priority === 0 ? said : [...said, ["priority", priority]],
  );
}
