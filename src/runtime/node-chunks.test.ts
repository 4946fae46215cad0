import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { ChunkPile, PILE_BYTES_MAX, STEADY_BYTES_MIN } from "./node-chunks.ts";

/** A pile, and what its source has been told. */
function aPile({ restMs = 0 } = {}) {
  const told: string[] = [];
  const source = {
    pause: () => told.push("pause"),
    resume: () => told.push("resume"),
    close: () => told.push("close"),
  };
  const clock = new VirtualClock();
  return { pile: new ChunkPile({ source, clock, restMs }), told, clock };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (chunk: Uint8Array | undefined) => new TextDecoder().decode(chunk);
const nextText = async (pile: ChunkPile) => text((await pile.next()).value);
const aTurn = () => new Promise((resolve) => setImmediate(resolve));

test("what has piled up is handed over chunk by chunk, as it came", async () => {
  const { pile } = aPile();
  for (const word of ["one", "two", "three"]) pile.push(bytes(word));
  expect([await nextText(pile), await nextText(pile), await nextText(pile)]).toEqual(["one", "two", "three"]);
});

test("a reader that waits gets the next chunk, and the end after the last", async () => {
  const { pile } = aPile();
  const first = nextText(pile);
  pile.push(bytes("one"));
  expect(await first).toBe("one");
  const last = pile.next();
  pile.finish();
  expect(await last).toEqual({ done: true, value: undefined });
  expect(await pile.next()).toEqual({ done: true, value: undefined });
});

test("a source that nobody reads is stopped, and goes on when its pile has been read", async () => {
  const { pile, told } = aPile();
  pile.push(new Uint8Array(PILE_BYTES_MAX));
  expect(told).toEqual([]);
  pile.push(new Uint8Array(1));
  expect(told).toEqual(["pause"]);
  await pile.next();
  await pile.next();
  expect(told).toEqual(["pause"]);
  void pile.next();
  expect(told).toEqual(["pause", "resume"]);
});

test("who waits is woken once for all that comes in a turn", async () => {
  const { pile } = aPile();
  const first = nextText(pile);
  for (const word of ["one", "two"]) pile.push(bytes(word));
  expect([await first, text(pile.ready())]).toEqual(["one", "two"]);
  expect(pile.ready()).toBeUndefined();
});

test("an error comes after what came before it, and to all who ask then", async () => {
  const { pile } = aPile();
  pile.push(bytes("one"));
  pile.fail(new Error("cut"));
  expect(await nextText(pile)).toBe("one");
  await expect(pile.next()).rejects.toThrow("cut");
  await expect(pile.next()).rejects.toThrow("cut");
});

test("an error reaches who waits, and is the last word", async () => {
  const { pile } = aPile();
  const waiting = expect(pile.next()).rejects.toThrow("cut");
  pile.fail(new Error("cut"));
  pile.finish();
  await waiting;
  expect(pile.isWhole).toBe(false);
});

test("who has read enough closes the source, once, and finds nothing more", async () => {
  const { pile, told } = aPile();
  pile.push(bytes("one"));
  await pile.return();
  await pile.return();
  expect(told).toEqual(["close"]);
  expect(await pile.next()).toEqual({ done: true, value: undefined });
});

test("a source that has given all is not closed: its connection serves somebody else by now", async () => {
  const { pile, told } = aPile();
  pile.push(bytes("one"));
  pile.finish();
  await pile.return();
  expect(told).toEqual([]);
});

test("a trickle is read again after a rest, and what came meanwhile at a stretch", async () => {
  const { pile, told, clock } = aPile({ restMs: 10 });
  const first = nextText(pile);
  pile.push(bytes("one"));
  expect(await first).toBe("one");
  expect(told).toEqual(["pause"]);
  const second = nextText(pile);
  await aTurn();
  expect(told).toEqual(["pause"]);
  clock.advance(10);
  expect(told).toEqual(["pause", "resume"]);
  pile.push(bytes("two"));
  expect(await second).toBe("two");
});

test("a stream that brings much in a turn is read without a rest", async () => {
  const { pile, told, clock } = aPile({ restMs: 10 });
  const first = pile.next();
  pile.push(new Uint8Array(STEADY_BYTES_MIN));
  await first;
  expect([told, clock.nextDueMs()]).toEqual([[], undefined]);
});

test("a rest leaves no timer behind when the stream ends", async () => {
  const { pile, clock } = aPile({ restMs: 10 });
  const first = pile.next();
  pile.push(bytes("one"));
  await first;
  pile.finish();
  expect(clock.nextDueMs()).toBeUndefined();
});

test("what still comes during a rest does not begin another", async () => {
  const { pile, told, clock } = aPile({ restMs: 10 });
  for (const word of ["one", "two"]) {
    const next = pile.next();
    pile.push(bytes(word));
    await next;
    clock.advance(5);
  }
  expect(told).toEqual(["pause", "resume"]);
  expect(clock.nextDueMs()).toBeUndefined();
});

test("a rest that ends while the pile is full does not let the source go on", async () => {
  const { pile, told, clock } = aPile({ restMs: 10 });
  const first = pile.next();
  pile.push(bytes("one"));
  await first;
  pile.push(new Uint8Array(PILE_BYTES_MAX + 1));
  clock.advance(10);
  expect(told).toEqual(["pause"]);
});
