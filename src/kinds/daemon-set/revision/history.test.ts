import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { objectIdentity } from "../../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { objectAt } from "../../schema/json-parts.ts";
import { HistoryBook, templateOf } from "../testing/history-book.ts";
import { currentRevision, revisionWithHash, rollbackStep } from "./history.ts";

const HASH = "controller-revision-hash";
const aPatch = (value: string) => ({ selector: {}, patch: { metadata: { labels: { value } } } });

describe("what a set says is recorded", () => {
  test("once: a second look finds it and has nothing to do", () => {
    const book = new HistoryBook();
    const first = book.says({ template: templateOf("a:1") });
    expect(first).toMatchObject({ update: { number: 1, uid: "r1" }, older: [], steps: [] });
  });

  test("again, under the same name, while the server has not answered that it was", () => {
    const book = new HistoryBook();
    const { update } = book.says({ template: templateOf("a:1") });
    book.put(mergeObject(book.revisions.get(update.name) ?? {}, { metadata: { uid: null } }));
    const { update: again, older, steps } = book.read();
    expect([again.name, older]).toEqual([update.name, []]);
    expect(steps).toMatchObject([{ do: "create", object: { metadata: { name: update.name }, revision: 1 } }]);
  });

  test("under the next number when it is new", () => {
    const book = new HistoryBook();
    for (const image of ["a:1", "a:2", "a:3"]) book.says({ template: templateOf(image) });
    expect(book.numbers).toEqual([1, 2, 3]);
    expect(book.read().older.map(({ number }) => number)).toEqual([1, 2]);
  });

  test("under the next number again when the set goes back to it, if that is what it wishes", () => {
    const book = new HistoryBook();
    for (const image of ["a:1", "a:2"]) book.says({ template: templateOf(image) });
    book.spec = { template: templateOf("a:1") };
    expect(book.read().steps).toMatchObject([{ do: "patch", patch: { revision: 3 }, premises: [] }]);
  });

  test("with patches from the first that had some, and with null for none from then on", () => {
    const book = new HistoryBook();
    book.says({ template: templateOf("a:1") });
    book.says({ template: templateOf("a:1"), patches: [aPatch("x")] });
    book.says({ template: templateOf("a:2"), patches: [] });
    const specs = [...book.revisions.values()].map(({ data }) => (isJsonObject(data) ? data.spec : undefined));
    expect(specs.map((spec) => (isJsonObject(spec) ? spec.patches : "?"))).toEqual([undefined, [aPatch("x")], null]);
  });

  test("and an edit that changes nothing for a pod is none", () => {
    const book = new HistoryBook();
    const before = book.says({ template: templateOf("a:1") });
    const after = book.says({
      template: {
        $patch: "replace",
        ...templateOf("a:1"),
        metadata: { labels: { app: "a" }, creationTimestamp: null },
      },
      patches: [],
    });
    expect(after.update.hash).toBe(before.update.hash);
    expect(book.numbers).toEqual([1]);
  });
});

