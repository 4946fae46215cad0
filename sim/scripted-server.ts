// A small API server for one resource, made to misbehave: the Transport that caches are tested against. Everything it does
// follows from its clock and its dice, so a seed replays a run exactly. It serves lists (by quorum, paged or streamed),
// watches from replicas that lag behind, and create, replace and delete; it is no model of Kubernetes beyond that.
import type { Clock } from "../src/kube/clock.ts";
import type { Rand } from "../src/kube/rand.ts";
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from "../src/kube/transport.ts";
import { TransportError } from "../src/kube/transport-error.ts";
import { ByteStream } from "./byte-stream.ts";
import type { HistoryEvent, ObjectHistory } from "./object-history.ts";
import { NO_FAULTS, type ServerFaults } from "./server-faults.ts";

export type ServerOptions = {
  readonly clock: Clock;
  readonly rand: Rand;
  readonly history: ObjectHistory;
  /** Per replica: how old its picture is. */
  readonly lagsMs?: readonly number[];
  /** Servers before 1.27, and some proxies, refuse to stream lists. */
  readonly streamsLists?: boolean;
};

type Watch = { readonly body: ByteStream; readonly lagMs: number; sent: number };
type Query = Readonly<Record<string, string | undefined>>;

const BOOKMARK_EVERY_MS = 60_000;
const LATENCY_MAX_MS = 50;
/** A stream that will fail does so within this time. */
const FATE_WITHIN_MS = 12_000;
/** The age of a list that is not what it promises to be. */
const STALE_MS = 120_000;
const END_MARK = { "k8s.io/initial-events-end": "true" };

export class ScriptedServer implements Transport {
  readonly #options: ServerOptions;
  readonly #watches = new Set<Watch>();
  /** One line per request and fault: equal runs have equal traces. */
  readonly trace: string[] = [];
  faults: ServerFaults = NO_FAULTS;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Connections that are open now. */
  get openWatches(): number {
    return this.#watches.size;
  }

