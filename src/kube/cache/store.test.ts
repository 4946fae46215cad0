import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Change, type Entry, Store } from "./store.ts";
import { WAITERS_MAX } from "./version-waiters.ts";

type Value = { readonly colour: string; readonly tags: readonly string[] };

function aStore({ objectsMax = 100, failures = [] as unknown[] } = {}) {
  const store = new Store<Value, "colour" | "tag">({
    indexes: { colour: (value) => [value.colour], tag: (value) => value.tags },
    objectsMax,
    listenerFailed: (error) => failures.push(error),
  });
  const changes: Change<Value>[] = [];
  store.changes((change) => changes.push(change));
  const entry = (key: string, version: number | string, colour = "red", uid = `uid-${key}`, tags: string[] = []) => {
    const value: Value = { colour, tags };
    return { key, uid, resourceVersion: String(version), value, terms: store.termsOf(value) } satisfies Entry<Value>;
  };
  const list = (...entries: Entry<Value>[]) => new Map(entries.map((each) => [each.key, each]));
  const colours = () => Object.fromEntries([...keysOf(store)].map((key) => [key, store.entry(key)?.value.colour]));
  return { store, changes, entry, list, colours };
}

function* keysOf(store: Store<Value, "colour" | "tag">): Generator<string> {
  for (const key of ["a", "b", "c", "d"]) if (store.entry(key) !== undefined) yield key;
}

/** The changes as words: "+a red", "-a red", "a red>blue". */
const words = (changes: readonly Change<Value>[]) =>
  changes.map(({ key, was, now }) =>
    was === undefined
      ? `+${key} ${now?.colour}`
      : now === undefined
        ? `-${key} ${was.colour}`
        : `${key} ${was.colour}>${now.colour}`,
  );

describe("one object", () => {
  test("comes, changes and goes, and listeners hear of each", () => {
    const { store, changes, entry, colours } = aStore();
    expect([store.put(entry("a", 1)), store.put(entry("a", 2, "blue"))]).toEqual(["done", "done"]);
    expect(colours()).toEqual({ a: "blue" });
    expect(store.remove("a", "3")).toBe("done");
    expect(words(changes)).toEqual(["+a red", "a red>blue", "-a blue"]);
    expect([store.size, store.resourceVersion]).toEqual([0, "3"]);
  });

  test("with another UID is another object: the old one goes, the new one comes", () => {
    const { store, changes, entry } = aStore();
    store.put(entry("a", 1, "red", "first"));
    store.put(entry("a", 5, "blue", "second"));
    expect(words(changes)).toEqual(["+a red", "-a red", "+a blue"]);
  });

  test.each([
    { name: "the same state again", version: "9" },
    { name: "an older state, though its text sorts later", version: "8" },
  ])("does not go back: $name", ({ version }) => {
    const { store, entry, colours } = aStore();
    store.put(entry("a", 9));
    store.put(entry("b", 10));
    expect(store.put(entry("a", version, "blue"))).toBe("known");
    expect(store.remove("a", "8")).toBe("known");
    expect([colours(), store.resourceVersion]).toEqual([{ a: "red", b: "red" }, "10"]);
  });

  test("that is unknown and older than what was seen is left to a list: it may be gone for long", () => {
    const { store, entry, colours } = aStore();
    store.put(entry("a", 5));
    store.remove("a", "7");
    expect(store.put(entry("a", 6))).toBe("out-of-order");
    expect(colours()).toEqual({});
  });

  test("may share its version with a neighbour, as objects that expire together do", () => {
    const { store, entry, colours } = aStore();
    expect([store.put(entry("a", 5)), store.put(entry("b", 5))]).toEqual(["done", "done"]);
    expect(colours()).toEqual({ a: "red", b: "red" });
  });

  test("is taken as it comes where versions have no order", () => {
    const { store, entry, colours } = aStore();
    store.put(entry("a", "x9"));
    expect(store.put(entry("a", "x8", "blue"))).toBe("done");
    expect([colours(), store.resourceVersion]).toEqual([{ a: "blue" }, "x8"]);
  });

  test("beyond the limit is refused, known ones may still change", () => {
    const { store, entry, colours } = aStore({ objectsMax: 2 });
    store.put(entry("a", 1));
    store.put(entry("b", 2));
    expect([store.put(entry("c", 3)), store.put(entry("a", 4, "blue"))]).toEqual(["full", "done"]);
    expect(colours()).toEqual({ a: "blue", b: "red" });
  });
});

describe("a list", () => {
  test("comes in as a diff: what is equal stays untouched and is not told", () => {
    const { store, changes, entry, list, colours } = aStore();
    const same = entry("a", 1);
    store.replace(list(same, entry("b", 2), entry("c", 3, "red", "old")), "10");
    changes.length = 0;
    store.replace(list(same, entry("c", 12, "blue", "new"), entry("d", 13)), "15");
    expect(words(changes)).toEqual(["-b red", "-c red", "+c blue", "+d red"]);
    expect([colours(), store.resourceVersion]).toEqual([{ a: "red", c: "blue", d: "red" }, "15"]);
  });

  test("is told after all of it is in, and only the first one is initial", () => {
    const { store, changes, entry, list } = aStore();
    const sizes: number[] = [];
    store.changes(() => sizes.push(store.size));
    store.replace(list(entry("a", 1), entry("b", 2)), "2");
    store.replace(list(entry("c", 3), entry("d", 4)), "4");
    expect(sizes).toEqual([2, 2, 2, 2, 2, 2]);
    expect(changes.map(({ initial }) => initial)).toEqual([true, true, false, false, false, false]);
  });

  test("can be asked for what it would take away", () => {
    const { store, entry, list } = aStore();
    store.replace(list(entry("a", 1), entry("b", 2)), "2");
    expect([store.missingFrom(list(entry("b", 2))), store.missingFrom(new Map())]).toEqual([1, 2]);
  });
});

