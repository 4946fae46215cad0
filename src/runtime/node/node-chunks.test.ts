import { expect, test } from "vitest";
import { ChunkPile, PILE_BYTES_MAX } from "./node-chunks.ts";

/** A pile, and what its source has been told. */
function aPile() {
  const told: string[] = [];
  const source = {
    pause: () => told.push("pause"),
    resume: () => told.push("resume"),
    close: () => told.push("close"),
  };
  return { pile: new ChunkPile(source), told };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (chunk: Uint8Array | undefined) => new TextDecoder().decode(chunk);
const nextText = async (pile: ChunkPile) => text((await pile.next()).value);

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