  stream(request: HttpRequest): Promise<HttpStream> {
    const [, search = ""] = request.path.split("?");
    const query: Query = Object.fromEntries(new URLSearchParams(search));
    this.#note(`${query.watch === undefined ? "LIST" : "WATCH"} ${search}`);
    return this.#answer(request, () => {
      const refusal = this.#refusal(query);
      if (refusal !== undefined) return refusal;
      return query.watch === undefined ? this.#openList(query) : this.#openWatch(query);
    });
  }

  /** Create (POST), replace (PUT) and delete (DELETE) by the name at the end of the path, or in the body. */
  request(request: HttpRequest): Promise<HttpAnswer> {
    this.#note(`${request.method} ${request.path} ${String(request.body ?? "")}`);
    return this.#answer(request, () => {
      const { history, clock } = this.#options;
      const sent = JSON.parse(String(request.body ?? "{}")) as { name?: string; colour?: string };
      const name = sent.name ?? request.path.split("/").at(-1) ?? "";
      const atMs = clock.monotonicMs();
      const object =
        request.method === "DELETE" ? history.remove(name, atMs) : history.put(name, sent.colour ?? "", atMs);
      this.changed();
      if (this.#happens("answerLost")) throw new TransportError("broken", "the answer was lost");
      const body = new TextEncoder().encode(JSON.stringify(object ?? { kind: "Status", code: 404 }));
      return { status: object === undefined ? 404 : 200, headers: {}, body };
    });
  }

  /** The history has moved on: every watch gets it when its replica does. */
  changed(): void {
    for (const watch of this.#watches) this.#options.clock.after(watch.lagMs, () => this.#flush(watch));
  }

  #answer<A>(request: HttpRequest, make: () => A): Promise<A> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      request.signal?.addEventListener("abort", () => reject(new TransportError("broken", "aborted by the client")));
      if (this.#happens("mute")) return;
      const isUnreachable = this.#happens("unreachable");
      clock.after(1 + this.#pick(LATENCY_MAX_MS), () => {
        if (request.signal?.aborted) return;
        if (isUnreachable) return reject(new TransportError("unreachable", "connection refused"));
        try {
          resolve(make());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** What the server says instead of serving. */
  #refusal(query: Query): HttpStream | undefined {
    const { history, streamsLists = true } = this.#options;
    const isTooOld = query.continue !== undefined && Number(query.continue.split(":")[0]) < history.compactedTo;
    if (isTooOld) return whole(410, statusText(410, "Expired"));
    if (query.sendInitialEvents !== undefined && !streamsLists) return whole(422, statusText(422, "Invalid"));
    if (this.#happens("failed")) return whole(500, statusText(500, "InternalError"));
    if (this.#happens("webPage")) return whole(200, "<html>Bad gateway, but politely</html>\n");
    if (!this.#happens("overloaded")) return undefined;
    return whole(429, statusText(429, "TooManyRequests"), { "retry-after": String(1 + this.#pick(4)) });
  }

  #openList(query: Query): HttpStream {
    const body = new ByteStream();
    const text = this.#listText(query);
    const fate = (["halfOpen", "truncated", "broken"] as const).find(
      (each) => this.#pick(4) === 0 && this.#happens(each),
    );
    this.#push(body, fate === undefined ? text : text.slice(0, this.#pick(text.length)));
    if (fate === "broken") body.break(new TransportError("broken", "connection reset"));
    else if (fate !== "halfOpen") body.end();
    return { status: 200, headers: {}, chunks: body };
  }

  #listText(query: Query): string {
    const { history } = this.#options;
    const [tokenVersion, tokenFrom] = (query.continue ?? "").split(":");
    const version = tokenVersion ? Number(tokenVersion) : this.#quorumVersion();
    const all = this.#happens("emptyList") ? [] : history.at(version);
    const from = Number(tokenFrom ?? 0);
    const to = from + Number(query.limit ?? all.length);
    const items = all.slice(from, to).map(({ kind: _kind, apiVersion: _version, ...item }) => item);
    const metadata = { resourceVersion: String(version), ...(to < all.length ? { continue: `${version}:${to}` } : {}) };
    return JSON.stringify({ kind: "ThingList", apiVersion: "v1", metadata, items });
  }

  #openWatch(query: Query): HttpStream {
    const { clock, history } = this.#options;
    const watch: Watch = {
      body: new ByteStream(() => this.#watches.delete(watch)),
      lagMs: this.#replicaLag(),
      sent: 0,
    };
    const from = Number(query.resourceVersion ?? this.#quorumVersion());
    watch.sent = from;
    const stream = { status: 200, headers: {}, chunks: watch.body };
    const isStreamedList = query.sendInitialEvents !== undefined;
    if (from < history.compactedTo && !isStreamedList) {
      this.#send(watch, { type: "ERROR", object: JSON.parse(statusText(410, "Expired")) });
      watch.body.end();
      return stream;
    }
    this.#watches.add(watch);
    if (isStreamedList) this.#sendInitial(watch);
    else if (this.#happens("replay")) this.#replay(watch, from);
    this.#tendBookmarks(watch);
    this.#sealFate(watch);
    clock.after(Number(query.timeoutSeconds ?? 300) * 1_000, () => this.#close(watch));
    this.#flush(watch);
    return stream;
  }

  #sendInitial(watch: Watch): void {
    for (const object of this.#options.history.at(watch.sent)) this.#send(watch, { type: "ADDED", object });
    this.#send(watch, bookmark(watch.sent, END_MARK));
  }

  #replay(watch: Watch, from: number): void {
    const old = this.#options.history.between(from - 20, from);
    for (let count = 0; count < 8 && old.length > 0; count++) this.#sendEvent(watch, old[this.#pick(old.length)]);
  }

  /** Sends what the watch's replica knows by now. */
  #flush(watch: Watch): void {
    const { clock, history } = this.#options;
    if (!this.#watches.has(watch)) return;
    const upTo = history.versionAt(clock.monotonicMs() - watch.lagMs);
    const events = [...history.between(watch.sent, upTo)];
    watch.sent = Math.max(watch.sent, upTo);
    for (let at = 0; at < events.length; at++) {
      const next = events[at + 1];
      if (next !== undefined && this.#happens("swapped")) events.splice(at, 2, next, ...events.slice(at, at + 1));
      if (this.#happens("lost")) continue;
      this.#sendEvent(watch, events[at]);
      if (this.#happens("duplicate")) this.#sendEvent(watch, events[at]);
    }
  }

  #tendBookmarks(watch: Watch): void {
    this.#options.clock.after(BOOKMARK_EVERY_MS, () => {
      if (!this.#watches.has(watch)) return;
      this.#flush(watch);
      this.#send(watch, bookmark(this.#options.history.versionAt(this.#options.clock.monotonicMs() - watch.lagMs)));
      this.#tendBookmarks(watch);
    });
  }

  /** Decides at the start of a watch how it will go wrong, if it will. */
  #sealFate(watch: Watch): void {
    const fates = ["broken", "truncated", "halfOpen", "garbage"] as const;
    const fate = fates.find((each) => this.#happens(each));
    if (fate === undefined) return;
    this.#options.clock.after(this.#pick(FATE_WITHIN_MS), () => {
      this.#note(`the watch is ${fate}`);
      if (fate === "truncated") this.#push(watch.body, '{"type":"ADDED","object":{"metadata":{"name":"thi');
      if (fate === "garbage") this.#push(watch.body, "\u0000\u0001}{nonsense\n");
      // A half-open watch stays as it is: no byte will ever come, and nobody says so.
      this.#watches.delete(watch);
      if (fate === "broken") watch.body.break(new TransportError("broken", "connection reset"));
      else if (fate !== "halfOpen") watch.body.end();
    });
  }

  #close(watch: Watch): void {
    if (this.#watches.delete(watch)) watch.body.end();
  }

  #sendEvent(watch: Watch, event: HistoryEvent | undefined): void {
    if (event !== undefined) this.#send(watch, { type: event.type, object: event.object });
  }

  #send(watch: Watch, event: unknown): void {
    this.#push(watch.body, `${JSON.stringify(event)}\n`);
  }

  /** Bytes come in pieces of any size. */
  #push(body: ByteStream, text: string): void {
    const bytes = new TextEncoder().encode(text);
    const cut = this.#pick(bytes.length);
    body.push(bytes.subarray(0, cut));
    body.push(bytes.subarray(cut));
  }

  /** The newest version, or what passes for it on a replica that wrongly believes to be current. */
  #quorumVersion(): number {
    const { clock, history } = this.#options;
    return this.#happens("staleList") ? history.versionAt(clock.monotonicMs() - STALE_MS) : history.version;
  }

  #replicaLag(): number {
    const lags = this.#options.lagsMs ?? [0];
    return lags[this.#pick(lags.length)] ?? 0;
  }

  #happens(fault: keyof ServerFaults): boolean {
    const rate = this.faults[fault];
    if (rate === 0 || this.#options.rand.next() >= rate) return false;
    this.#note(`  ${fault}`);
    return true;
  }

  #pick(below: number): number {
    return Math.floor(this.#options.rand.next() * below);
  }

  #note(line: string): void {
    this.trace.push(`${this.#options.clock.monotonicMs()} ${line}`);
  }
}

function bookmark(version: number, annotations: Readonly<Record<string, string>> = {}): unknown {
  return { type: "BOOKMARK", object: { kind: "Thing", metadata: { resourceVersion: String(version), annotations } } };
}

function statusText(code: number, reason: string): string {
  return JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: `scripted ${reason}`,
  });
}

function whole(status: number, text: string, headers: Readonly<Record<string, string>> = {}): HttpStream {
  const body = new ByteStream();
  body.push(new TextEncoder().encode(text));
  body.end();
  return { status, headers, chunks: body };
}
