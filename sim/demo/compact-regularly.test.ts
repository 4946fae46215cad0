import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { compactRegularly, HISTORY_MS } from "./compact-regularly.ts";

test("each period forgets what was there a period before, until it is ended", () => {
  const clock = new VirtualClock();
  let revision = 10;
  let oldest = 0;
  const server = {
    revision: () => revision,
    compact: (to = revision) => {
      oldest = to;
    },
  };
  const end = compactRegularly(server, clock);
  const seen = [20, 30, 40].map((next) => {
    revision = next;
    clock.advance(HISTORY_MS);
    return oldest;
  });
  expect(seen).toEqual([10, 20, 30]);
  end();
  clock.advance(10 * HISTORY_MS);
  expect([oldest, clock.timerCount]).toEqual([30, 0]);
});
