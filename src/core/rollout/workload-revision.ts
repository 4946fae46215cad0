// Which pods of a native DaemonSet are as its template says. Kubernetes keeps every template that a DaemonSet had as a ControllerRevision
// and gives its hash to the pods; the revision that holds the template as it is now is the current one.
//
// Guarantees: nothing counts as outdated before the revision of the template is seen, however far caches and controllers lag.

import { textIn } from "../decision/object-identity.ts";
import type { StoredObject } from "../decision/snapshot.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import type { Labels } from "../labels/label-requirement.ts";
import { quoted } from "../values/shown.ts";
import type { Workload } from "./workload.ts";

export const REVISION_HASH_LABEL = "controller-revision-hash";
/** Hashes of earlier templates, separated by commas, that differ from the present one only in where pods may go. */
export const EQUIVALENT_REVISIONS = "farrier.dev/equivalent-revisions";
/** Older ones are forgotten: pods that have seen so many moves of the selector may as well be made anew. */
export const EQUIVALENT_REVISIONS_MAX = 8;

/** Reads revisions; remembers the texts of the objects it was shown as long as they live. */
export type RevisionReader = {
  /** The hash of the revision that holds the workload's present template; undefined while it is not there. */
  readonly currentHash: (workload: Workload, revisions: readonly StoredObject[]) => string | undefined;
};

/** Makes a reader. */
export function createRevisionReader(): RevisionReader {
  const texts = new WeakMap<JsonObject, string>();
  const textOf = (template: JsonObject): string => {
    const known = texts.get(template);
    if (known !== undefined) return known;
    const text = canonicalJson(withoutNulls(template));
    texts.set(template, text);
    return text;
  };
  return {
    currentHash: (workload, revisions) => {
      const { template } = workload.spec;
      if (!isJsonObject(template) || revisions.length === 0) return undefined;
      const text = textOf(template);
      // The newest first: of two that hold the same, which only a collision of hashes makes, it is the one in use.
      const [match] = revisions
        .filter(({ object }) => {
          const kept = templateIn(object);
          return kept !== undefined && textOf(kept) === text;
        })
        .toSorted((a, b) => revisionNumber(b) - revisionNumber(a));
      const hash = match?.labels[REVISION_HASH_LABEL];
      return hash === undefined || hash === "" ? undefined : hash;
    },
  };
}

/** Whether a pod of a workload may stay as it is; true also while nobody can tell. */
export function isCurrentPod(podLabels: Labels, workload: Workload, currentHash: string | undefined): boolean {
  if (currentHash === undefined) return true;
  const hash = podLabels[REVISION_HASH_LABEL] ?? "";
  return hash === currentHash || equivalentRevisions(workload).includes(hash);
}

/**
 * Why nobody can say yet that pods of a workload are as its template says: the template's revision is not there, and nothing was said of
 * earlier ones when the template changed. Undefined where it can be said, or where there is no pod to say it of.
 */
export function unknownRevision(
  workload: Workload,
  currentHash: string | undefined,
  podCount: number,
): { readonly reason: "Progressing"; readonly because: string } | undefined {
  if (currentHash !== undefined || podCount === 0 || equivalentRevisions(workload).length > 0) return undefined;
  return { reason: "Progressing", because: `the revision of DaemonSet ${quoted(workload.name)} is not known yet` };
}

/** The hashes that a workload says to be as good as its present one. */
export function equivalentRevisions({ annotations }: Workload): readonly string[] {
  const written = Object.hasOwn(annotations, EQUIVALENT_REVISIONS) ? (annotations[EQUIVALENT_REVISIONS] ?? "") : "";
  return written.split(",").filter((hash) => hash !== "");
}

/** The hashes to keep when the template changes in nothing but where its pods may go; the newest first. */
export function equivalentsAfter(workload: Workload, currentHash: string): readonly string[] {
  return [...new Set([currentHash, ...equivalentRevisions(workload)])].slice(0, EQUIVALENT_REVISIONS_MAX);
}

/** A revision keeps the template as a patch that would bring it back. */
function templateIn({ data }: JsonObject): JsonObject | undefined {
  const spec = isJsonObject(data) ? data.spec : undefined;
  const template = isJsonObject(spec) ? spec.template : undefined;
  return isJsonObject(template) ? template : undefined;
}

function revisionNumber({ object }: StoredObject): number {
  return typeof object.revision === "number" ? object.revision : 0;
}

/** Servers of different ages write null for what is not set, or leave it out; the patch directive is not of the template. */
function withoutNulls(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => inner !== null && !(key === "$patch" && textIn(inner) !== ""),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}
