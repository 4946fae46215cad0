// The body of a streamed answer in the hands of a simulated server: it pushes, ends or breaks it when it likes.
import type { ChunkIterator } from "../src/kube/transport.ts";

export class ByteStream implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  readonly #onClose: () => void;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  #over: { readonly error?: Error } | undefined;

  /** `onClose` is called when the reader closes the connection. */
  constructor(onClose: () => void = () => undefined) {
    this.#onClose = onClose;
  }

  push(bytes: Uint8Array): void {
    if (this.#over !== undefined) return;
    this.#waiting.push(bytes);
    this.#serve();
  }

  end(): void {
    this.#over ??= {};
    this.#serve();
  }

  break(error: Error): void {
    this.#over ??= { error };
    this.#serve();
  }

  [Symbol.asyncIterator](): ChunkIterator {
    return {
      ready: () => this.#waiting.shift(),
      next: () => {
        this.#reader = Promise.withResolvers();
        const { promise } = this.#reader;
        this.#serve();
        return promise;
      },
      return: async () => {
        this.#over ??= {};
        this.#onClose();
        return { done: true, value: undefined };
      },
    };
  }

  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const bytes = this.#waiting.shift();
    if (bytes === undefined && this.#over === undefined) return;
    this.#reader = undefined;
    if (bytes !== undefined) reader.resolve({ done: false, value: bytes });
    else if (this.#over?.error !== undefined) reader.reject(this.#over.error);
    else reader.resolve({ done: true, value: undefined });
  }
}
