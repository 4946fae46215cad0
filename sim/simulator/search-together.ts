// A search by several at once, on as many cores as there are: each gets the next seed when it is done with one. It ends where a
// search by one would have ended, and says the same.
import type { Progress, Searched, Seeds } from "./explore.ts";

/** Somebody who runs seeds, in a thread of its own. */
export type Searcher = {
  readonly search: (seeds: Seeds) => Promise<Searched>;
  readonly end: () => void;
};

export type TogetherOptions = {
  readonly seeds: Seeds;
  readonly crew: readonly Searcher[];
  /** Told when all seeds up to one are done. */
  readonly progress: (done: Progress) => void;
};

/** Runs the seeds up to the first that fails; later ones that were begun meanwhile do not count. */
export async function searchTogether({ seeds, crew, progress }: TogetherOptions): Promise<Searched> {
  const reports = new Map<number, Searched>();
  let next = seeds.first;
  let end = seeds.first + seeds.count;
  let total: Searched = { seed: seeds.first, histories: 0, virtualMs: 0, failed: undefined };
  let counted = seeds.first;
  const count = () => {
    for (let one = reports.get(counted); one !== undefined && counted < end; one = reports.get(counted)) {
      reports.delete(counted);
      counted += 1;
      total = sumOf(total, one);
      progress(total);
    }
  };
  const take = async (searcher: Searcher) => {
    while (next < end) {
      const seed = next;
      next += 1;
      const report = await searcher.search({ first: seed, count: 1 });
      reports.set(seed, report);
      // Who is at work on an earlier seed goes on: it may be the one that counts.
      if (report.failed !== undefined) end = Math.min(end, seed + 1);
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

function sumOf(total: Searched, { seed, histories, virtualMs, failed }: Searched): Searched {
  return { seed, histories: total.histories + histories, virtualMs: total.virtualMs + virtualMs, failed };
}
