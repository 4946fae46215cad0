import { expect, test } from "vitest";
import { TURN_BYTES_MAX, TurnBytes } from "./turn-bytes.ts";

const add = (gathered: TurnBytes, text: string) => gathered.add(Buffer.from(`${text}(left from before)`), text.length);

test("what was read piece by piece is taken in one piece, in its order", () => {
  const gathered = new TurnBytes();
  for (const text of ["one ", "two ", "three"]) add(gathered, text);
  expect(gathered.take().toString()).toBe("one two three");
  expect(gathered.isEmpty).toBe(true);
});

test("what was taken stays as it is, whatever is read afterwards", () => {
  const gathered = new TurnBytes();
  const read = Buffer.from("first");
  gathered.add(read, 5);
  const taken = gathered.take();
  gathered.add(read.fill("x"), 5);
  expect([taken.toString(), gathered.take().toString()]).toEqual(["first", "xxxxx"]);
});

test("pieces of every size are kept whole while there is room", () => {
  const gathered = new TurnBytes();
  const sizes = [1, 4_091, 4_096, 8_190];
  for (const [place, size] of sizes.entries()) gathered.add(Buffer.alloc(size, place), size);
  const expected = Buffer.concat(sizes.map((size, place) => Buffer.alloc(size, place)));
  expect(gathered.take().equals(expected)).toBe(true);
});

test("there is room up to the limit, and all of it again after it was taken", () => {
  const gathered = new TurnBytes();
  gathered.add(Buffer.alloc(TURN_BYTES_MAX - 1), TURN_BYTES_MAX - 1);
  expect([gathered.hasRoomFor(1), gathered.hasRoomFor(2)]).toEqual([true, false]);
  gathered.take();
  expect(gathered.hasRoomFor(TURN_BYTES_MAX)).toBe(true);
});

test("small reads that are kept lie side by side, and keep no room around them", () => {
  const gathered = new TurnBytes();
  const kept = Array.from({ length: 100 }, () => {
    add(gathered, "small");
    return gathered.take();
  });
  expect(new Set(kept.map(String))).toEqual(new Set(["small"]));
  // Node cuts small buffers from one slab after the other: the first may have been about to end.
  expect(new Set(kept.map(({ buffer }) => buffer)).size).toBeLessThanOrEqual(2);
});
