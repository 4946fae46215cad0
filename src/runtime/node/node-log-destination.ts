// The binding of the log to a stream of this process, usually standard output.
import type { Writable } from "node:stream";
import type { LogDestination } from "../log/log.ts";

/** A reader that is slower than the log may hold back this much; what comes then is dropped and counted. */
const UNWRITTEN_BYTES_MAX = 8 * 1024 * 1024;

/** Writes lines to a stream without ever waiting; `dropped()` tells how many found its reader too slow. */
export function streamDestination(stream: Writable): LogDestination & { dropped(): number } {
  let dropped = 0;
  let isGone = false;
  // Whoever read the log may have ended; without a listener that would end us, too.
  stream.on("error", () => {
    isGone = true;
    dropped += 1;
  });
  return {
    write(line) {
      if (!isGone && stream.writableLength < UNWRITTEN_BYTES_MAX) stream.write(line);
      else dropped += 1;
    },
    dropped: () => dropped,
  };
}
