// Lists by owner that are brought up to date, beside lists that are made anew: over random changes of the cache and of our own writes
// nobody can tell them apart.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { type Change, Store } from "../../kube/cache/store.ts";
import { storedObject } from "./cluster-caches.ts";
import { Ledger, type LedgerEntry } from "./ledger.ts";
import { CHANGES_MAX, SeenObjects } from "./seen-objects.ts";

const OWNERS = ["x", "y"];
const NAMESPACES = ["n1", "n2"];

function anObject(name: string, namespace: string, { owner, version }: { owner: string; version: number }) {
  const ownerReferences = owner === "" ? [] : [{ uid: owner, controller: true, kind: "Set", name: owner }];
  const metadata = { name, namespace, uid: `${name}-uid`, resourceVersion: String(version), ownerReferences };
  return { apiVersion: "v1", kind: "Pod", metadata };
}

/** A cache and a ledger, a keeper of lists that has seen all, and one that begins anew at every question. */
function aStage() {
  const failed = (error: unknown) => expect(error).toBeUndefined();
  const byOwner = ({ controllerUid }: StoredObject) => (controllerUid === undefined ? [] : [controllerUid]);
  const store = new Store<StoredObject, "controller">({
    ...{ indexes: { controller: byOwner }, objectsMax: 1_000, listenerFailed: failed },
  });
  const ledger = new Ledger({
    clock: new VirtualClock(),
    versionOf: () => store.resourceVersion,
    sightOf: (_, key) => store.entry(key)?.value,
  });
  store.changes(({ key, now }) => ledger.shown("pods", key, now));
  const options = {
    ...{ resource: "pods", ledger, parse: storedObject },
    cache: {
      get: (key: string) => store.entry(key)?.value,
      by: (index: "controller", term: string) => store.by(index, term),
      changes: store.changes.bind(store),
    },
  };
  let version = 0;
  const put = (name: string, namespace: string, owner: string) => {
    version += 1;
    const value = storedObject(anObject(name, namespace, { owner, version }));
    const entry = { key: `${namespace}/${name}`, uid: value.uid, resourceVersion: value.resourceVersion, value };
    store.put({ ...entry, terms: store.termsOf(value) });
  };
  const remove = (name: string, namespace: string) => {
    version += 1;
    store.remove(`${namespace}/${name}`, String(version));
  };
  const address = (name: string, namespace: string) => ({
    ...{ resource: "pods", key: `${namespace}/${name}`, onBehalfOf: "x" },
    target: { apiVersion: "v1", kind: "Pod", namespace, name },
  });
  return {
    ...{ ledger, put, remove, address },
    seen: new SeenObjects(options),
    anew: () => new SeenObjects(options),
    nextVersion: () => version + 1,
  };
}

function answerTo({ target: { name, namespace = "" } }: LedgerEntry, owner: string, version: number) {
  return anObject(name, namespace, { owner, version });
}

const change = fc.record({
  does: fc.constantFrom("put", "put", "remove", "create", "delete", "answer", "refuse"),
  name: fc.constantFrom("a", "b", "c", "d", "ab"),
  namespace: fc.constantFrom(...NAMESPACES),
  owner: fc.constantFrom(...OWNERS, ""),
  isAsked: fc.boolean(),
});

test("lists that are brought up to date are those that are made anew", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const { ledger, seen, anew, put, remove, address, nextVersion } = aStage();
      const open: LedgerEntry[] = [];
      for (const { does, name, namespace, owner, isAsked } of changes) {
        const object = anObject(name, namespace, { owner, version: nextVersion() });
        if (does === "put") put(name, namespace, owner);
        if (does === "remove") remove(name, namespace);
        if (does === "create") open.push(ledger.sending(address(name, namespace), { does, object }));
        if (does === "delete") {
          open.push(ledger.sending(address(name, namespace), { does, uid: objectIdentity(object).uid }));
        }
        const entry = does === "answer" || does === "refuse" ? open.pop() : undefined;
        if (entry !== undefined && does === "answer") ledger.answered(entry, answerTo(entry, owner, nextVersion()));
        if (entry !== undefined && does === "refuse") ledger.refused(entry);
        if (!isAsked) continue;
        for (const uid of OWNERS) expect(seen.ofOwner(uid)).toEqual(anew().ofOwner(uid));
      }
      for (const uid of OWNERS) expect(seen.ofOwner(uid)).toEqual(anew().ofOwner(uid));
    }),
  );
});

describe("what is kept", () => {
  test("a change of somebody else's object leaves the very same list", () => {
    const { seen, put } = aStage();
    put("a", "n1", "x");
    const before = seen.ofOwner("x");
    put("b", "n1", "y");
    expect(seen.ofOwner("x")).toBe(before);
  });

  test("a list that was handed out stays as it was", () => {
    const { seen, put } = aStage();
    put("b", "n1", "x");
    const before = seen.ofOwner("x");
    put("a", "n1", "x");
    expect([before, seen.ofOwner("x")].map((list) => list.map(({ name }) => name))).toEqual([["b"], ["a", "b"]]);
  });

  test("changes of what is held as nothing leave it, however many there are", () => {
    let tell: (change: Change<StoredObject | undefined>) => void = () => undefined;
    const value = storedObject(anObject("a", "n1", { owner: "x", version: 1 }));
    const { ledger } = aStage();
    const seen = new SeenObjects<StoredObject>({
      ...{ resource: "pods", ledger, parse: storedObject },
      cache: {
        get: () => undefined,
        by: () => [value],
        changes: (listener) => {
          tell = listener;
          return () => undefined;
        },
      },
    });
    const before = seen.ofOwner("x");
    for (let at = 0; at <= CHANGES_MAX; at++) tell({ key: `n1/${at}`, was: undefined, now: undefined, initial: false });
    expect(seen.ofOwner("x")).toBe(before);
  });

  test("more changes than are remembered make lists anew, and lose none", () => {
    const { seen, put, remove } = aStage();
    put("a", "n1", "x");
    expect(seen.ofOwner("x")).toHaveLength(1);
    remove("a", "n1");
    for (let count = 0; count <= CHANGES_MAX; count++) put("b", "n1", "y");
    put("c", "n1", "x");
    expect(seen.ofOwner("x").map(({ name }) => name)).toEqual(["c"]);
  });
});
