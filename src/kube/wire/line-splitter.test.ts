import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";
import { isTooLong } from "./piece-buffer.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Everything a splitter says of a text that arrives cut at the given places. */
function linesOf(bytes: Uint8Array, cuts: readonly number[], lineBytesMax = 1_000): readonly string[] {
  const splitter = new LineSplitter(lineBytesMax);
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  return places.flatMap((place, index) =>
    [...splitter.push(bytes.subarray(places[index - 1] ?? 0, place))].map((piece) =>
      isTooLong(piece) ? `too long: ${piece.tooLongBytes}` : new TextDecoder().decode(piece),
    ),
  );
}

test("a line that ends in the chunk is handed over, one that does not is kept back", () => {
  expect(linesOf(bytesOf("one\ntwo\n\nthr"), [])).toEqual(["one", "two", ""]);
});

test("a line may come in many chunks", () => {
  expect(linesOf(bytesOf("one\ntwo\n"), [1, 2, 3, 4, 5, 6])).toEqual(["one", "two"]);
});

test("a line over the limit is reported by its length and the next line is read as usual", () => {
  const text = `${"x".repeat(50)}\nshort\n${"y".repeat(10)}\n`;
  for (const cuts of [[], [5], [20, 49, 50, 51], [50], [51]]) {
    expect(linesOf(bytesOf(text), cuts, 10)).toEqual(["too long: 50", "short", "yyyyyyyyyy"]);
  }
});

test("a line far over the limit is counted but not kept", () => {
  const splitter = new LineSplitter(1_000);
  const chunk = new Uint8Array(64 * 1024).fill(0x78);
  for (let count = 0; count < 200; count++) expect([...splitter.push(chunk)]).toEqual([]);
  expect([...splitter.push(bytesOf("\nnext\n"))].map((piece) => (isTooLong(piece) ? piece : "a line"))).toEqual([
    { tooLongBytes: 200 * 64 * 1024 },
    "a line",
  ]);
});

test("the lines do not depend on how the bytes were cut into chunks", () => {
  const text = fc.array(fc.oneof(fc.string(), fc.constant("\n"), fc.string({ unit: "grapheme", minLength: 20 })));
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (parts, cuts) => {
      const bytes = bytesOf(parts.join(""));
      expect(linesOf(bytes, cuts, 25)).toEqual(linesOf(bytes, [], 25));
    }),
  );
});
