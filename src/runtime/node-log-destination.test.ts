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
