// The revisions of a DaemonSet: one per template it has had. The current one gives its pods their hash label, old ones are kept
// for rollbacks up to a limit.
import { controllerRevisionHash, controllerRevisionName } from "../../../src/core/hash/controller-revision-hash.ts";
import { isAlreadyExists } from "../../../src/kube/client/api-error.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import { numberAt, objectAt } from "../../api-server/api-object.ts";
import { type ApiObject, CONTROLLER_REVISIONS, DAEMON_SETS } from "../api-resources.ts";
import { controllerReference } from "../object-view.ts";
import type { PodView } from "../pod-view.ts";
import { onlyOf, type Write } from "../write.ts";
import { type DaemonSetView, revisionContent } from "./daemon-set-view.ts";
import { HASH_LABEL, parseRevision, type RevisionView } from "./revision-view.ts";

export const DAEMON_SET_TYPE = { apiVersion: "apps/v1", kind: "DaemonSet" };

export type History = {
  /** Undefined when the template has no revision yet. */
  readonly current: RevisionView | undefined;
  readonly old: readonly RevisionView[];
  /** The number that the current revision must have: above all others, also after a rollback. */
  readonly number: number;
};

/** Sorts the revisions of a set; of two that remember the present template the one with the higher number counts. */
export function observeHistory(set: DaemonSetView, revisions: Iterable<RevisionView>): History {
  const sorted = [...revisions].sort((a, b) => a.revision - b.revision || (a.name < b.name ? -1 : 1));
  const current = sorted.findLast(({ text }) => text === set.revisionText);
  const old = sorted.filter(({ text }) => text !== set.revisionText);
  return { current, old, number: (old.at(-1)?.revision ?? 0) + 1 };
}

/** The hash of the present template; makes the revision, or moves it to the top, where that is due. */
export async function settleHistory(
  client: Client,
  set: DaemonSetView,
  { current, number }: History,
  signal: AbortSignal,
): Promise<string> {
  if (current === undefined) return snapshot(client, set, number, signal);
  if (current.revision < number) {
    const patch = onlyOf(current, { revision: number });
    await client.patch(CONTROLLER_REVISIONS, current.key, patch, { signal });
  }
  return current.hash;
}

/** Old revisions beyond the limit that no pod needs any more, the oldest first. */
export function decideCleanUp(set: DaemonSetView, { old }: History, pods: readonly PodView[]): readonly Write[] {
  const surplus = old.length - set.historyLimit;
  if (surplus <= 0) return [];
  const live = new Set(pods.map(({ labels }) => labels[HASH_LABEL]));
  return old
    .filter(({ hash }) => !live.has(hash))
    .slice(0, surplus)
    .map(({ key, uid }) => ({ do: "delete", resource: CONTROLLER_REVISIONS, key, uid }));
}

async function snapshot(client: Client, set: DaemonSetView, number: number, signal: AbortSignal): Promise<string> {
  const collisions = numberAt(set.status, "collisionCount");
  const hash = controllerRevisionHash(set.revisionText, collisions);
  const name = controllerRevisionName(set.name, hash);
  try {
    await client.create(CONTROLLER_REVISIONS, revisionObject(set, { name, hash, number }), { signal });
    return hash;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const there = await client.get(CONTROLLER_REVISIONS, `${set.namespace}/${name}`, { signal });
    const isOurs = there !== undefined && parseRevision(there).text === set.revisionText;
    if (isOurs) return hash;
    // Another template has the same hash: the count gives this one another name at the next try.
    const patch = onlyOf(set, { status: { collisionCount: (collisions ?? 0) + 1 } });
    await client.patch(DAEMON_SETS, set.key, patch, { subresource: "status", signal });
    throw error;
  }
}

function revisionObject(
  set: DaemonSetView,
  { name, hash, number }: { readonly name: string; readonly hash: string; readonly number: number },
): ApiObject {
  const labels = objectAt(objectAt(set.template, "metadata"), "labels");
  const texts = Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
  return {
    ...{ apiVersion: "apps/v1", kind: "ControllerRevision" },
    metadata: {
      ...{ name, namespace: set.namespace, annotations: set.annotations },
      labels: { ...texts, [HASH_LABEL]: hash },
      ownerReferences: [controllerReference(set, DAEMON_SET_TYPE)],
    },
    data: revisionContent(set.template),
    revision: number,
  };
}
