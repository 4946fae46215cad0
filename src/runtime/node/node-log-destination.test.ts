import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { streamDestination } from "./node-log-destination.ts";

test("a reader that never reads costs bounded memory, and the lost lines are counted", () => {
  const stuck = new Writable({ write: () => {} });
  const destination = streamDestination(stuck);
  const line = "x".repeat(1024 * 1024);
  for (let i = 0; i < 20; i++) destination.write(line);
  expect(stuck.writableLength).toBeLessThanOrEqual(9 * 1024 * 1024);
  expect(destination.dropped()).toBe(12);
});

test("a reader that has gone does not bring the program down", async () => {
  const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
  const destination = streamDestination(gone);
  for (let i = 0; i < 3; i++) destination.write("line\n");
  await new Promise((resolve) => setImmediate(resolve));
  destination.write("line\n");
  expect(destination.dropped()).toBeGreaterThan(0);
});
