// The name of the next pod of a node: a function of what whoever acts for the set can see there, so that an answer that was lost, an old
// cache or a second leader meets AlreadyExists instead of making a twin.
//
// Guarantees: no pod that is seen on the node has the name, but one that is leaving, for which the next one waits. However often pods of one
// rendering end, each of the next ones has a name that none had before.
// Caveats: two that see different pods there may arrive at two names. What stands against that is time (`other-wishes.ts`).

import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { childName } from "../../../core/hash/names.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { RENDERED_HASH } from "./pod-keys.ts";

/** Pod names become host names. */
const NAME_CHARS_MAX = 63;
/** One pod after the other may have been let go on a node; nobody looks at more of them at once. */
const HOLDERS_MAX = 16;

export type Berth = {
  readonly set: Pick<StoredObject, "name" | "uid">;
  readonly node: string;
  /** The identity of what the next pod is made of. */
  readonly hash: string;
  /** The pod that ended there last. */
  readonly last: Pick<DaemonPod, "uid" | "labels"> | undefined;
  /** A new pod may stand beside the old one. */
  readonly isSurging: boolean;
  /** The UID of a pod that has a name and keeps it: of the set, and not leaving, or one that somebody took the labels from. */
  readonly holderUid: (name: string) => string | undefined;
};

/** The name that the next pod would have if nobody held it: from what it is made of, or after the pod that ended. */
export function plainName(berth: Berth): string {
  return nameFrom(berth, precursorUid(berth) ?? berth.hash);
}

/** The name that the next pod will have: the plain one, or one after whoever holds that. */
export function podName(berth: Berth): string {
  let name = plainName(berth);
  for (let tries = 0; tries < HOLDERS_MAX; tries++) {
    const uid = berth.holderUid(name);
    if (uid === undefined) break;
    name = nameFrom(berth, uid);
  }
  return name;
}

/**
 * The pod after which the next one is named. Pod by pod it is whichever ended: whatever two leaders think that the next one should be made of,
 * only one of them makes it. In a surge who saw it alive puts a pod beside it, named from what that is made of, and who saw it end must meet
 * that one; only a pod of the same rendering has nobody put beside it.
 */
function precursorUid({ last, hash, isSurging }: Berth): string | undefined {
  const isAfter = last !== undefined && (!isSurging || last.labels[RENDERED_HASH] === hash);
  return isAfter ? last.uid : undefined;
}

function nameFrom({ set, node }: Berth, part: string): string {
  return childName(set.name, [set.uid, node, part], NAME_CHARS_MAX);
}
