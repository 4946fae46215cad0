import { expect, test } from "vitest";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import { AWAKE_MS, BULK_BYTES_MIN, BUSY_MIN, NAP_MS_MAX, NAP_MS_MIN, Naps, SMALL_TURN_BYTES_MAX } from "./node-naps.ts";

const aTurn = () => new Promise((resolve) => setImmediate(resolve));
const reader = { takeIn: () => undefined };

/** Naps that take no time, the length of each, and what comes meanwhile, one after the other. */
function aNapper() {
  const clock = new VirtualClock();
  const slept: number[] = [];
  /** The naps, and what else a test tells. */
  const told: string[] = [];
  const news: (() => void)[] = [];
  const sleep = (ms: number) => {
    slept.push(ms);
    told.push("nap");
    clock.advance(ms);
    queueMicrotask(news.shift() ?? (() => undefined));
  };
  const naps = new Naps({ clock, sleep });
  return { naps, clock, slept, told, news };
}

type Napper = ReturnType<typeof aNapper>;

/** So many turns of the event loop, each of which brings so much. */
async function trickle({ naps }: Napper, turns: number, bytes = 1_000): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    naps.turns.wasRead(reader, bytes);
    await aTurn();
  }
}

/** So many reads in one turn, among them so many answers. */
function readsOf({ naps }: Napper, reads: number, answers = 0, bytes = 1_000): () => void {
  return () => {
    for (let read = 0; read < reads; read++) naps.turns.wasRead(reader, bytes);
    for (let answer = 0; answer < answers; answer++) naps.answered();
  };
}

/** Waits until nothing follows any more. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await aTurn();
}

test("what comes alone is read at once, again and again", async () => {
  const parts = aNapper();
  for (let times = 0; times < 3; times++) {
    await trickle(parts, BUSY_MIN - 1);
    parts.clock.advance(NAP_MS_MAX + 1);
  }
  await settled();
  expect(parts.slept).toEqual([]);
});

test("where much comes all is read after a nap, as long as each brings much", async () => {
  const parts = aNapper();
  parts.news.push(readsOf(parts, BUSY_MIN), readsOf(parts, BUSY_MIN), readsOf(parts, BUSY_MIN - 1));
  await trickle(parts, BUSY_MIN);
  await settled();
  expect(parts.slept).toEqual([100, 100, 100]);
});

test("a turn that brings much at once is one turn", async () => {
  const parts = aNapper();
  readsOf(parts, 10 * BUSY_MIN)();
  await settled();
  expect(parts.slept).toEqual([]);
});

test("what follows from what was read has two turns more before the nap", async () => {
  const parts = aNapper();
  await trickle(parts, BUSY_MIN);
  await aTurn();
  await aTurn();
  expect(parts.slept).toEqual([]);
  await settled();
  expect(parts.slept).toEqual([100]);
});

test("what is read before a nap is taken in first, and begins no other nap", async () => {
  const parts = aNapper();
  await trickle(parts, 3 * BUSY_MIN);
  expect(parts.slept).toEqual([]);
  await settled();
  expect(parts.slept).toEqual([100]);
});

test.each([0, 1, 2])("whoever is woken by what was read %s turns later is not kept by the nap", async (turns) => {
  const parts = aNapper();
  await trickle(parts, BUSY_MIN);
  for (let turn = 0; turn < turns; turn++) await aTurn();
  parts.naps.turns.wasRead({ takeIn: () => setImmediate(() => parts.told.push("woken")) }, 1_000);
  await settled();
  expect(parts.told).toEqual(["woken", "nap"]);
});

test("nobody naps while a list comes", async () => {
  const parts = aNapper();
  await trickle(parts, BUSY_MIN, SMALL_TURN_BYTES_MAX + 1);
  await settled();
  expect(parts.slept).toEqual([]);
});

test("a connection that brings much after a nap is read on at once", async () => {
  const parts = aNapper();
  parts.news.push(readsOf(parts, BUSY_MIN, 0, BULK_BYTES_MIN / BUSY_MIN));
  await trickle(parts, BUSY_MIN);
  await settled();
  expect(parts.slept).toEqual([100]);
});

test("so is one that brings it while what was read before is taken care of", async () => {
  const parts = aNapper();
  await trickle(parts, BUSY_MIN);
  await trickle(parts, 1, BULK_BYTES_MIN);
  await settled();
  expect(parts.slept).toEqual([]);
});

test("after a nap that brought little it is told anew whether much comes", async () => {
  const parts = aNapper();
  await trickle(parts, BUSY_MIN);
  await settled();
  await trickle(parts, BUSY_MIN - 1);
  await settled();
  expect(parts.slept).toEqual([100]);
  await trickle(parts, 1);
  await settled();
  expect(parts.slept).toEqual([100, 100]);
});

/** How long naps are, each of which is followed by so many answers to so many requests. */
async function napLengths(shares: readonly (readonly [answers: number, asked: number])[]) {
  const parts = aNapper();
  let underWay = 0;
  const askUpTo = (asked = underWay) => {
    for (; underWay < asked; underWay++) parts.naps.asked();
  };
  for (const [place, [answers]] of shares.entries()) {
    parts.news.push(() => {
      readsOf(parts, BUSY_MIN, answers)();
      underWay -= answers;
      askUpTo(shares[place + 1]?.[1]);
    });
  }
  askUpTo(shares[0]?.[1]);
  await trickle(parts, BUSY_MIN);
  for (let turn = 0; turn < 10 * shares.length; turn++) await aTurn();
  return parts.slept;
}

test("a nap that leaves the server little to do is followed by a shorter one, and one that leaves much by a longer", async () => {
  const lengths = await napLengths([
    [12, 16],
    [13, 16],
    [8, 16],
    [7, 16],
    [16, 16],
    [0, 0],
  ]);
  expect(lengths).toEqual([100, 100, 75, 75, 93.75, 70.3125, 87.890625]);
});

test("no nap is shorter than the shortest", async () => {
  const lengths = await napLengths(Array.from({ length: 20 }, () => [1, 1]));
  expect(lengths.at(-1)).toBe(NAP_MS_MIN);
});

test("a short nap need not bring as much as a long one", async () => {
  const parts = aNapper();
  const nap = () => {
    parts.naps.asked();
    readsOf(parts, parts.slept.at(-1) === NAP_MS_MIN ? 1 : BUSY_MIN, 1)();
  };
  parts.news.push(...Array.from({ length: 20 }, () => nap));
  await trickle(parts, BUSY_MIN);
  for (let turn = 0; turn < 200; turn++) await aTurn();
  expect([parts.slept.length, parts.slept.at(-1)]).toEqual([21, NAP_MS_MIN]);
});

test("nobody naps for a while after somebody has asked, and then as before", async () => {
  const parts = aNapper();
  parts.naps.disturb();
  await trickle(parts, BUSY_MIN);
  await settled();
  expect(parts.slept).toEqual([]);
  parts.clock.advance(AWAKE_MS);
  await trickle(parts, BUSY_MIN);
  await settled();
  expect(parts.slept).toEqual([100]);
});

test("who asks ends the naps", async () => {
  const parts = aNapper();
  const asking = () => {
    readsOf(parts, BUSY_MIN)();
    parts.naps.disturb();
  };
  parts.news.push(readsOf(parts, BUSY_MIN), asking, readsOf(parts, BUSY_MIN));
  await trickle(parts, BUSY_MIN);
  await settled();
  expect(parts.slept).toEqual([100, 100]);
});
