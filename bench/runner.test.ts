import { expect, test } from "vitest";
import { atMost } from "./bar.ts";
import type { Benchmark } from "./benchmark.ts";
import { figureOf, skipped } from "./figure.ts";
import { runCommand } from "./runner.ts";

/** A benchmark that measures nothing and gives the ratio it is told, held to at most 0.5. */
function aBenchmark(name: string, ratio: number): Benchmark {
  return {
    name,
    summary: `gives ${ratio}`,
    run: async ({ rounds }) => {
      const each = Array.from({ length: rounds }, () => ({ value: ratio, yardstick: 1 }));
      return [
        figureOf({ name: "speed", unit: "µs", yardstick: "before", bar: atMost(0.5), rounds: each }),
        skipped("other", "Go not found"),
      ];
    },
  };
}

const benchmarks = [aBenchmark("fast", 0.4), aBenchmark("slow", 0.6)];

async function run(...args: string[]): Promise<{ code: number; printed: string; said: string }> {
  const printed: string[] = [];
  const said: string[] = [];
  const code = await runCommand(args, benchmarks, {
    print: (text) => printed.push(text),
    say: (text) => said.push(text),
  });
  return { code, printed: printed.join("\n"), said: said.join("\n") };
}

test("--check fails only when a bar is not held", async () => {
  expect((await run("fast", "--check")).code).toBe(0);
  expect((await run("slow", "--check")).code).toBe(1);
  expect((await run("slow")).code).toBe(0);
});

test("a missed bar is named, with or without --check", async () => {
  expect((await run("slow")).said).toContain("bar not held: speed");
  expect((await run("fast")).said).toBe("");
});

test("an unknown name lists the names and exits with 2", async () => {
  const { code, printed, said } = await run("page");
  expect(code).toBe(2);
  expect(printed).toBe("");
  expect(said).toContain('no benchmark "page"');
  expect(said).toMatch(/fast {2}gives 0.4\n {2}slow {2}gives 0.6/);
});

test.each([
  { name: "a benchmark without a number of its own", benchmark: aBenchmark("usual", 1), args: [], rounds: 15 },
  { name: "a benchmark with one", benchmark: { ...aBenchmark("long", 1), roundsDefault: 5 }, args: [], rounds: 5 },
  {
    name: "a benchmark with one, and --rounds",
    benchmark: { ...aBenchmark("long", 1), roundsDefault: 5 },
    args: ["--rounds", "2"],
    rounds: 2,
  },
])("$name runs $rounds rounds", async ({ benchmark, args, rounds }) => {
  const printed: string[] = [];
  const output = { print: (text: string) => printed.push(text), say: () => undefined };
  await runCommand([benchmark.name, "--json", ...args], [benchmark], output);
  expect(JSON.parse(printed.join(""))).toMatchObject({ rounds });
});

test("--help prints the usage and succeeds", async () => {
  const { code, printed } = await run("--help");
  expect(code).toBe(0);
  expect(printed).toContain("usage: npm run bench");
  expect(printed).toContain("take turns (default 15)");
});

test("--json prints the same figures as one line", async () => {
  const { printed } = await run("fast", "--json", "--rounds", "2");
  expect(printed.includes("\n")).toBe(false);
  expect(JSON.parse(printed)).toMatchObject({
    benchmark: "fast",
    rounds: 2,
    figures: [
      { name: "speed", ratio: 0.4, held: true, bar: { direction: "at most", limit: 0.5 } },
      { kind: "skipped", name: "other", reason: "Go not found" },
    ],
  });
});
