import { array, constantFrom, integer, nat, property, record, assert as verify } from "fast-check";
import { expect, test } from "vitest";
import { choicesOf, parseTape, printTape, type Tape } from "./tape.ts";

const aTape: Tape = {
  scenario: "toy",
  seed: 7,
  streams: new Map([
    ["operator-slow", [{ at: 3, value: 1 }]],
    [
      "answer-lost",
      [
        { at: 0, value: 1 },
        { at: 12, value: 5 },
      ],
    ],
  ]),
};

test("a tape is one line that names scenario, seed and choices", () => {
  expect(printTape(aTape)).toBe("farrier-tape-1/toy/7/answer-lost:0=1,12=5/operator-slow:3=1");
  expect(choicesOf(aTape)).toBe(3);
});

test("what is printed is read back", () => {
  const choice = record({ at: nat(5_000), value: integer({ min: 1, max: 20 }) });
  const streams = array(record({ name: constantFrom("a", "b-c", "d"), choices: array(choice, { minLength: 1 }) }));
  void verify(
    property(streams, nat(), (given, seed) => {
      const tape = { scenario: "toy", seed, streams: new Map(given.map(({ name, choices }) => [name, choices])) };
      expect(printTape(parseTape(printTape(tape)))).toBe(printTape(tape));
      expect(choicesOf(parseTape(printTape(tape)))).toBe(choicesOf(tape));
    }),
  );
});

test.each([
  ["", "begins with"],
  ["another/toy/1", "begins with"],
  ["farrier-tape-1/toy/x", "names its scenario and its seed"],
  ["farrier-tape-1/toy/1/a:b:c", "is no stream"],
  ["farrier-tape-1/toy/1/a:5", "is no choice"],
])("%j is refused with the part that cannot be read", (text, message) => {
  expect(() => parseTape(text)).toThrow(message);
});
