// What a controller has written and not yet seen in its cache: until then its picture is older than its own deeds, and a
// second look would make twins. Mirrors the expectations of Kubernetes' own controllers.
import type { Clock } from "../../src/kube/clock.ts";
import type { Key } from "../../src/kube/resource.ts";
import { isOlder } from "../../src/kube/resource-version.ts";
import type { ObjectView } from "./object-view.ts";
import type { Done } from "./write.ts";

/** After so long a write counts as seen: something took it away without a trace. */
const EXPECTATION_TIMEOUT_MS = 300_000;

type Expected =
  | { readonly kind: "came"; readonly key: Key; readonly uid: string; readonly version: string }
  | { readonly kind: "changed"; readonly key: Key; readonly version: string }
  | { readonly kind: "left"; readonly key: Key; readonly uid: string };

/** The cache that shows what became of the writes. */
export type Sight = { readonly resourceVersion: string; get(key: Key): ObjectView | undefined };

export class Expectations {
  readonly #clock: Clock;
  readonly #byOwner = new Map<Key, { readonly expected: readonly Expected[]; readonly sinceMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes down a write made for an owner. */
  note(owner: Key, done: Done): void {
    const expected = expectedOf(done);
    if (expected === undefined) return;
    const before = this.#byOwner.get(owner)?.expected ?? [];
    this.#byOwner.set(owner, { expected: [...before, expected], sinceMs: this.#clock.monotonicMs() });
  }

  /** True when the cache shows everything that was done for an owner. */
  areMet(owner: Key, sight: Sight): boolean {
    const waiting = this.#byOwner.get(owner);
    if (waiting === undefined) return true;
    const isOverdue = this.#clock.monotonicMs() - waiting.sinceMs > EXPECTATION_TIMEOUT_MS;
    const unseen = isOverdue ? [] : waiting.expected.filter((each) => !isSeen(each, sight));
    if (unseen.length === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, { ...waiting, expected: unseen });
    return unseen.length === 0;
  }

  forget(owner: Key): void {
    this.#byOwner.delete(owner);
  }
}

function expectedOf(done: Done): Expected | undefined {
  switch (done.did) {
    case "create": {
      const { name, namespace = "", uid, resourceVersion } = done.object.metadata;
      return { kind: "came", key: `${namespace}/${name}`, uid, version: resourceVersion };
    }
    case "patch":
      return { kind: "changed", key: done.key, version: done.version };
    case "delete":
      return { kind: "left", key: done.key, uid: done.uid };
    case "nothing":
      return undefined;
  }
}

function isSeen(expected: Expected, sight: Sight): boolean {
  const found = sight.get(expected.key);
  switch (expected.kind) {
    case "came":
      return found?.uid === expected.uid || !isOlder(sight.resourceVersion, expected.version);
    case "changed":
      return !isOlder(sight.resourceVersion, expected.version);
    case "left":
      return found?.uid !== expected.uid || found.isTerminating;
  }
}
