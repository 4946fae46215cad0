// Waiting for something that a real cluster does in its own time: look, and look again, until a deadline.
import { setTimeout as pause } from "node:timers/promises";

export type Patience = { readonly deadlineMs: number; readonly everyMs?: number };

const LOOK_EVERY_MS = 50;

/**
 * Resolves with the first answer of `probe` that is not undefined; rejects at the deadline, naming what was awaited
 * and the last trouble. A probe that throws has not seen it yet.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  patience: Patience,
): Promise<T> {
  const endMs = performance.now() + patience.deadlineMs;
  let trouble: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined) return answer;
      trouble = undefined;
    } catch (error) {
      trouble = error;
    }
    if (performance.now() >= endMs) break;
    await pause(patience.everyMs ?? LOOK_EVERY_MS);
  }
  const because = trouble instanceof Error ? `: ${trouble.message}` : "";
  throw new Error(`not within ${patience.deadlineMs} ms: ${what}${because}`, { cause: trouble });
}
