// The requests of the operator on the embedded control plane beside what must change: the bar is on the writes, and the status has its
// own line.
import { atMost } from "../bar.ts";
import { type Figure, figureOf } from "../figure.ts";
import type { RequestCounts } from "../real/request-log.ts";

const REQUESTS_MAX = atMost(1.03);

/** The figures of a story in which so many writes could not be done without. */
export function requestFigures(name: string, requests: RequestCounts, mustChange: number): readonly Figure[] {
  const sent = [...requests].filter(([what]) => !what.startsWith("GET "));
  const sum = (of: readonly (readonly [string, number])[]) => of.reduce((all, [, count]) => all + count, 0);
  const status = sent.filter(([what]) => what.endsWith("/status"));
  const writes = sent.filter((entry) => !status.includes(entry));
  const yardstick = `${mustChange} that must change`;
  return [
    figureOf({
      ...{ name: `${name}: requests besides status`, unit: "", yardstick, bar: REQUESTS_MAX },
      rounds: [{ value: sum(writes), yardstick: mustChange }],
    }),
    figureOf({ name: `${name}: status`, unit: "", yardstick, rounds: [{ value: sum(status), yardstick: mustChange }] }),
  ];
}
