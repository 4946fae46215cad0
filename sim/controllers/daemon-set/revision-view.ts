// A ControllerRevision as its DaemonSet sees it: which template it remembers, under which number and hash.
import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import type { Stored } from "../../../src/kube/resource.ts";
import type { ApiObject } from "../api-resources.ts";
import { type ObjectView, parseObjectView } from "../object-view.ts";

export const HASH_LABEL = "controller-revision-hash";

export type RevisionView = ObjectView & {
  readonly revision: number;
  /** What it remembers, as canonical text. */
  readonly text: string;
  /** The value of the hash label on pods of this revision. */
  readonly hash: string;
};

/** Reads a revision. */
export function parseRevision(revision: Stored<ApiObject>): RevisionView {
  const view = parseObjectView(revision);
  return {
    ...view,
    revision: revision.revision ?? 0,
    text: canonicalJson(revision.data ?? null),
    hash: view.labels[HASH_LABEL] ?? view.name,
  };
}
