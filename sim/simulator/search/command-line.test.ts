import { expect, test } from "vitest";
import { listScenarios } from "../scenarios.ts";
import { allows, parseCommand, usage } from "./command-line.ts";

const listed = listScenarios();
const parse = (...args: readonly string[]) => parseCommand(args, listed);

test("without arguments a hundred seeds of all that must hold are run", () => {
  expect(parse()).toEqual({
    ...{ kind: "explore", scenario: undefined, faults: undefined, wholeTrace: false, workers: undefined },
    seeds: { first: 1, count: 100 },
  });
});

test("one seed is one run, unless more are asked for", () => {
  expect(parse("--seed", "17")).toMatchObject({ seeds: { first: 17, count: 1 } });
  expect(parse("--seed", "17", "--seeds", "3")).toMatchObject({ seeds: { first: 17, count: 3 } });
});

test("a tape says itself what to run", () => {
  expect(parse("--tape", "farrier-tape-1/toy-by-node-name/3/a:1=1")).toMatchObject({
    ...{ kind: "replay", tape: { scenario: "toy-by-node-name", seed: 3 } },
  });
});

test.each([
  [["--scenario", "none"], 'there is no scenario "none"'],
  [["--faults", "answer-lost,locusts"], 'there is no fault "locusts"; there are compaction,'],
  [["--seeds", "many"], '--seeds must be a whole number from 1 to 4294967295, not "many"'],
  [["--seeds", "0"], '--seeds must be a whole number from 1 to 4294967295, not "0"'],
  [["--seed", "-1"], "--seed"],
  [["--workers", "0"], '--workers must be a whole number from 1 to 256, not "0"'],
  [["--tape", "x"], "a tape begins with"],
  [["--tape", "farrier-tape-1/none/1"], 'there is no scenario "none"'],
  [["--what"], "--what"],
])("%j is a mistake that says why", (args, message) => {
  const command = parse(...args);
  expect(command).toMatchObject({ kind: "mistake", message: expect.stringContaining(message) });
});

test("a fault is meant by its name, its end or its beginning", () => {
  const isMeant = allows(["answer-lost", "kubelets"]);
  expect(["operator-answer-lost", "kubelets-slow", "answer-lost"].every(isMeant)).toBe(true);
  expect(["operator-slow", "operator-request-lost"].some(isMeant)).toBe(false);
  expect(allows(undefined)("anything")).toBe(true);
});

test("the help names every scenario", () => {
  for (const { scenario } of listed) expect(usage(listed)).toContain(scenario.name);
});
