// How a pod stands to what its node should run: told from what the pod records, never from guesses.
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import type { Rendered } from "../render.ts";
import { APPLIED_PATCHES, RENDERED_HASH, REVISION_HASH } from "./pod-keys.ts";

export type Standing =
  /** It is what the node should run. */
  | "current"
  /** It is, and says so of an older revision, or in older words. */
  | "mislabelled"
  /** It is of the newest revision, and the node's labels ask for other patches than it has. */
  | "drifted"
  /** It is of an older revision. */
  | "outdated";

/** What is known of the revisions of a set, as far as it takes to judge its pods. */
export type KnownRevisions = {
  /** The hash of the newest one. */
  readonly newest: string;
  /** The identity of a revision's template without patches; undefined for a revision that nobody knows. */
  readonly plainIdentity: (revision: string) => string | undefined;
};

export type StandingRule = {
  readonly revisions: KnownRevisions;
  /** While they are not, a pod may have had patches and is as good as new if its template is. */
  readonly arePatchesEnabled: boolean;
};

/** Judges a live pod against the rendering for its node. */
export function standingOf(
  pod: DaemonPod,
  rendered: Rendered,
  { revisions, arePatchesEnabled }: StandingRule,
): Standing {
  const revision = pod.labels[REVISION_HASH] ?? "";
  const isNewest = revision === revisions.newest;
  const places = pod.annotations[APPLIED_PATCHES] ?? "";
  if (!arePatchesEnabled && places !== "") {
    return revisions.plainIdentity(revision) === rendered.hash ? "current" : "outdated";
  }
  const written = pod.labels[RENDERED_HASH];
  // Pods of Kruise do not say what was rendered; it was the template of their revision.
  const identity = written ?? revisions.plainIdentity(revision);
  // The record counts as much as the hash: another release of ours may compute another one.
  const isOfRecord = isNewest && places === rendered.places;
  if (identity !== rendered.hash && !isOfRecord) return isNewest ? "drifted" : "outdated";
  const isWellLabelled = isOfRecord && (written === undefined || written === rendered.hash);
  return isWellLabelled ? "current" : "mislabelled";
}