describe("going back", () => {
  test("takes up the old revision under a new number, with its old hash", () => {
    const book = new HistoryBook();
    const first = book.says({ template: templateOf("a:1"), patches: [aPatch("x")] });
    book.says({ template: templateOf("a:2") });
    const again = book.says({ template: templateOf("a:1"), patches: [aPatch("x")] });
    expect(again.update).toMatchObject({ name: first.update.name, hash: first.update.hash, number: 3 });
    expect(again.steps).toEqual([]);
  });

  test("by our own step restores template and patches whole, of exactly this set", () => {
    const book = new HistoryBook();
    const { update } = book.says({ template: templateOf("a:1"), patches: [aPatch("x")] });
    book.says({ template: templateOf("a:2"), patches: [aPatch("y"), aPatch("z")] });
    expect(rollbackStep(book.set, update)).toMatchObject({
      target: { apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", name: "agent" },
      patch: [
        { op: "test", path: "/metadata/uid", value: "set-uid" },
        { op: "replace", path: "/spec/template", value: templateOfRecord("a:1") },
        { op: "add", path: "/spec/patches", value: [aPatch("x")] },
      ],
    });
  });

  test("to a revision without patches takes away those that there are, and only those", () => {
    const book = new HistoryBook();
    const { update } = book.says({ template: templateOf("a:1") });
    const ops = () => JSON.parse(JSON.stringify(rollbackStep(book.set, update)?.patch)).map(({ op }: JsonObject) => op);
    expect(ops()).toEqual(["test", "replace"]);
    book.spec = { template: templateOf("a:2"), patches: [aPatch("y")] };
    expect(ops()).toEqual(["test", "replace", "remove"]);
  });

  test("to a revision that nobody can read is not possible", () => {
    const unreadable = { ...new HistoryBook().read().update, recording: undefined };
    expect(rollbackStep(new HistoryBook().set, unreadable)).toBeUndefined();
  });

  test("by merge patch of Kruise's tool leaves a directive, which changes nothing", () => {
    const book = new HistoryBook();
    const first = book.says({ template: templateOf("a:1"), patches: [aPatch("x")] });
    book.says({ template: templateOf("a:2"), patches: [aPatch("y")] });
    const recorded = objectAt(book.revisions.get(first.update.name) ?? {}, "data");
    const merged = mergeObject({ spec: book.spec }, recorded);
    const again = book.says(isJsonObject(merged.spec) ? merged.spec : {});
    expect(book.spec).toMatchObject({ template: { $patch: "replace" } });
    expect(again.update.hash).toBe(first.update.hash);
  });
});

describe("a hash that is taken", () => {
  test("is passed over, the count is kept, and later looks find the revision", () => {
    const book = new HistoryBook();
    const { name } = book.read().update;
    const squatter = { metadata: { name, uid: "s", labels: { [HASH]: name.slice("agent-".length) } }, revision: 1 };
    book.put({ ...squatter, data: { spec: { template: templateOf("other") } } });
    const after = book.says({ template: templateOf("a:1") });
    expect(after.update.name).not.toBe(name);
    expect(after.update.number).toBe(2);
    expect(book.collisionCount).toBe(1);
    expect(after.steps).toEqual([]);
  });

  test("by a revision of somebody else is passed over, too: nobody has to wait until that is collected", () => {
    const book = new HistoryBook();
    const { name } = book.read().update;
    book.foreign.add(name);
    const after = book.says({ template: templateOf("a:1") });
    expect(after.update.name).not.toBe(name);
    expect(after.steps).toEqual([]);
    expect(book.collisionCount).toBe(1);
  });

  test("by the very same content that is being deleted is waited for, not passed over", () => {
    const book = new HistoryBook();
    const { update } = book.says({ template: templateOf("a:1") });
    const leaving = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
    book.put(mergeObject(book.revisions.get(update.name) ?? {}, leaving));
    const history = book.read();
    expect(history.steps).toMatchObject([{ do: "create", object: { metadata: { name: update.name } } }]);
    expect(history.collisionCount).toBeUndefined();
  });
});

describe("revisions of others", () => {
  test("one without a label of its hash gets it", () => {
    const book = new HistoryBook();
    book.put({
      metadata: { name: "agent-old", uid: "o" },
      revision: 4,
      data: { spec: { template: templateOf("a:0") } },
    });
    const after = book.says({ template: templateOf("a:1") });
    expect(after.update.number).toBe(5);
    expect(objectIdentity(book.revisions.get("agent-old") ?? {}).labels[HASH]).toBe("agent-old");
  });

  test("one that holds what the set says is taken up, whatever its hash", () => {
    const book = new HistoryBook();
    const labels = { [HASH]: "kruise" };
    book.put({
      ...{ metadata: { name: "agent-kruise", uid: "k", labels }, revision: 1 },
      data: { spec: { template: templateOfRecord("a:1") } },
    });
    expect(book.read()).toMatchObject({ update: { hash: "kruise", uid: "k" }, steps: [] });
  });

  test("without a label and to be renumbered, one patch does both", () => {
    const book = new HistoryBook();
    book.put({ metadata: { name: "agent-x", uid: "x" }, revision: 1, data: { spec: { template: templateOf("a:1") } } });
    book.put({
      ...{ metadata: { name: "agent-y", uid: "y", labels: { [HASH]: "y" } }, revision: 2 },
      data: { spec: { template: templateOf("a:2") } },
    });
    expect(book.read().steps).toMatchObject([
      { target: { name: "agent-x" }, patch: { revision: 3, metadata: { uid: "x", labels: { [HASH]: "agent-x" } } } },
    ]);
  });

  test("of two that hold the same the newest counts, and the other goes when no pod bears its hash", () => {
    const book = new HistoryBook();
    for (const [name, revision] of [
      ["b", 2],
      ["a", 1],
    ] as const) {
      const labels = { [HASH]: name };
      book.put({ metadata: { name, uid: name, labels }, revision, data: { spec: { template: templateOf("a:1") } } });
    }
    expect(book.read().update.hash).toBe("b");
    book.clean(10, ["a", "b"]);
    expect([...book.revisions.keys()].sort()).toEqual(["a", "b"]);
    book.clean(10, ["b"]);
    expect([...book.revisions.keys()]).toEqual(["b"]);
  });
});

describe("cleaning", () => {
  const aBook = () => {
    const book = new HistoryBook();
    for (const image of ["a:1", "a:2", "a:3", "a:4"]) book.says({ template: templateOf(image) });
    return book;
  };
  const hashes = (book: HistoryBook) => book.read().older.map(({ hash }) => hash);

  test.each([
    { kept: 10, left: [1, 2, 3, 4] },
    { kept: 2, left: [2, 3, 4] },
    { kept: 0, left: [4] },
  ])("keeps $kept old revisions, the newest, and the one that pods should run", ({ kept, left }) => {
    const book = aBook();
    book.clean(kept);
    expect(book.numbers).toEqual(left);
  });

  test("never takes one that a pod bears, and does not take another for it beyond the excess", () => {
    const book = aBook();
    const [first = ""] = hashes(book);
    book.clean(1, [first]);
    expect(book.numbers).toEqual([1, 4]);
    book.clean(0, [first]);
    expect(book.numbers).toEqual([1, 4]);
  });

  test("follows from what the set wishes, which is asked for once more where another replica may know better", () => {
    expect(aBook().clean(2)).toMatchObject([{ do: "delete", premises: [] }]);
  });

  test("waits until the new revision is there", () => {
    const book = aBook();
    book.spec = { template: templateOf("a:5") };
    book.clean(0);
    expect(book.numbers).toEqual([1, 2, 3, 4]);
  });
});

test("the current revision is the newest other one that a pod bears", () => {
  const book = new HistoryBook();
  for (const image of ["a:1", "a:2", "a:3"]) book.says({ template: templateOf(image) });
  const history = book.read();
  const [first, second] = history.older.map(({ hash }) => hash);
  expect(currentRevision(history, new Set([first ?? "", second ?? ""])).hash).toBe(second);
  expect(currentRevision(history, new Set([history.update.hash])).hash).toBe(history.update.hash);
  expect(revisionWithHash(history, first ?? "")?.number).toBe(1);
  expect(revisionWithHash(history, "unknown")).toBeUndefined();
});

test("whatever a set says, one after the other: one revision each, the last one newest, and no pod's revision is lost", () => {
  const word = fc.record({ image: fc.integer({ min: 0, max: 4 }), patch: fc.option(fc.integer({ min: 0, max: 2 })) });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 3 }), (words, kept) => {
      const book = new HistoryBook();
      const bySaying = new Map<string, string>();
      let worn = "";
      for (const { image, patch } of words) {
        const spec = {
          template: templateOf(`a:${image}`),
          ...(patch === null ? {} : { patches: [aPatch(`${patch}`)] }),
        };
        const saying = JSON.stringify(spec);
        const before = book.read();
        const known = revisionWithHash(before, bySaying.get(saying) ?? "");
        const { update, older, steps } = book.says(spec);
        expect(steps).toEqual([]);
        expect(older.every(({ number }) => number < update.number)).toBe(true);
        if (known !== undefined) expect(update).toMatchObject({ hash: known.hash, uid: known.uid });
        bySaying.set(saying, update.hash);
        worn ||= update.hash;
        book.clean(kept, [worn]);
        expect(revisionWithHash(book.read(), worn)).toBeDefined();
        expect(book.read().update.hash).toBe(update.hash);
        expect(book.read().older.length).toBeLessThanOrEqual(kept + 1);
      }
    }),
  );
});

/** The template as a revision holds it, which Go has filled up. */
function templateOfRecord(image: string): JsonObject {
  return {
    metadata: { creationTimestamp: null, labels: { app: "a" } },
    spec: { containers: [{ name: "main", image, resources: {} }] },
  };
}
