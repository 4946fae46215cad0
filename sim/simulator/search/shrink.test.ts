import { expect, test } from "vitest";
import { printTape, type Tape } from "../tape.ts";
import { shrinkTape } from "./shrink.ts";

const choices = (count: number) => Array.from({ length: count }, (_, at) => ({ at, value: 3 }));
const long: Tape = {
  scenario: "toy",
  seed: 1,
  streams: new Map(["a", "b", "c"].map((name) => [name, choices(40)])),
};
const has = (tape: Tape, stream: string, at: number) =>
  (tape.streams.get(stream) ?? []).some((choice) => choice.at === at);
const limits = { runsMax: 400, isTimeUp: () => false, oracle: "S1" };

test("what does not matter is dropped and what does is made plain", async () => {
  const attempt = async (tape: Tape) => {
    const isWrong = has(tape, "a", 7) && has(tape, "c", 31);
    return { oracle: isWrong ? "S1" : undefined, tape };
  };
  const { tape, runs } = await shrinkTape(long, { ...limits, attempt });
  expect(printTape(tape)).toBe("farrier-tape-1/toy/1/a:7=1/c:31=1");
  expect(runs).toBeLessThan(100);
});

test("another oracle is another fault, and is not taken for this one", async () => {
  const attempt = async (tape: Tape) => ({ oracle: has(tape, "b", 1) ? "S1" : "Settles", tape });
  const { tape } = await shrinkTape(long, { ...limits, attempt });
  expect(printTape(tape)).toBe("farrier-tape-1/toy/1/b:1=1");
});

test("choices that a run does not come to are dropped with it", async () => {
  const attempt = async (tape: Tape) => {
    const used = new Map([...tape.streams].map(([name, all]) => [name, all.filter(({ at }) => at < 2)]));
    return { oracle: has(tape, "a", 1) ? "S1" : undefined, tape: { ...tape, streams: used } };
  };
  const { tape } = await shrinkTape(long, { ...limits, attempt });
  expect(printTape(tape)).toBe("farrier-tape-1/toy/1/a:1=1");
});

test("it keeps to its runs and to its time, and gives the best so far", async () => {
  const attempt = async (tape: Tape) => ({ oracle: has(tape, "a", 7) ? "S1" : undefined, tape });
  const few = await shrinkTape(long, { ...limits, runsMax: 3, attempt });
  expect(few.runs).toBe(3);
  expect(has(few.tape, "a", 7)).toBe(true);
  const none = await shrinkTape(long, { ...limits, isTimeUp: () => true, attempt });
  expect([none.runs, none.tape]).toEqual([0, long]);
});
