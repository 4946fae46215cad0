// How long a kubelet waits before it tries again what failed: pulling an image, starting a container that ended.
// The real one waits 10 s, 20 s, … up to 5 min; here a tenth of that, up to 1 min, so that a person or a test sees it.

const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;
/** A container that ran for so long has not crashed: the next pause is the first again. */
const HEALTHY_RUN_MS = 600_000;
/** A pull that failed shows its own error for a moment, then that it is waited for. */
const ERROR_SHOWN_MS = 500;

export type FailedPull = {
  readonly failures: number;
  readonly shownUntilMs: number;
  readonly againAtMs: number;
};

/** A pull that has just failed, after the ones before. */
export function afterPull(before: FailedPull | undefined, nowMs: number): FailedPull {
  const failures = (before?.failures ?? 0) + 1;
  return { failures, shownUntilMs: nowMs + ERROR_SHOWN_MS, againAtMs: nowMs + pauseMs(failures) };
}

/** True when the image is to be asked for again. */
export function isTriedAgain(failed: FailedPull, nowMs: number): boolean {
  return failed.againAtMs <= nowMs;
}

/** Counts an end: the first restart is at once, each further one later. */
export function afterCrash(
  crashes: number,
  exit: { readonly startedAtMs: number; readonly finishedAtMs: number },
): { readonly crashes: number; readonly pauseMs: number } {
  const wasHealthy = exit.finishedAtMs - exit.startedAtMs >= HEALTHY_RUN_MS;
  const now = wasHealthy ? 1 : crashes + 1;
  return { crashes: now, pauseMs: pauseMs(now - 1) };
}

function pauseMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(PAUSE_MS * 2 ** (failures - 1), PAUSE_MAX_MS);
}
