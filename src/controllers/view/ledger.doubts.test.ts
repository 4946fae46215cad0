// Writes of which no answer came: they count on, and what a read finds takes the place of the answer.
import { describe, expect, test } from "vitest";
import { aBook, anObject, aReadyPod, place, TOY } from "../../../sim/scenarios/operator/ledger-on-paper.ts";
import { LEDGER_LIMITS, type Write } from "./ledger.ts";

describe("a create, a delete or a withdrawal of which no answer came", () => {
  const { unansweredMs, unseenMs } = LEDGER_LIMITS;
  /** A book in which such a write is in doubt. */
  function aDoubt(write: Write) {
    const book = aBook();
    book.show("ns/a", 2, write.does === "create" ? undefined : aReadyPod("u1", 2));
    const entry = book.ledger.sending(place, write);
    book.clock.advance(unansweredMs - 1);
    expect(book.ledger.doubts(TOY)).toEqual([]);
    book.clock.advance(1);
    book.ledger.sweep();
    return { ...book, entry };
  }
  const create: Write = { does: "create", object: anObject("", 0) };
  const remove: Write = { does: "delete", uid: "u1" };
  const withdraw: Write = { does: "withdraw", uid: "u1" };
  const leaving = { deletionTimestamp: "2026-01-01T00:00:00Z" };

  test.each([
    [create, { name: "a" }],
    [remove, { isLeaving: true }],
    [withdraw, { readySinceMs: undefined }],
  ])("counts on when its time is up, and is in doubt: $does", (write, expected) => {
    const { ledger, entry, seen } = aDoubt(write);
    expect(ledger.doubts(TOY)).toEqual([entry]);
    expect(ledger.doubts("toys ns/other")).toEqual([]);
    expect(seen()).toMatchObject(expected);
  });

  test.each([
    ["serves after all", aReadyPod("u1", 2), 0],
    ["does not", anObject("u1", 7), undefined],
  ])("a pod that was taken out of service %s when a read says so", (_, object, readySinceMs) => {
    const { ledger, entry, seen } = aDoubt(withdraw);
    ledger.found(entry, object);
    expect([seen()?.readySinceMs, ledger.doubts(TOY)]).toEqual([readySinceMs, []]);
  });

  test("is known by what a read finds, until the cache has come to that", () => {
    const { ledger, entry, seen, reach } = aDoubt(create);
    ledger.found(entry, anObject("u1", 7));
    expect([seen()?.uid, ledger.doubts(TOY)]).toEqual(["u1", []]);
    reach(7);
    ledger.sweep();
    expect(ledger.size).toBe(0);
  });

  test("did not happen when a read finds nothing made", () => {
    const { ledger, entry, seen } = aDoubt(create);
    ledger.found(entry, undefined);
    expect([seen(), ledger.size]).toEqual([undefined, 0]);
  });

  test.each([
    ["happened when a read finds nothing", undefined, { uid: "u1", isLeaving: true }],
    ["happened when a read finds it leaving", anObject("u1", 7, leaving), { uid: "u1", isLeaving: true }],
    ["happened when a read finds a successor", anObject("u2", 7), { uid: "u2", isLeaving: false }],
    ["did not happen when a read finds it as it was", anObject("u1", 2), { uid: "u1", isLeaving: false }],
  ])("a delete %s", (_, object, expected) => {
    const { ledger, entry, seen, clock } = aDoubt(remove);
    ledger.found(entry, object);
    clock.advance(unseenMs - 1);
    ledger.sweep();
    expect(seen()).toMatchObject(expected);
    expect(ledger.doubts(TOY)).toEqual([]);
  });

  test("is in doubt again later when nobody could find out, and is forgotten in the end", () => {
    const { ledger, entry, clock } = aDoubt(create);
    ledger.unknown(entry);
    expect([ledger.doubts(TOY), ledger.nextEndMs(TOY)]).toEqual([[], 2 * unansweredMs]);
    clock.advance(unansweredMs);
    expect(ledger.doubts(TOY)).toEqual([entry]);
    clock.advance(unseenMs);
    ledger.unknown(entry);
    ledger.sweep();
    expect(ledger.size).toBe(0);
  });

  test("a delete that was answered counts for as long as a cache may be silent", () => {
    const { ledger, seen, show, clock } = aBook();
    show("ns/a", 2, anObject("u1", 2));
    ledger.done(ledger.sending(place, remove));
    clock.advance(unseenMs - 1);
    ledger.sweep();
    expect([seen()?.isLeaving, ledger.doubts(TOY)]).toEqual([true, []]);
    clock.advance(1);
    ledger.sweep();
    expect(ledger.size).toBe(0);
  });
});
