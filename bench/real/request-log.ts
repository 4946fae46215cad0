// Who asked the API server for what: every request of the contestants, from the audit log, reads and watches too.
import { closeSync, openSync, readSync, statSync } from "node:fs";

export type AuditedRequest = {
  readonly user: string;
  /** As people say it: "create pods", "patch modules/status", "watch nodes". */
  readonly what: string;
  readonly code: number;
};

/** How often each thing was asked for. */
export type RequestCounts = ReadonlyMap<string, number>;

/** The audit policy: everything that these users ask for, and nothing of anybody else. */
export function policyFor(users: readonly string[]): string {
  return JSON.stringify({
    ...{ apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived"] },
    rules: [{ level: "Metadata", users }, { level: "None" }],
  });
}

/**
 * What a process asks for as time goes by, whether or not there is work: its lease, whether another manager is about, and lists and
 * watches, which it opens when it starts and again when the server ends them.
 */
export const UPKEEP: readonly string[] = ["leases", "webhookconfigurations", "list ", "watch "];

/** Reads the log piece by piece: each call gives what was written since the last one. */
export class RequestLog {
  readonly #file: string;
  #offset = 0;
  #rest = "";

  constructor(file: string) {
    this.#file = file;
  }

  /** The requests of a user since the last look. */
  since(user: string): RequestCounts {
    const lines = (this.#rest + this.#news()).split("\n");
    this.#rest = lines.pop() ?? "";
    const requests = lines.flatMap(parseRequest).filter((request) => request.user === user);
    return countsOf(requests.map(({ what }) => what));
  }

  #news(): string {
    const size = statSync(this.#file).size;
    const piece = Buffer.alloc(size - this.#offset);
    const file = openSync(this.#file, "r");
    readSync(file, piece, 0, piece.length, this.#offset);
    closeSync(file);
    this.#offset = size;
    return piece.toString("utf8");
  }
}

/** One line as a request; none for the second line that a watch leaves when it ends. */
export function parseRequest(line: string): readonly AuditedRequest[] {
  const { stage, verb, user, objectRef = {}, responseStatus = {}, requestURI } = JSON.parse(line);
  const isWatch = verb === "watch";
  if (isWatch !== (stage === "ResponseStarted")) return [];
  const { resource = requestURI, subresource } = objectRef;
  const what = `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
  return [{ user: user.username, what, code: responseStatus.code ?? 0 }];
}

/** How many there are in all, leaving out what begins or ends with one of these words. */
export function total(counts: RequestCounts, without: readonly string[] = []): number {
  const isLeftOut = (what: string) => without.some((word) => what.startsWith(word) || what.endsWith(word));
  return [...counts].reduce((sum, [what, count]) => sum + (isLeftOut(what) ? 0 : count), 0);
}

/** The counts as one line, the most frequent first. */
export function countsText(counts: RequestCounts): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
}

function countsOf(words: readonly string[]): RequestCounts {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
