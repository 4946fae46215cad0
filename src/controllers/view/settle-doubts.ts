// Before a decision, the cluster is asked about writes of which no answer came in time. A watch may be silent for longer than that, and
// whoever forgot a pod that was made would make a second one as soon as its name follows from something else.
//
// Guarantees: what cannot be found out counts on, which costs time and nothing else.

import type { Performer } from "../perform/step-performer.ts";
import type { LedgerEntry } from "./ledger.ts";

export type DoubtPorts = Pick<Performer, "client" | "findResource" | "ledger" | "signal">;

/** Reads that are under way at once. */
const READS_MAX = 16;

/** Asks the cluster what became of the writes, and notes what it says. */
export async function settleDoubts(doubts: readonly LedgerEntry[], ports: DoubtPorts): Promise<void> {
  for (let at = 0; at < doubts.length; at += READS_MAX) {
    await Promise.all(doubts.slice(at, at + READS_MAX).map((entry) => settleDoubt(entry, ports)));
  }
}

async function settleDoubt(entry: LedgerEntry, { client, findResource, ledger, signal }: DoubtPorts): Promise<void> {
  const resource = findResource(entry.target);
  await client.get(resource, entry.key, { signal }).then(
    (object) => ledger.found(entry, object),
    () => ledger.unknown(entry),
  );
}
