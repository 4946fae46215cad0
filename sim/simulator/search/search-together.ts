// A search by several at once, on as many cores as there are: each gets the next few seeds when it is done with some. It ends where a
// search by one would have ended, and says the same.
import type { Progress, Searched, Seeds } from "./explore.ts";

/** Somebody who runs seeds in order up to the first that fails, in this thread or in another. */
export type Searcher = {
  readonly search: (seeds: Seeds) => Promise<Searched>;
  readonly end: () => void;
};

export type TogetherOptions = {
  readonly seeds: Seeds;
  readonly crew: readonly Searcher[];
  /** Told when all seeds up to another one are done. */
  readonly progress: (done: Progress) => void;
};

/** Handed out at once: who asks for every single seed waits for an answer as often as it runs one, beside threads that are busy. */
const SEEDS_AT_ONCE_MAX = 8;
/** Towards the end they become fewer, so that nobody has much left to do when the others are done. */
const SHARES_LEFT = 4;

/** Runs the seeds up to the first that fails; later ones that were begun meanwhile do not count. */
export async function searchTogether({ seeds, crew, progress }: TogetherOptions): Promise<Searched> {
  const reports = new Map<number, { readonly count: number; readonly report: Searched }>();
  let next = seeds.first;
  let end = seeds.first + seeds.count;
  let total: Searched = { seed: seeds.first, histories: 0, virtualMs: 0, failed: undefined };
  let counted = seeds.first;
  const count = () => {
    for (let one = reports.get(counted); one !== undefined && counted < end; one = reports.get(counted)) {
      reports.delete(counted);
      counted += one.count;
      total = sumOf(total, one.report);
      progress(total);
    }
  };
  const take = async (searcher: Searcher) => {
    while (next < end) {
      const some = { first: next, count: seedsAtOnce(end - next, crew.length) };
      next += some.count;
      const report = await searcher.search(some);
      reports.set(some.first, { count: some.count, report });
      // Who is at work on earlier seeds goes on: one of them may be the one that counts.
      if (report.failed !== undefined) end = Math.min(end, report.seed + 1);
      count();
    }
  };
  try {
    await Promise.all(crew.map(take));
  } finally {
    for (const searcher of crew) searcher.end();
  }
  return total;
}

function seedsAtOnce(left: number, searchers: number): number {
  return Math.min(SEEDS_AT_ONCE_MAX, Math.ceil(left / (searchers * SHARES_LEFT)));
}

function sumOf(total: Searched, { seed, histories, virtualMs, failed }: Searched): Searched {
  return { seed, histories: total.histories + histories, virtualMs: total.virtualMs + virtualMs, failed };
}
