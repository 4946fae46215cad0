// The chunks of a Node stream, each as it came. Node's own iterator copies all that has piled up into one buffer: a watch of
// many small events then pays for every byte twice, and for cutting apart again what the server had sent apart.
import { finished, type Readable } from "node:stream";

/** So much may pile up while nobody reads; then the sender has to wait. */
export const PILE_BYTES_MAX = 256 * 1024;

type End = "whole" | { readonly broken: unknown };

type Waiting = {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
};

/**
 * Reads a stream from now on; what breaks it is reported as `errorOf` says. `next` is to be called again only when it has
 * settled, and `return` closes the stream.
 */
export function chunksOf(source: Readable, errorOf: (error: Error) => unknown): AsyncIterator<Uint8Array, undefined> {
  const pile: Uint8Array[] = [];
  let pileBytes = 0;
  let end: End | undefined;
  let waiting: Waiting | undefined;

  source.on("data", (chunk: Uint8Array) => {
    if (waiting !== undefined) {
      const { resolve } = waiting;
      waiting = undefined;
      resolve({ done: false, value: chunk });

      return;
    }
    pile.push(chunk);
    pileBytes += chunk.byteLength;
    if (pileBytes > PILE_BYTES_MAX) source.pause();
  });
  finished(source, { writable: false }, (error) => {
    end = error ? { broken: errorOf(error) } : "whole";
    if (waiting !== undefined) settleEnd(waiting, end);
  });

  return {
    next: () =>
      new Promise((resolve, reject) => {
        const chunk = pile.shift();
        if (chunk !== undefined) {
          pileBytes -= chunk.byteLength;
          resolve({ done: false, value: chunk });
        } else if (end !== undefined) {
          settleEnd({ resolve, reject }, end);
        } else {
          waiting = { resolve, reject };
          if (source.isPaused()) source.resume();
        }
      }),
    async return() {
      source.destroy();
      return { done: true, value: undefined };
    },
  };
}

function settleEnd({ resolve, reject }: Waiting, end: End): void {
  if (end === "whole") resolve({ done: true, value: undefined });
  else reject(end.broken);
}
