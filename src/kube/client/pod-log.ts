// The end of a container's log, bounded in lines and bytes: for people who ask why something failed, never for processing.

import { type Key, objectPath } from "../resource.ts";
import { isNotFound } from "./api-error.ts";
import { pods } from "./built-in-resources.ts";
import type { CallOptions, Client } from "./client.ts";

export const LOG_LINES = 50;
export const LOG_BYTES_MAX = 64 * 1024;
/** The server cuts the end off, which is the part that matters; so it is asked for more than is kept. */
const FETCHED_BYTES_MAX = 1024 * 1024;

export type PodLogOptions = CallOptions & {
  readonly container?: string;
  readonly lines?: number;
  readonly bytesMax?: number;
  /** Of the run before the last restart. */
  readonly previous?: boolean;
};

/** The last lines of a log; undefined when the pod is gone. Bytes that are no text become replacement characters. */
export async function readPodLog(client: Client, key: Key, options: PodLogOptions = {}): Promise<string | undefined> {
  const bytesMax = options.bytesMax ?? LOG_BYTES_MAX;
  const query = {
    container: options.container,
    tailLines: options.lines ?? LOG_LINES,
    limitBytes: FETCHED_BYTES_MAX,
    previous: options.previous ? true : undefined,
  };
  try {
    const answer = await client.call({
      verb: "get",
      resource: "pods/log",
      method: "GET",
      path: objectPath(pods, key, "log", query),
      accept: "text/plain, application/json, */*",
      repeatable: true,
      // The server stops at `limitBytes`; the surplus is room for its own words about a failure.
      answerBytesMax: FETCHED_BYTES_MAX + 64 * 1024,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
    });
    return new TextDecoder().decode(answer.body.subarray(-bytesMax));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
