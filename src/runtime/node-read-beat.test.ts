import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import {
  BEAT_MS_MIN,
  type BeatReader,
  BULK_BYTES_MIN,
  BUSY_MIN,
  ReadBeat,
  SMALL_TURN_BYTES_MAX,
} from "./node-read-beat.ts";

const BEAT_MS = 100;
const aTurn = () => new Promise((resolve) => setImmediate(resolve));

const aReader: BeatReader = { takeIn: () => undefined, rest: () => undefined, readOn: () => undefined };

/** A beat with one connection, and what that was told. */
function aBeat() {
  const clock = new VirtualClock();
  const beat = new ReadBeat(clock, BEAT_MS);
  const told: string[] = [];
  const tell = (word: string) => {
    if (told.at(-1) !== word) told.push(word);
  };
  const reader = { ...aReader, rest: () => tell("rest"), readOn: () => tell("read on") };
  beat.join(reader);
  return { beat, clock, told, reader };
}

type Beating = ReturnType<typeof aBeat>;

/** So many turns of the event loop, each of which brings so much. */
async function trickle({ beat, reader }: Beating, turns: number, bytes = 1_000): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    beat.turns.wasRead(reader, bytes);
    await aTurn();
  }
}

/** A beat that rests because much came. */
async function aRestingBeat() {
  const parts = aBeat();
  await trickle(parts, BUSY_MIN);
  parts.clock.advance(BEAT_MS);
  expect(parts.told.splice(0)).toEqual(["rest"]);
  return parts;
}

/** What comes when all are read: so many reads, of which so many are the answers to what was asked. */
async function strike({ beat, clock, reader }: Beating, reads: number, answers = 0) {
  clock.advance(BEAT_MS);
  for (let read = 0; read < reads; read++) beat.turns.wasRead(reader, 1_000);
  for (let answer = 0; answer < answers; answer++) beat.answered();
  await aTurn();
}

test("what comes alone is read at once, again and again", async () => {
  const parts = aBeat();
  for (let beats = 0; beats < 3; beats++) {
    await trickle(parts, BUSY_MIN - 1);
    parts.clock.advance(BEAT_MS);
  }
  expect(parts.told).toEqual([]);
});

test("where much comes all rest until the next beat, read one turn, and rest again", async () => {
  const parts = await aRestingBeat();
  parts.clock.advance(BEAT_MS - 1);
  expect(parts.told).toEqual([]);
  await strike(parts, BUSY_MIN);
  expect(parts.told).toEqual(["read on", "rest"]);
});

test("a turn that brings much at once is one turn", async () => {
  const { beat, clock, told, reader } = aBeat();
  for (let read = 0; read < 10 * BUSY_MIN; read++) beat.turns.wasRead(reader, 1_000);
  await aTurn();
  clock.advance(BEAT_MS);
  expect(told).toEqual([]);
});

test("who rests has taken in before what it has read: it may have all that it waited for", async () => {
  const { beat, clock, reader } = await aRestingBeat();
  const told: string[] = [];
  const other = {
    takeIn: () => told.push("take in"),
    rest: () => told.push("rest"),
    readOn: () => told.push("read on"),
  };
  beat.join(other);
  clock.advance(BEAT_MS);
  for (let read = 0; read < BUSY_MIN; read++) beat.turns.wasRead(reader, 1_000);
  beat.turns.wasRead(other, 1_000);
  await aTurn();
  expect([told.slice(0, 2), told.indexOf("take in") < told.indexOf("rest")]).toEqual([["read on", "take in"], true]);
});

test("nobody rests from a list", async () => {
  const parts = aBeat();
  await trickle(parts, BUSY_MIN, SMALL_TURN_BYTES_MAX + 1);
  parts.clock.advance(BEAT_MS);
  expect(parts.told).toEqual([]);
});

