// The same work done by Go inside the oracle's process, as a yardstick; missing where Go is.
import { oracleAvailability } from "../../e2e/oracle/availability.ts";
import { type Oracle, type Question, startOracle } from "../../e2e/oracle/oracle.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { Missing } from "../compare.ts";
import type { Work } from "../measure.ts";

export type GoWork = {
  readonly work: "mergeBytes" | "mergeTyped" | "selector" | "shouldRunHoisted" | "shouldRunPerNode";
  readonly operations: number;
  readonly input: JsonObject;
  /** What every iteration must add up to, where our side can tell: both must have done the same. */
  readonly checksum?: number;
};

/** Go for as long as a benchmark runs. */
export type Go = {
  work(work: GoWork): Work | Missing;
  /** The oracle's plain answer to one question; undefined where Go is missing. */
  answer(question: Question): Promise<Json | undefined>;
  close(): void;
};

/** Starts the oracle, or stands in for it with the reason why it cannot run. */
export function startGo(): Go {
  const availability = oracleAvailability();
  if (!availability.available) {
    const missing = { missing: availability.reason };
    return { work: () => missing, answer: async () => undefined, close: () => {} };
  }
  const oracle = startOracle();
  return {
    work: (work) => goWork(oracle, work),
    answer: (question) => askOne(oracle, question),
    close: () => oracle.close(),
  };
}

function goWork(oracle: Oracle, { work, operations, input, checksum }: GoWork): Work {
  return {
    name: `Go ${work}`,
    operations,
    run: async (iterations) => {
      const said = await askOne(oracle, { concept: "bench", case: { ...input, work, iterations } });
      if (!isJsonObject(said) || typeof said.cpuNs !== "number") throw new Error(`Go gave no time for ${work}`);
      const expected = checksum === undefined ? said.checksum : checksum * iterations;
      if (said.checksum !== expected) throw new Error(`Go's ${work} gave ${said.checksum}, ours ${expected}`);
      return said.cpuNs;
    },
  };
}

async function askOne(oracle: Oracle, question: Question): Promise<Json> {
  const [answer] = await oracle.ask([question]);
  if (answer?.kind !== "value") throw new Error(`Go refused: ${answer?.why ?? "no answer"}`);
  return answer.value;
}
