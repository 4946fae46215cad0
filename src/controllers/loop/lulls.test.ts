// How long an object is left alone while its nodes only wait for their pods, and when that ends.
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { LULL_LIMITS, Lulls, lullMs } from "./lulls.ts";

describe("lullMs()", () => {
  test.each([
    [0, undefined],
    [20, undefined],
    [21, 105],
    [100, 500],
    [200, 1_000],
    [5_000, 1_000],
  ])("for %i nodes is %s", (nodes, expected) => expect(lullMs(nodes)).toBe(expected));
});

describe("a lull", () => {
  test("covers its object alone, and ends by itself", async () => {
    const clock = new VirtualClock();
    const lulls = new Lulls(clock);
    lulls.begin("ns/a", 300);
    await clock.elapse(299);
    expect([lulls.covers("ns/a"), lulls.covers("ns/b")]).toEqual([true, false]);
    await clock.elapse(1);
    expect(lulls.covers("ns/a")).toBe(false);
  });

  test("ends with the next look", () => {
    const lulls = new Lulls(new VirtualClock());
    lulls.begin("ns/a", 300);
    lulls.end("ns/a");
    expect(lulls.covers("ns/a")).toBe(false);
  });

  test("is never longer than the limit, whatever is due later", async () => {
    const clock = new VirtualClock();
    const lulls = new Lulls(clock);
    lulls.begin("ns/a", 60_000);
    await clock.elapse(LULL_LIMITS.lullMaxMs);
    expect(lulls.covers("ns/a")).toBe(false);
  });

  test("of the oldest object ends when there are too many", () => {
    const lulls = new Lulls(new VirtualClock(), { ...LULL_LIMITS, objectsMax: 2 });
    for (const key of ["ns/a", "ns/b", "ns/c"]) lulls.begin(key, 300);
    expect(["ns/a", "ns/b", "ns/c"].map((key) => lulls.covers(key))).toEqual([false, true, true]);
  });
});
