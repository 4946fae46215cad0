import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { ChunkPile, PILE_BYTES_MAX, STEADY_BYTES_MIN, STEADY_REST_BYTES_MIN } from "./node-chunks.ts";

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

/** A pile whose reader was woken for little and waits again: chunks are let pile up for 10 ms. */
async function aRestingPile() {
  const parts = aPile({ restMs: 10 });
  const first = nextText(parts.pile);
  parts.pile.push(bytes("one"));
  expect(await first).toBe("one");
  const woken: string[] = [];
  const next = nextText(parts.pile).then((chunk) => woken.push(chunk));
  return { ...parts, woken, next };
}

test("of a trickle the first chunk is handed over at once, and what comes in the rest that follows at a stretch", async () => {
  const { pile, told, clock, woken, next } = await aRestingPile();
  for (const word of ["two", "three"]) pile.push(bytes(word));
  clock.advance(9);
  await aTurn();
  expect(woken).toEqual([]);
  clock.advance(1);
  await next;
  expect([...woken, text(pile.ready())]).toEqual(["two", "three"]);
  expect(told).toEqual([]);
});

test("a rest that brings little is followed by another", async () => {
  const { pile, clock, next } = await aRestingPile();
  pile.push(new Uint8Array(STEADY_REST_BYTES_MIN - 1));
  clock.advance(10);
  await next;
  expect(clock.nextDueMs()).toBe(20);
});

test("a rest that brings much is the last: this is a list", async () => {
  const { pile, clock, next } = await aRestingPile();
  pile.push(new Uint8Array(STEADY_REST_BYTES_MIN));
  clock.advance(10);
  await next;
  expect(clock.nextDueMs()).toBeUndefined();
});

test("what comes after a rest that brought nothing is handed over at once", async () => {
  const { pile, clock, woken, next } = await aRestingPile();
  clock.advance(10);
  expect(clock.nextDueMs()).toBeUndefined();
  pile.push(bytes("two"));
  await next;
  expect(woken).toEqual(["two"]);
});

test("nobody is woken time and again for what a reader that is busy elsewhere has left", async () => {
  const { pile, clock } = aPile({ restMs: 10 });
  const first = pile.next();
  pile.push(bytes("one"));
  await first;
  pile.push(bytes("two"));
  clock.advance(10);
  expect(clock.nextDueMs()).toBeUndefined();
  expect(await nextText(pile)).toBe("two");
});

test("a stream that brings much in a turn is read without a rest", async () => {
  const { pile, told, clock } = aPile({ restMs: 10 });
  const first = pile.next();
  pile.push(new Uint8Array(STEADY_BYTES_MIN));
  await first;
  expect([told, clock.nextDueMs()]).toEqual([[], undefined]);
});

test("an end or an error is told during a rest, and leaves no timer behind", async () => {
  const ended = await aRestingPile();
  ended.pile.push(bytes("two"));
  ended.pile.finish();
  await ended.next;
  expect([ended.woken, ended.clock.nextDueMs()]).toEqual([["two"], undefined]);
  const broken = await aRestingPile();
  broken.pile.fail(new Error("cut"));
  await expect(broken.next).rejects.toThrow("cut");
  expect(broken.clock.nextDueMs()).toBeUndefined();
});

test("a source that sends too much during a rest is stopped, and goes on when that has been read", async () => {
  const { pile, told, clock, next } = await aRestingPile();
  pile.push(new Uint8Array(PILE_BYTES_MAX + 1));
  expect(told).toEqual(["pause"]);
  clock.advance(10);
  await next;
  void pile.next();
  expect(told).toEqual(["pause", "resume"]);
});
