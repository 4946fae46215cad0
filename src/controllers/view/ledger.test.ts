import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aBook, anObject, aReadyPod, place, TOY } from "../../../sim/scenarios/operator/ledger-on-paper.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { LEDGER_LIMITS } from "./ledger.ts";

describe("a write counts from the moment of sending", () => {
  test("an object that we create is there before anybody has answered", () => {
    const { ledger, seen } = aBook();
    ledger.sending(place, { does: "create", object: anObject("", 0) });
    expect(seen()?.name).toBe("a");
  });

  test("an object that we create under the name of one that is there does not hide it", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2));
    ledger.sending(place, { does: "create", object: anObject("", 0) });
    expect(seen()?.uid).toBe("u1");
  });

  test("an object that we create after one that we deleted takes its place", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2));
    ledger.sending(place, { does: "delete", uid: "u1" });
    ledger.sending(place, { does: "create", object: anObject("", 0) });
    expect(seen()).toMatchObject({ uid: "", isLeaving: false });
  });

  test("an object that we delete is leaving", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2));
    ledger.sending(place, { does: "delete", uid: "u1" });
    expect(seen()?.isLeaving).toBe(true);
  });

  test("a delete says nothing about a successor of the same name", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2));
    ledger.sending(place, { does: "delete", uid: "u1" });
    show("ns/a", 4, anObject("u2", 4));
    expect([seen()?.isLeaving, ledger.size]).toEqual([false, 0]);
  });

  test("a label that we write is on the node, beside those that were there", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2, { labels: { old: "1" } }));
    ledger.sending(place, { does: "label", uid: "u1", labels: { new: "2" } });
    expect(seen()?.labels).toEqual({ old: "1", new: "2" });
  });

  test("what we changed has a generation that nobody has looked at", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2, { generation: 4 }));
    ledger.sending(place, { does: "change" });
    expect(seen()?.generation).toBe(5);
  });

  test("a pod that we take out of service serves nobody before anybody has answered, and one of its name does", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, aReadyPod("u1", 2));
    ledger.sending(place, { does: "withdraw", uid: "u1" });
    expect(seen()).toMatchObject({ uid: "u1", readySinceMs: undefined });
    show("ns/a", 3, aReadyPod("u2", 3));
    expect([seen()?.readySinceMs, ledger.size]).toEqual([0, 0]);
  });

  test("a status that we wrote changes nothing before its answer, and is known by it", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2, { generation: 4 }));
    const entry = ledger.sending(place, { does: "report" });
    expect([seen()?.generation, seen()?.resourceVersion]).toEqual([4, "2"]);
    ledger.answered(entry, anObject("u1", 9, { generation: 4 }));
    expect([seen()?.generation, seen()?.resourceVersion]).toEqual([4, "9"]);
  });
});

