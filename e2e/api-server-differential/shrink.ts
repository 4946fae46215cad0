// Cuts a failing episode down: first whatever comes after the difference, then one operation after the other, as long as what
// is left still shows the same difference.
import { isSameDifference } from "./difference.ts";
import { given, type Played, playEpisode, type Sides } from "./episode.ts";
import type { Key } from "./operation.ts";

/** Replays are not free: a long episode is cut down as far as this many allow. */
const REPLAYS_MAX = 120;

/** The shortest failing episode that was found; `namespaces` gives a fresh one for each replay. */
export async function shrink(
  sides: Sides,
  keys: readonly Key[],
  failed: Played,
  namespaces: () => string,
): Promise<Played> {
  let best = failed;
  let replays = 0;
  for (let size = Math.ceil(best.operations.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.operations.length - 1 && replays < REPLAYS_MAX; ) {
      const fewer = best.operations.toSpliced(at, Math.min(size, best.operations.length - 1 - at));
      replays += 1;
      const played = await playEpisode(sides, namespaces(), keys, given(fewer));
      if (isSame(played, failed)) best = played;
      else at += size;
    }
  }
  return best;
}

function isSame({ difference: one }: Played, { difference: other }: Played): boolean {
  return one !== undefined && other !== undefined && isSameDifference(one, other);
}
