import { expect, test } from "vitest";
import { heartbeatFor } from "./heartbeat.ts";

test.each([
  [1, 10_000, 40],
  [250, 10_000, 40],
  [1_000, 40_000, 160],
])("%i nodes renew every %i ms and are lost after %i s", (nodes, everyMs, graceSeconds) => {
  expect(heartbeatFor(nodes)).toEqual({ everyMs, graceSeconds });
});