test("who brings much while others rest reads on, and rests after a turn that brings less", async () => {
  const parts = await aRestingBeat();
  const { beat, told, reader } = parts;
  const others: string[] = [];
  beat.join({ ...aReader, rest: () => others.push("rest"), readOn: () => others.push("read on") });
  parts.clock.advance(BEAT_MS);
  for (let read = 0; read < BUSY_MIN; read++) beat.turns.wasRead(reader, BULK_BYTES_MIN / BUSY_MIN);
  await aTurn();
  expect([told, others]).toEqual([["read on"], ["read on", "rest"]]);
  await trickle(parts, 3, BULK_BYTES_MIN);
  expect(told).toEqual(["read on"]);
  await trickle(parts, 1, BULK_BYTES_MIN - 1);
  expect([told, others]).toEqual([
    ["read on", "rest"],
    ["read on", "rest"],
  ]);
});

test("after a beat that brings little everything is read at once again", async () => {
  const parts = await aRestingBeat();
  await strike(parts, BUSY_MIN - 1);
  parts.clock.advance(10 * BEAT_MS);
  expect(parts.told).toEqual(["read on"]);
});

test("a beat in which nothing comes ends the rests", async () => {
  const parts = await aRestingBeat();
  await strike(parts, 0);
  expect(parts.told).toEqual(["read on"]);
  expect(parts.clock.timerCount).toBe(0);
});

/** How long the next beat is after one that answers so many of so many requests. */
async function beatMsAfter(parts: Beating, answers: number, of: number) {
  const { beat, clock } = parts;
  for (let request = 0; request < of; request++) beat.asked();
  await strike(parts, BUSY_MIN, answers);
  for (let unanswered = answers; unanswered < of; unanswered++) beat.answered();
  return (clock.nextDueMs() ?? 0) - clock.monotonicMs();
}

test("a beat that leaves the server little to do is followed by a shorter one, and one that leaves much by a longer", async () => {
  const parts = await aRestingBeat();
  expect(await beatMsAfter(parts, 12, 16)).toBe(100);
  expect(await beatMsAfter(parts, 13, 16)).toBe(75);
  expect(await beatMsAfter(parts, 8, 16)).toBe(75);
  expect(await beatMsAfter(parts, 7, 16)).toBe(93.75);
  expect(await beatMsAfter(parts, 0, 0)).toBe(100);
});

test("whether much comes is told by the longest beat, however short the last one was", async () => {
  const parts = await aRestingBeat();
  for (let beats = 0; beats < 20; beats++) await beatMsAfter(parts, 1, 1);
  await strike(parts, 0);
  await trickle(parts, BUSY_MIN);
  expect((parts.clock.nextDueMs() ?? 0) - parts.clock.monotonicMs()).toBe(BEAT_MS);
});

test("no beat is shorter than the shortest", async () => {
  const parts = await aRestingBeat();
  for (let beats = 0; beats < 20; beats++) await beatMsAfter(parts, 1, 1);
  expect(await beatMsAfter(parts, 1, 1)).toBe(BEAT_MS_MIN);
});

test("who has left is told nothing more", async () => {
  const parts = await aRestingBeat();
  parts.beat.leave(parts.reader);
  parts.clock.advance(BEAT_MS);
  expect(parts.told).toEqual([]);
});

test("after everything was closed nothing is waited for, and what comes is read at once", async () => {
  const parts = await aRestingBeat();
  parts.beat.close();
  expect(parts.clock.timerCount).toBe(0);
  await trickle(parts, BUSY_MIN - 1);
  parts.clock.advance(BEAT_MS);
  expect(parts.told).toEqual([]);
});

test("after everything was closed within a turn nothing is waited for either", async () => {
  const { beat, clock, reader } = aBeat();
  beat.turns.wasRead(reader, 1_000);
  beat.leave(reader);
  beat.close();
  await aTurn();
  expect(clock.timerCount).toBe(0);
});

test("a beat in which all have left ends the rests: who joins then reads at once", async () => {
  const parts = await aRestingBeat();
  parts.beat.leave(parts.reader);
  await strike(parts, 0);
  parts.beat.join(parts.reader);
  await trickle(parts, 1);
  expect(parts.told).toEqual([]);
});