describe("indexes", () => {
  test("follow each change and know no index of another name", () => {
    const { store, entry } = aStore();
    store.put(entry("a", 1, "red", "u", ["x", "y"]));
    store.put(entry("b", 2, "red", "v", ["y", "y"]));
    store.put(entry("a", 3, "blue", "u", ["y", "z"]));
    expect([...store.by("colour", "red")]).toEqual([{ colour: "red", tags: ["y", "y"] }]);
    expect(["x", "y", "z"].map((tag) => store.count("tag", tag))).toEqual([0, 2, 1]);
    expect(() => store.count("size" as "tag", "x")).toThrow('no index "size"; there is: colour, tag');
  });

  const key = fc.constantFrom("a", "b", "c", "d");
  const step = fc.record({
    do: fc.constantFrom("put", "put", "remove", "replace"),
    keys: fc.uniqueArray(key, { minLength: 1 }),
    colour: fc.constantFrom("red", "blue"),
    tags: fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 3 }),
    uid: fc.constantFrom("first", "second"),
  });

  test("always list exactly the values that are there", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { store, entry, list } = aStore();
        for (const [at, { do: act, keys, colour, tags, uid }] of steps.entries()) {
          const entries = keys.map((each) => entry(each, at + 1, colour, uid, tags));
          if (act === "replace") store.replace(list(...entries), String(at + 1));
          else if (act === "put") for (const each of entries) store.put(each);
          else for (const each of keys) store.remove(each, String(at + 1));
        }
        const held = [...store.values()];
        const tagged = (tag: string) => held.filter(({ tags }) => tags.includes(tag));
        for (const tag of ["x", "y", "z"]) {
          expect(new Set(store.by("tag", tag))).toEqual(new Set(tagged(tag)));
          expect(store.count("tag", tag)).toBe(tagged(tag).length);
        }
        expect(store.count("colour", "red") + store.count("colour", "blue")).toBe(held.length);
      }),
    );
  });
});

describe("listeners", () => {
  test("do not suffer from one that throws", () => {
    const failures: unknown[] = [];
    const { store, changes, entry } = aStore({ failures });
    store.changes(() => {
      throw new Error("mine");
    });
    const heard: string[] = [];
    store.changes(({ key }) => heard.push(key));
    store.put(entry("a", 1));
    store.put(entry("b", 2));
    expect([words(changes), heard, failures.map(String)]).toEqual([
      ["+a red", "+b red"],
      ["a", "b"],
      ["Error: mine", "Error: mine"],
    ]);
  });

  test("hear nothing more once they have left", () => {
    const { store, entry } = aStore();
    const heard: string[] = [];
    const leave = store.changes(({ key }) => heard.push(key));
    store.put(entry("a", 1));
    leave();
    store.put(entry("b", 2));
    expect(heard).toEqual(["a"]);
  });
});

describe("observed", () => {
  /** "waiting" until the promise settles. */
  async function stateOf(promise: Promise<void>): Promise<string> {
    return Promise.race([
      promise.then(
        () => "seen",
        (error: unknown) => String(error),
      ),
      new Promise<string>((resolve) => setImmediate(() => resolve("waiting"))),
    ]);
  }
  const forever = new AbortController().signal;

  test("resolves at once for what was seen, and later for what comes: by an object, a removal, a bookmark or a list", async () => {
    const { store, entry, list } = aStore();
    const waits = [1, 2, 3, 4, 5].map((version) => store.observed(String(version), forever));
    const states = () => Promise.all(waits.map(stateOf));
    store.put(entry("a", 1));
    expect(await states()).toEqual(["seen", "waiting", "waiting", "waiting", "waiting"]);
    store.remove("a", "2");
    expect(await states()).toEqual(["seen", "seen", "waiting", "waiting", "waiting"]);
    store.reach("3");
    store.replace(list(), "5");
    expect(await states()).toEqual(["seen", "seen", "seen", "seen", "seen"]);
    expect(await stateOf(store.observed("5", forever))).toBe("seen");
  });

  test("rejects with the signal's reason, before or while it waits", async () => {
    const { store } = aStore();
    const late = new AbortController();
    const wait = store.observed("7", late.signal);
    late.abort(new Error("too late"));
    expect(await stateOf(wait)).toBe("Error: too late");
    expect(await stateOf(store.observed("7", late.signal))).toBe("Error: too late");
  });

  test("refuses more waiters than its limit rather than grow without end", async () => {
    const { store } = aStore();
    for (let count = 0; count < WAITERS_MAX; count++) void store.observed("7", forever);
    expect(await stateOf(store.observed("7", forever))).toMatch(/10000 callers already wait/);
  });

  test("waits for a list where versions have no order", async () => {
    const { store, entry, list } = aStore();
    const wait = store.observed("mine", forever);
    store.put(entry("a", "other"));
    expect(await stateOf(wait)).toBe("waiting");
    store.replace(list(), "third");
    expect(await stateOf(wait)).toBe("seen");
  });

  test("an old bookmark or an empty one does not move the store back", () => {
    const { store, entry } = aStore();
    store.put(entry("a", 10));
    store.reach("9");
    store.reach("");
    expect(store.resourceVersion).toBe("10");
  });
});
