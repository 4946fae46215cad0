// A small file that others rewrite while we run: a token, a certificate. It is read again from time to time, and a bad moment
// (missing, empty, half-written) does not replace what was good before.
import type { Clock } from "../clock.ts";
import type { Files } from "../files.ts";

/** Kubelets rotate tokens well before they end, so a minute of the old one does no harm. */
export const REREAD_MS = 60_000;
/** After a bad read, and at most this often when a server refuses what the file held. */
export const REREAD_SOON_MS = 5_000;

/** A text that may change; `forget` says that what was read last is no good any more. */
export interface ChangingText {
  read(): Promise<string>;
  forget(): void;
}

/** A text that never changes. */
export function fixedText(text: string): ChangingText {
  return { read: () => Promise.resolve(text), forget: () => undefined };
}

export class RereadFile implements ChangingText {
  readonly #files: Files;
  readonly #clock: Clock;
  readonly #path: string;
  /** What is wrong with a content; undefined when nothing is. */
  readonly #faultOf: (text: string) => string | undefined;
  #text: string | undefined;
  #readMs = 0;
  #nextReadMs = 0;
  #isForgotten = false;
  #reading: Promise<string> | undefined;

  constructor(
    parts: { readonly files: Files; readonly clock: Clock },
    path: string,
    faultOf: (text: string) => string | undefined,
  ) {
    this.#files = parts.files;
    this.#clock = parts.clock;
    this.#path = path;
    this.#faultOf = faultOf;
  }

  /** The last good content, without blanks around it. Rejects when there never was one, or it was forgotten and is no better. */
  read(): Promise<string> {
    const isFresh = this.#clock.monotonicMs() < this.#nextReadMs && !this.#isForgotten;
    if (this.#text !== undefined && isFresh) return Promise.resolve(this.#text);
    // Many requests may find it old at once; one read serves them all.
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  forget(): void {
    if (this.#clock.monotonicMs() - this.#readMs >= REREAD_SOON_MS) this.#isForgotten = true;
  }

  async #load(): Promise<string> {
    const old = this.#isForgotten ? undefined : this.#text;
    this.#readMs = this.#clock.monotonicMs();
    try {
      const text = new TextDecoder().decode(await this.#files.read(this.#path)).trim();
      const fault = this.#faultOf(text);
      if (fault !== undefined) throw new Error(`${this.#path}: ${fault}`);
      this.#text = text;
      this.#isForgotten = false;
      this.#nextReadMs = this.#readMs + REREAD_MS;
      return text;
    } catch (error) {
      if (old === undefined) throw error;
      this.#nextReadMs = this.#readMs + REREAD_SOON_MS;
      return old;
    }
  }
}

/** What is wrong with a bearer token. Anything else than plain characters would break out of its header. */
export function faultOfToken(text: string): string | undefined {
  if (text === "") return "is empty; it should hold a token";
  return /^[\x21-\x7e]+$/.test(text) ? undefined : "holds something else than a token (blanks or special characters)";
}

/** What is wrong with a PEM text, as far as its frame tells. */
export function faultOfPem(text: string): string | undefined {
  if (text === "") return "is empty; it should hold a PEM block";
  const isWhole = text.includes("-----BEGIN ") && /-----END [A-Z0-9 ]+-----$/.test(text);
  return isWhole ? undefined : "holds no whole PEM block; it may be half-written";
}
