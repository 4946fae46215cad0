import { expect, test } from "vitest";
import { Decisions, type Stream } from "./decisions.ts";
import { Faults } from "./faults/faults.ts";

const draws = (stream: Stream) => Array.from({ length: 50 }, () => [stream.chance(0.3), stream.pick(6)]);

test("the same seed chooses the same, another seed something else", () => {
  const of = (seed: number) => draws(new Decisions({ seed }).stream("a"));
  expect(of(1)).toEqual(of(1));
  expect(of(1)).not.toEqual(of(2));
});

test("a tape chooses what was recorded, without the dice", () => {
  const first = new Decisions({ seed: 1 });
  const drawn = draws(first.stream("a"));
  const again = new Decisions({ tape: first.tapeOf("toy") });
  expect(draws(again.stream("a"))).toEqual(drawn);
  expect(again.tapeOf("toy")).toEqual(first.tapeOf("toy"));
});

test("streams of one seed choose differently", () => {
  const decisions = new Decisions({ seed: 1 });
  expect(draws(decisions.stream("a"))).not.toEqual(draws(decisions.stream("b")));
});

test("draws of one stream shift no other", () => {
  const alone = draws(new Decisions({ seed: 1 }).stream("a"));
  const busy = new Decisions({ seed: 1 });
  draws(busy.stream("b"));
  expect(draws(busy.stream("a"))).toEqual(alone);
});

test("what is not on a tape is the plain thing, and a value too large is brought into range", () => {
  const tape = { scenario: "toy", seed: 1, streams: new Map([["a", [{ at: 1, value: 7 }]]]) };
  const stream = new Decisions({ tape }).stream("a");
  expect([stream.pick(5), stream.pick(5), stream.pick(5)]).toEqual([0, 2, 0]);
});

const specs = Array.from({ length: 40 }, (_, at) => ({ name: `fault-${at}`, rate: 1 }));

test("each seed has some of the faults, and another seed others", () => {
  const of = (seed: number) => new Faults(new Decisions({ seed }), specs, () => true).names();
  expect(of(1).length).toBeGreaterThan(5);
  expect(of(1).length).toBeLessThan(35);
  expect(of(1)).not.toEqual(of(2));
});

test("faults that are left out do not change whether others are on", () => {
  const all = new Faults(new Decisions({ seed: 3 }), specs, () => true).names();
  const few = new Faults(new Decisions({ seed: 3 }), specs, (name) => name.endsWith("1")).names();
  expect(few).toEqual(all.filter((name) => name.endsWith("1")));
});

test("once they are over, no fault strikes, also none of a tape", () => {
  const tape = { scenario: "toy", seed: 1, streams: new Map([["a", [1, 2, 3].map((at) => ({ at, value: 1 }))]]) };
  const faults = new Faults(new Decisions({ tape }), [], () => true);
  const fault = faults.fault("a");
  expect([fault.strikes(), fault.strikes()]).toEqual([false, true]);
  faults.end();
  expect([fault.strikes(), fault.strikes()]).toEqual([false, false]);
});
