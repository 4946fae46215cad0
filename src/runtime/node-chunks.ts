// The chunks of a Node stream, each as it came. Node's own iterator copies all that has piled up into one buffer: a watch of
// many small events then pays for every byte twice, and for cutting apart again what the server had sent apart.
// Who waits is woken once per turn of the event loop, for all that came in it: waking costs as much as reading a small chunk.
import { finished, type Readable } from "node:stream";
import type { ChunkIterator } from "../kube/transport.ts";

/**
 * So much may pile up while nobody reads; then the sender has to wait. It is also what a reader may get at a stretch before
 * others have their turn: Node reads a busy socket up to 2 MiB, which is tens of milliseconds of parsing.
 */
export const PILE_BYTES_MAX = 512 * 1024;

type End = "whole" | { readonly broken: unknown };

type Waiting = {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
};

/**
 * Reads a stream from now on; what breaks it is reported as `errorOf` says. `next` is to be called again only when it has
 * settled, and `return` closes the stream.
 */
export function chunksOf(source: Readable, errorOf: (error: Error) => unknown): ChunkIterator {
  const pile: Uint8Array[] = [];
  let pileBytes = 0;
  let end: End | undefined;
  let waiting: Waiting | undefined;
  let isWaking = false;

  const ready = () => {
    const chunk = pile.shift();
    pileBytes -= chunk?.byteLength ?? 0;
    return chunk;
  };
  const settle = ({ resolve, reject }: Waiting) => {
    const value = ready();
    if (value !== undefined) resolve({ done: false, value });
    else if (end === "whole") resolve({ done: true, value: undefined });
    else reject(end?.broken);
  };
  const wake = () => {
    isWaking = false;
    if (waiting === undefined) return;
    settle(waiting);
    waiting = undefined;
  };
  source.on("data", (chunk: Uint8Array) => {
    pile.push(chunk);
    pileBytes += chunk.byteLength;
    if (pileBytes > PILE_BYTES_MAX) source.pause();
    if (waiting === undefined || isWaking) return;
    isWaking = true;
    setImmediate(wake);
  });
  finished(source, { writable: false }, (error) => {
    end = error ? { broken: errorOf(error) } : "whole";
    if (!isWaking) wake();
  });

  return {
    ready,
    next: () =>
      new Promise((resolve, reject) => {
        if (pile.length > 0 || end !== undefined) return settle({ resolve, reject });
        waiting = { resolve, reject };
        if (source.isPaused()) source.resume();
      }),
    async return() {
      source.destroy();
      return { done: true, value: undefined };
    },
  };
}
