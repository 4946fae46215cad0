// Pods that this process has seen go: who comes next on a node is named after them. Every replica remembers, also while it does not lead.
import type { DaemonPod } from "../core/daemon-pod.ts";
import type { PastPod } from "../core/snapshot.ts";
import type { Cache } from "../kube/cache.ts";

/** Nodes of owners that are remembered; what was remembered longest ago is forgotten first, which costs a fresh name and nothing else. */
export const PAST_PODS_MAX = 50_000;

export class PastPods {
  readonly #last = new Map<string, PastPod>();

  constructor(cache: Pick<Cache<DaemonPod | undefined, never>, "changes">) {
    cache.changes(({ was, now }) => {
      if (was !== undefined && now === undefined) this.#note(was);
    });
  }

  /** Of the pods of an owner on a node, the one that was last seen to go. */
  last(ownerUid: string, node: string): PastPod | undefined {
    return this.#last.get(placeOf(ownerUid, node));
  }

  #note({ controllerUid, node, uid, name }: DaemonPod): void {
    if (controllerUid === undefined || node === "") return;
    const place = placeOf(controllerUid, node);
    this.#last.delete(place);
    this.#last.set(place, { uid, name });
    const [oldest] = this.#last.keys();
    if (oldest !== undefined && this.#last.size > PAST_PODS_MAX) this.#last.delete(oldest);
  }
}

function placeOf(ownerUid: string, node: string): string {
  return `${ownerUid} ${node}`;
}
