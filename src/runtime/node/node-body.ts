// The whole body of an answer, within a limit of size and of silence.
import type { Clock } from "../../kube/clock.ts";
import { TransportError } from "../../kube/transport-error.ts";
import type { Answer } from "./node-exchange.ts";

export type BodyLimits = {
  readonly clock: Clock;
  readonly bytesMax: number;
  /** A body may take long, but not stand still for long. */
  readonly idleTimeoutMs: number;
};

/** Collects the body; rejects when it is longer than the limit, stands still, or ends early. */
export async function collectBody(answer: Answer, limits: BodyLimits): Promise<Uint8Array> {
  const { body, head, where } = answer;
  const assertFits = (bytes: number) => {
    if (bytes <= limits.bytesMax) return;
    void body.return();
    const remedy = "ask for less at once, by page or by selector";
    throw new TransportError("too-large", `${where()}: the answer is longer than ${limits.bytesMax} bytes; ${remedy}`);
  };
  // The head may announce too much already.
  assertFits(Number(head.headers["content-length"] ?? 0));
  const chunks: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array | undefined) => {
    for (let next = chunk; next !== undefined; next = body.ready()) {
      chunks.push(next);
      size += next.byteLength;
      assertFits(size);
    }
  };
  take(body.ready());
  while (!body.isWhole) {
    const more = await nextChunk(answer, limits, size);
    if (more === undefined) break;
    take(more);
  }
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
}

/** Waits for more; most answers have come whole with their head, so that nobody waits and no timer is set. */
async function nextChunk(
  { body, head, where }: Answer,
  limits: BodyLimits,
  size: number,
): Promise<Uint8Array | undefined> {
  const cancel = limits.clock.after(limits.idleTimeoutMs, () => {
    const says = `the answer stood still for ${limits.idleTimeoutMs} ms after ${size} bytes`;
    body.giveUp(new TransportError("timeout", `${where()}: ${says}; see whether the network loses packets`));
  });
  try {
    return (await body.next()).value;
  } catch (error) {
    throw withSizes(error, where(), size, head.headers["content-length"]);
  } finally {
    cancel();
  }
}

function withSizes(error: unknown, where: string, size: number, declared: string | undefined): unknown {
  if (!(error instanceof TransportError) || error.reason !== "broken") return error;
  const of = declared === undefined ? "" : ` of ${declared}`;
  const says = `the connection closed after ${size}${of} bytes of the answer`;
  return new TransportError("broken", `${where}: ${says}; see whether a proxy in between cuts answers`, error.cause);
}
