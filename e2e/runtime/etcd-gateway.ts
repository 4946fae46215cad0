// The store below the API server, asked over its JSON gateway: what is committed there is the truth of every test, whatever
// API servers, proxies and clients make of it.
import { call } from "../control-plane/https-call.ts";

/** The store's revision now; the resourceVersion of whatever is written next is greater. */
export async function currentRevision(port: number): Promise<number> {
  const header = field(await ask(port, "kv/range", { key: encoded("/") }), "header");
  return Number(field(header, "revision"));
}

/** Throws away the history up to a revision: a watch cannot begin there any more. */
export async function compactHistory(port: number, revision: number): Promise<void> {
  await ask(port, "kv/compaction", { revision: String(revision), physical: true });
}

/** Whether the state of the store at a revision can still be read. */
export async function hasHistoryAt(port: number, revision: number): Promise<boolean> {
  const answer = await post(port, "kv/range", { key: encoded("/"), revision: String(revision) });
  if (answer.status === 200) return true;
  if (answer.text.includes("compacted")) return false;
  throw new Error(`etcd answered ${answer.status}: ${answer.text}`);
}

/** Text as the gateway wants it. */
export function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The field of a value that may be anything. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

async function ask(port: number, path: string, body: unknown): Promise<unknown> {
  const answer = await post(port, path, body);
  if (answer.status !== 200) throw new Error(`etcd answered ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text);
}

function post(port: number, path: string, body: unknown): ReturnType<typeof call> {
  return call(`http://127.0.0.1:${port}/v3/${path}`, { body });
}
