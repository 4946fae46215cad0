// Says which kinds are waited for: an operator that does nothing should say why.
import type { Operator } from "../controllers/loop/create-operator.ts";
import type { Part } from "../runtime/lifecycle.ts";
import type { ProgramRun } from "./program-run.ts";

/** A kind whose objects cannot be listed for so long is worth a line in the log. */
const PATIENCE_MS = 10_000;

/** The part. */
export function patiencePart({ kinds, clock, log }: ProgramRun, { view }: Operator): Part {
  let cancel = () => {};
  return {
    ...{ name: "patience", phase: "observe", stop: async () => cancel() },
    start: async () => {
      const awaited = new Set(kinds);
      for (const kind of kinds) {
        view.caches.syncedFor(kind).then(
          () => awaited.delete(kind),
          () => undefined,
        );
      }
      cancel = clock.after(PATIENCE_MS, () => {
        for (const { plural, group } of awaited) {
          const kind = `${plural}.${group}`;
          log.warn("waiting for objects of a kind; is its definition (deploy/crds) installed?", { kind });
        }
      });
    },
  };
}
