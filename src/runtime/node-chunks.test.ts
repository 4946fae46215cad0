import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { chunksOf as chunksWithErrors, PILE_BYTES_MAX } from "./node-chunks.ts";

const chunksOf = (source: Readable) => chunksWithErrors(source, ({ message }) => new Error(`here: ${message}`));
const aSource = () => new Readable({ read: () => undefined });
const textOf = ({ value }: IteratorResult<Uint8Array>) => new TextDecoder().decode(value);

/** Lets the stream do all that it can do by itself. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("what has piled up is handed over chunk by chunk, as it came", async () => {
  const source = aSource();
  const chunks = chunksOf(source);
  for (const text of ["one", "two", "three"]) source.push(text);
  await settle();
  expect([textOf(await chunks.next()), textOf(await chunks.next()), textOf(await chunks.next())]).toEqual([
    "one",
    "two",
    "three",
  ]);
});

test("a reader that waits gets the next chunk, and the end after the last", async () => {
  const source = aSource();
  const chunks = chunksOf(source);
  const first = chunks.next();
  source.push("one");
  expect(textOf(await first)).toBe("one");
  const last = chunks.next();
  source.push(null);
  expect(await last).toEqual({ done: true, value: undefined });
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

test("a source that nobody reads is stopped, and goes on when it is read again", async () => {
  const chunk = Buffer.alloc(32 * 1024);
  let sent = 0;
  const source = new Readable({
    read() {
      sent += chunk.length;
      this.push(chunk);
    },
  });
  const chunks = chunksOf(source);
  await settle();
  // Node itself holds another few chunks.
  expect(sent).toBeLessThan(2 * PILE_BYTES_MAX);
  for (let taken = 0; taken < 4 * PILE_BYTES_MAX; taken += chunk.length) await chunks.next();
  expect(sent).toBeGreaterThanOrEqual(4 * PILE_BYTES_MAX);
  source.destroy();
});

test("who takes all that is there lets others have their turn before more comes", async () => {
  const chunk = Buffer.alloc(32 * 1024);
  const source = new Readable({
    read() {
      this.push(chunk);
    },
  });
  const chunks = chunksOf(source);
  await settle();
  let taken = 0;
  while (chunks.ready?.() !== undefined) taken += chunk.length;
  expect(taken).toBeGreaterThan(PILE_BYTES_MAX / 2);
  expect(taken).toBeLessThan(2 * PILE_BYTES_MAX);
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  await chunks.next();
  expect(turns).toBe(1);
  source.destroy();
});

test("who waits is woken once for all that comes in a turn", async () => {
  const source = aSource();
  const chunks = chunksOf(source);
  const first = chunks.next();
  for (const text of ["one", "two"]) source.push(text);
  expect([textOf(await first), textOf({ value: chunks.ready?.() ?? Buffer.of() })]).toEqual(["one", "two"]);
  expect(chunks.ready?.()).toBeUndefined();
});

test("an error comes after what came before it", async () => {
  const source = aSource();
  const chunks = chunksOf(source);
  source.push("one");
  await settle();
  source.destroy(new Error("cut"));
  await settle();
  expect(textOf(await chunks.next())).toBe("one");
  await expect(chunks.next()).rejects.toThrow("here: cut");
});

test("a source that breaks rejects who waits for it, and one that broke before rejects at once", async () => {
  const source = aSource();
  const waiting = chunksOf(source).next();
  source.destroy();
  await expect(waiting).rejects.toThrow("here: Premature close");
  await expect(chunksOf(source).next()).rejects.toThrow("here: Premature close");
});

test("who has read enough closes the stream", async () => {
  const source = aSource();
  const chunks = chunksOf(source);
  await chunks.return?.();
  expect(source.destroyed).toBe(true);
});
