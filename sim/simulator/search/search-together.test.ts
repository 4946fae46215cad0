// A search by several comes to the end of a search by one, in whatever order they get there.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { listScenarios } from "../scenarios.ts";
import { type Progress, type Searched, type Seeds, search } from "./explore.ts";
import { type Searcher, searchTogether } from "./search-together.ts";
import { startCrew } from "./worker-crew.ts";

const patience = { timeout: 600_000 };
const silent = () => undefined;

/** What one seed comes to: it takes some turns, and fails or not. */
type Fate = { readonly turns: number; readonly fails: boolean };

function crewOf(count: number, fates: readonly Fate[]) {
  const begun: number[] = [];
  const ended: number[] = [];
  const crew = Array.from({ length: count }, (_, at): Searcher => {
    return {
      search: async ({ first, count }) => {
        let done: Searched = { seed: first, histories: 0, virtualMs: 0, failed: undefined };
        for (let seed = first; seed < first + count && done.failed === undefined; seed++) {
          begun.push(seed);
          const { turns, fails } = fates[seed - 1] ?? { turns: 0, fails: false };
          for (let turn = 0; turn < turns; turn++) await undefined;
          const { histories, virtualMs } = done;
          done = { seed, histories: histories + 2, virtualMs: virtualMs + seed, failed: fails ? "toy" : undefined };
        }
        return done;
      },
      end: () => ended.push(at),
    };
  });
  return { crew, begun, ended };
}

/** Some searches come to their end, and some fail late. */
const oneInSixty = fc.nat(59).map((drawn) => drawn === 7);
const fates = fc.array(fc.record({ turns: fc.nat(20), fails: oneInSixty }), {
  ...{ minLength: 1, maxLength: 120, size: "max" as const },
});

const seedsUpTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
/** What is said when all seeds up to one are done. */
const upTo = (seed: number): Progress => ({ seed, histories: 2 * seed, virtualMs: (seed * (seed + 1)) / 2 });

test("every seed up to the lowest that fails is run, none twice, and what is said is what was done", async () => {
  await fc.assert(
    fc.asyncProperty(fates, fc.integer({ min: 1, max: 5 }), async (all, workers) => {
      const { crew, begun, ended } = crewOf(workers, all);
      const said: Progress[] = [];
      const progress = ({ seed, histories, virtualMs }: Progress) => said.push({ seed, histories, virtualMs });
      const seeds = { first: 1, count: all.length };
      const found = await searchTogether({ seeds, crew, progress });
      const failing = all.findIndex(({ fails }) => fails);
      const last = failing === -1 ? all.length : failing + 1;
      expect(found).toEqual({ ...upTo(last), failed: failing === -1 ? undefined : "toy" });
      const inOrder = begun.toSorted((one, other) => one - other);
      expect(inOrder).toEqual([...new Set(inOrder)]);
      expect(inOrder.filter((seed) => seed <= last)).toEqual(seedsUpTo(last));
      const rising = [...new Set(said.map(({ seed }) => seed))].sort((one, other) => one - other);
      expect(said).toEqual(rising.map(upTo));
      expect(rising.at(-1)).toBe(last);
      expect(ended).toHaveLength(workers);
    }),
  );
});

test("nothing is handed out after a seed that has failed", async () => {
  const slow = Array.from({ length: 8 }, () => ({ turns: 90, fails: false }));
  const { crew, begun } = crewOf(2, [{ turns: 0, fails: false }, { turns: 0, fails: true }, ...slow]);
  await searchTogether({ seeds: { first: 1, count: 1_000 }, crew, progress: silent });
  expect(begun.length).toBeLessThan(12);
});

test("the last seeds are handed out one by one, and each is run once", async () => {
  const asked: number[] = [];
  const all = crewOf(3, []);
  const crew = all.crew.map((searcher) => ({
    ...searcher,
    search: (some: Seeds) => {
      asked.push(some.count);
      return searcher.search(some);
    },
  }));
  await searchTogether({ seeds: { first: 1, count: 200 }, crew, progress: silent });
  expect(all.begun.toSorted((one, other) => one - other)).toEqual(seedsUpTo(200));
  expect(asked[0]).toBe(8);
  expect(asked.slice(-12)).toEqual(Array(12).fill(1));
});

test("a searcher that dies ends the search with its error, and the others are let go", async () => {
  const { crew, ended } = crewOf(1, []);
  const dying: Searcher = { search: async () => Promise.reject(new Error("no memory left")), end: silent };
  const seeds = { first: 1, count: 3 };
  await expect(searchTogether({ seeds, crew: [dying, ...crew], progress: silent })).rejects.toThrow("no memory left");
  expect(ended).toEqual([0]);
});

test("threads find what this one finds", patience, async () => {
  const chosen = listScenarios().filter(({ scenario }) => scenario.name === "toy-generated");
  const seeds = { first: 1, count: 12 };
  const alone = await search({
    ...{ scenarios: chosen.map(({ scenario }) => scenario), seeds, builtIn: builtInKinds(), progress: silent },
    isAllowed: () => true,
  });
  const entry = pathToFileURL(join(import.meta.dirname, "..", "..", "main.ts")).href;
  const crew = startCrew({ entry, args: ["--scenario", "toy-generated"], count: 2 });
  expect(await searchTogether({ seeds, crew, progress: silent })).toEqual({ ...alone, failed: "toy-generated" });
});