describe("a write stops to count", () => {
  test("when the cache shows a withdrawn pod that is not ready, and not while it shows it as it was", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, aReadyPod("u1", 2));
    ledger.sending(place, { does: "withdraw", uid: "u1" });
    show("ns/a", 3, aReadyPod("u1", 3));
    expect(seen()?.readySinceMs).toBeUndefined();
    show("ns/a", 4, anObject("u1", 4));
    show("ns/a", 5, aReadyPod("u1", 5));
    expect([seen()?.readySinceMs, ledger.size]).toEqual([0, 0]);
  });

  test("when the cache shows it, also if the answer comes after that", () => {
    const { ledger, seen, show } = aBook();
    const entry = ledger.sending(place, { does: "create", object: anObject("", 0) });
    show("ns/a", 5, anObject("u1", 5));
    show("ns/a", 6, undefined);
    ledger.answered(entry, anObject("u1", 5));
    expect([seen(), ledger.size]).toEqual([undefined, 0]);
  });

  test("when the cache has come to its version without a change of that object", () => {
    const { ledger, reach } = aBook();
    const entry = ledger.sending(place, { does: "change" });
    ledger.answered(entry, anObject("u1", 5));
    ledger.sweep();
    expect(ledger.size).toBe(1);
    reach(5);
    ledger.sweep();
    expect(ledger.size).toBe(0);
  });

  test("when the server has certainly refused it", () => {
    const { ledger, seen } = aBook();
    ledger.refused(ledger.sending(place, { does: "create", object: anObject("", 0) }));
    expect(seen()).toBeUndefined();
  });

  test("when its time is up, and not before, where a repeat would change nothing", () => {
    const { ledger, clock } = aBook();
    ledger.sending(place, { does: "change" });
    clock.advance(LEDGER_LIMITS.unansweredMs - 1);
    ledger.sweep();
    expect([ledger.size, ledger.nextEndMs(TOY)]).toEqual([1, LEDGER_LIMITS.unansweredMs]);
    clock.advance(1);
    expect(ledger.doubts(TOY)).toEqual([]);
    ledger.sweep();
    expect([ledger.size, ledger.nextEndMs(TOY)]).toEqual([0, undefined]);
  });

  test("but not while a cache that has gone silent may still not have noticed it, if the server has answered", () => {
    const { ledger, seen, clock } = aBook();
    const entry = ledger.sending(place, { does: "create", object: anObject("", 0) });
    ledger.sending({ ...place, key: "ns/b" }, { does: "change" });
    ledger.answered(entry, anObject("u1", 5));
    expect(ledger.nextEndMs(TOY)).toBe(LEDGER_LIMITS.unansweredMs);
    clock.advance(LEDGER_LIMITS.unseenMs - 1);
    ledger.sweep();
    expect([seen()?.uid, ledger.size]).toEqual(["u1", 1]);
    clock.advance(1);
    ledger.sweep();
    expect(ledger.size).toBe(0);
  });

  test("old news of a predecessor does not end the create of its successor", () => {
    const { ledger, seen, show } = aBook();
    show("ns/a", 2, anObject("u1", 2, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    ledger.sending(place, { does: "create", object: anObject("", 0) });
    show("ns/a", 3, anObject("u1", 3, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
    show("ns/a", 4, undefined);
    expect(seen()?.name).toBe("a");
    show("ns/a", 5, anObject("u2", 5));
    expect([seen()?.uid, ledger.size]).toEqual(["u2", 0]);
  });

  test("the book has a last page: the oldest write goes first", () => {
    const { ledger } = aBook({ ...LEDGER_LIMITS, entriesMax: 2 });
    for (const key of ["x", "y", "z"]) ledger.sending({ ...place, key }, { does: "change" });
    expect([...ledger.of("pods").keys()]).toEqual(["y", "z"]);
  });
});

const action = fc.record({
  do: fc.constantFrom("create", "delete", "answer", "see", "wait", "ask"),
  key: fc.constantFrom("ns/a", "ns/b"),
  isCommitted: fc.boolean(),
  isAnswered: fc.boolean(),
});

type Pending = { readonly settle: () => void };

test("whatever is lost or late, our own writes count, and in the end the picture is the server's", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const { ledger, clock, show, seen } = aBook();
      const server = new Map<string, string>();
      const events: { key: string; version: number; uid: string | undefined }[] = [];
      const answers: Pending[] = [];
      let version = 10;
      const commit = (key: string, uid: string | undefined) => {
        version += 1;
        if (uid === undefined) server.delete(key);
        else server.set(key, uid);
        events.push({ key, version, uid });
        return version;
      };
      const deliver = () => {
        const next = events.shift();
        if (next === undefined) return;
        const object = next.uid === undefined ? undefined : named(next.key, next.uid, next.version);
        show(next.key, next.version, object);
      };
      for (const { do: what, key, isCommitted, isAnswered } of actions) {
        if (what === "see") deliver();
        if (what === "answer") answers.shift()?.settle();
        if (what === "wait") clock.advance(12_000);
        if (what === "ask") {
          ledger.sweep();
          for (const entry of ledger.doubts(TOY)) {
            const uid = server.get(entry.key);
            ledger.found(entry, uid === undefined ? undefined : named(entry.key, uid, version));
          }
        }
        if (what === "create" && !server.has(key) && seen(key) === undefined) {
          const entry = ledger.sending({ ...place, key }, { does: "create", object: named(key, "", 0) });
          const uid = `${key}-${version}`;
          const at = isCommitted ? commit(key, uid) : 0;
          const settle = () => (isCommitted ? ledger.answered(entry, named(key, uid, at)) : ledger.refused(entry));
          if (isAnswered) answers.push({ settle });
        }
        const uid = seen(key)?.uid ?? "";
        if (what === "delete" && uid !== "" && seen(key)?.isLeaving === false) {
          const entry = ledger.sending({ ...place, key }, { does: "delete", uid });
          if (isCommitted && server.get(key) === uid) commit(key, undefined);
          if (isAnswered) answers.push({ settle: () => (isCommitted ? ledger.done(entry) : ledger.refused(entry)) });
        }
        // Within the limit: what our create has made is there, and what our delete has ended is not there to be counted upon.
        for (const name of ["ns/a", "ns/b"]) {
          const held = seen(name);
          const isUsable = held !== undefined && !held.isLeaving;
          if (server.has(name)) expect(held, `${name} exists and is not counted`).toBeDefined();
          else if (isUsable && held.uid !== "")
            expect(
              events.some((event) => event.key === name),
              name,
            ).toBe(false);
        }
      }
      while (events.length > 0) deliver();
      for (const answer of answers) answer.settle();
      clock.advance(LEDGER_LIMITS.unseenMs);
      ledger.sweep();
      expect([seen("ns/a")?.uid, seen("ns/b")?.uid]).toEqual([server.get("ns/a"), server.get("ns/b")]);
      expect(ledger.size).toBe(0);
    }),
    { numRuns: 2_000 },
  );
});

function named(key: string, uid: string, version: number): JsonObject {
  const [namespace = "", name = ""] = key.split("/");
  return { metadata: { name, namespace, uid, resourceVersion: String(version) } };
}
