// Since when what objects ask for has been known here, and since when nobody else can still act upon what they asked for before. Another
// replica may have an older picture; what it sent before it saw the change lands a moment after we have.
//
// Guarantees: a change that nobody saw happen counts from the moment at which its result was first seen, never from earlier.
// Caveats: it is gone with the process. Who starts anew waits once more.

import type { StoredObject } from "../../core/decision/snapshot.ts";
import { type DaemonPod, hasEnded } from "../../core/pod/daemon-pod.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Clock } from "../../kube/clock.ts";
import { isOlder } from "../../kube/resource-version.ts";

/** How long it is known when a pod went. What is forgotten costs a short wait. */
const DEPARTURE_MS = 60_000;
/** Departures that are known at once; the oldest is forgotten first. */
export const DEPARTURES_MAX = 20_000;

export type WishAgesOptions = {
  /** The objects of each kind. */
  readonly objects: readonly (readonly [Kind, Pick<Cache<StoredObject, never>, "changes">])[];
  readonly pods: Pick<Cache<DaemonPod | undefined, never>, "changes" | "resourceVersion"> | undefined;
  readonly clock: Pick<Clock, "wallMs">;
};

/** From when on something was so: an instant in wall ms, and the version at which it was so for certain. */
type Since = { readonly atMs: number; readonly version: string };

/** Without a version where nobody knows when it was. */
type Departure = Since & {
  /** It had ended before: whoever saw that may have made its successor, which may be named after it and not after what it is. */
  readonly hadEnded: boolean;
};

export class WishAges {
  readonly #options: WishAgesOptions;
  /** By the UID of the object; none of those that have never been changed. */
  readonly #wishes = new Map<string, Since>();
  /** By object and node: when the last of its pods went, the oldest first. */
  readonly #departures = new Map<string, Departure>();
  #term: Since | undefined;

  constructor(options: WishAgesOptions) {
    this.#options = options;
    for (const [kind, cache] of options.objects) {
      cache.changes(({ was, now }) => {
        if (now === undefined) this.#wishes.delete(was?.uid ?? "");
        else if (was === undefined ? now.generation !== 1 : !isSameWish(kind, was, now)) this.#wish(now);
      });
    }
    options.pods?.changes(({ was, now, goneAt = "" }) => {
      if (was?.controllerUid !== undefined && now === undefined) this.#depart(was, was.controllerUid, goneAt);
    });
  }

  /** From now on this replica alone acts: what others sent before is all that may still come. To be called when the caches are up to date. */
  excludeOthers(): void {
    this.#term = { atMs: this.#options.clock.wallMs(), version: this.#options.pods?.resourceVersion ?? "" };
  }

  /**
   * Since when, in wall ms, nobody else acts for the node upon an older wish; 0 if nobody can. `relabelledMs` is when those labels of the node
   * changed on which it depends. Whoever saw a pod go that went after the change can know of the change.
   */
  aloneSinceMs({ uid, generation }: StoredObject, node: string, relabelledMs: number): number {
    const departure = this.#departures.get(berthOf(uid, node));
    const isOver = ({ version }: Since) => departure !== undefined && isOlder(version, departure.version);
    const term = this.#term;
    if (term !== undefined) {
      const isUnchanged = generation === 1 && relabelledMs === 0;
      return isUnchanged || isOver(term) ? 0 : term.atMs;
    }
    const wish = this.#wishes.get(uid);
    const wishedMs = wish === undefined || isOver(wish) ? 0 : wish.atMs;
    return Math.max(relabelledMs, wishedMs, departure?.hadEnded ? departure.atMs : 0);
  }

  #wish({ uid, resourceVersion }: StoredObject): void {
    this.#wishes.set(uid, { atMs: this.#options.clock.wallMs(), version: resourceVersion });
  }

  #depart(pod: DaemonPod, uid: string, version: string): void {
    const atMs = this.#options.clock.wallMs();
    const berth = berthOf(uid, pod.node);
    this.#departures.delete(berth);
    this.#departures.set(berth, { atMs, version, hadEnded: hasEnded(pod) });
    for (const [oldest, departure] of this.#departures) {
      const isKept = departure.atMs + DEPARTURE_MS > atMs && this.#departures.size <= DEPARTURES_MAX;
      if (isKept) break;
      this.#departures.delete(oldest);
    }
  }
}

/** Whether two states of one object, or of two of one name, ask for the same. */
export function isSameWish(kind: Kind, was: StoredObject, now: StoredObject): boolean {
  if (was.uid !== now.uid) return false;
  return was.generation === now.generation || kind.isSameWish?.(was, now) === true;
}

function berthOf(uid: string, node: string): string {
  return `${uid} ${node}`;
}
