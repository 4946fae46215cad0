// A work whose iterations need something made ready first that does not count: only the second half of each is timed.
import { cpuUsage } from "node:process";
import type { Work } from "../measure.ts";

const NS_PER_US = 1e3;

/** Does what was made ready. */
export type Ready = () => void | Promise<void>;

/** A work of this process, in processor time; `prepare` is not timed, what it returns is. */
export function timedWork(name: string, operations: number, prepare: () => Ready | Promise<Ready>): Work {
  return {
    name,
    operations,
    async run(iterations) {
      let spentUs = 0;
      for (let at = 0; at < iterations; at++) {
        const ready = await prepare();
        const start = cpuUsage();
        await ready();
        const { user, system } = cpuUsage(start);
        spentUs += user + system;
      }
      return spentUs * NS_PER_US;
    },
  };
}
