import { expect, test } from "vitest";
import { parseCommand } from "./command-line.ts";

test("a name alone runs with the defaults; the benchmark chooses its rounds", () => {
  expect(parseCommand(["core"])).toEqual({
    kind: "run",
    name: "core",
    asJson: false,
    isCheck: false,
    rounds: undefined,
  });
});

test("options may stand before and after the name", () => {
  expect(parseCommand(["--json", "core", "--check", "--rounds", "3"])).toEqual({
    kind: "run",
    name: "core",
    asJson: true,
    isCheck: true,
    rounds: 3,
  });
});

test("--help wins over everything else", () => {
  expect(parseCommand(["core", "--help"])).toEqual({ kind: "help" });
});

test.each([
  [[], "which benchmark?"],
  [["core", "page"], "one benchmark at a time"],
  [["core", "--rounds", "0"], "--rounds must be a whole number"],
  [["core", "--rounds", "many"], "--rounds must be a whole number"],
  [["core", "--fast"], "--fast"],
])("%j is a mistake", (args, message) => {
  expect(parseCommand(args)).toEqual({ kind: "mistake", message: expect.stringContaining(message) });
});
