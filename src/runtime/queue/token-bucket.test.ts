import { array, integer, property, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { TokenBucket } from "./token-bucket.ts";

test("a burst passes at once, then the rate holds, and waiting as told is enough", () => {
  const clock = new VirtualClock();
  const bucket = new TokenBucket(clock, { burst: 3, perSecond: 2 });
  expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, true, false]);
  expect(bucket.waitMs()).toBe(500);
  clock.advance(500);
  expect([bucket.waitMs(), bucket.tryTake(), bucket.tryTake()]).toEqual([0, true, false]);
});

test("over any time, no more than burst plus rate passes", async () => {
  await verify(
    property(array(integer({ min: 0, max: 400 }), { maxLength: 200 }), (pauses) => {
      const clock = new VirtualClock();
      const bucket = new TokenBucket(clock, { burst: 5, perSecond: 10 });
      let passed = 0;
      for (const pauseMs of pauses) {
        clock.advance(pauseMs);
        while (bucket.tryTake()) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(5 + clock.monotonicMs() / 100);
    }),
  );
});
