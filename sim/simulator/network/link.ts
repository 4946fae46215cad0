// The network between one process and the API server: a transport that takes its time and now and then fails, before the
// server has acted or after. Bodies that are streamed are in streamed-body.ts.
//
// Beside this file:
//   link-rates.ts, made-up-answer.ts, streamed-body.ts  rates, false answers, slow bodies
//   webhook-link.ts, weathered-registry.ts              the ways to webhooks and to registries
import type { Clock } from "../../../src/kube/clock.ts";
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import type { Fault, FaultSpec, Faults } from "../faults/faults.ts";
import type { Incarnation } from "../incarnation.ts";
import type { Lane } from "../processor.ts";
import type { Trace } from "../trace.ts";
import { crashRates, type LinkFault, linkRates, lossRates, refusalRates } from "./link-rates.ts";
import { answering, statusAnswer } from "./made-up-answer.ts";
import { StreamedBody } from "./streamed-body.ts";

export type LinkOptions = {
  /** Whose faults these are. */
  readonly role: string;
  readonly incarnation: Incarnation;
  /** The clock of the world. */
  readonly clock: Clock;
  readonly faults: Faults;
  readonly trace: Trace;
  /** A connection to a server; a stale one shows an old picture. */
  readonly server: (where: "fresh" | "stale") => Transport;
  /** For how long nothing comes through from now on, in either direction. */
  readonly heldUpMs: () => number;
  /** For how long nothing comes through a stream of this path. */
  readonly cloggedMs: (path: string) => number;
  /** Whether both sides accept each other's certificates, asked for every new connection. */
  readonly isTrusted: () => boolean;
  /** Told about every request that leaves the process, and about each that the server begins to work on. */
  readonly sent: (request: HttpRequest) => void;
  readonly arrived: () => void;
};

/** The faults of a role's links, `scale` times as likely as they can be. */
export function linkFaults(role: string, scale: number, options: { readonly crashes: boolean }): readonly FaultSpec[] {
  return specsOf(role, scale, { ...linkRates, ...(options.crashes ? crashRates : {}) });
}

/** A server that refuses for a reason that passes: rights that are missing, a policy that objects, a version that is taken. */
export function refusalFaults(role: string, scale: number): readonly FaultSpec[] {
  return specsOf(role, scale, refusalRates);
}

/** Watches that lose events without a word. Who lives with it lists anew from time to time; until then its picture is wrong. */
export function lossyWatches(role: string, scale: number): readonly FaultSpec[] {
  return specsOf(role, scale, lossRates);
}

function specsOf(role: string, scale: number, rates: Readonly<Record<string, number>>): readonly FaultSpec[] {
  return Object.entries(rates).map(([name, rate]) => ({ name: `${role}-${name}`, rate: rate * scale }));
}

/** The transport of one life of a process. */
export function createLink(options: LinkOptions): Transport {
  const link = new Link(options);
  return {
    request: (request) => link.request(request),
    stream: (request) => link.stream(request),
  };
}

/** Answers to requests of one process overtake each other. */
const answers: Lane = { name: "answers", isInOrder: false };

const failures = [500, 503, 504];
const failuresAfter = [504, 500, 503];

type Serve = (server: Transport, sent: HttpRequest) => Promise<void>;

class Link {
  readonly #options: LinkOptions;
  readonly #faults = new Map<LinkFault, Fault>();
  readonly #delayMs: () => number;
  readonly #streams = new Set<StreamedBody>();
  /** Made once: most requests that are given up have been answered, and nobody hears of it. */
  readonly #goneAway = new TransportError("broken", "the client has closed the connection");

  constructor(options: LinkOptions) {
    this.#options = options;
    const delayMs = options.faults.delays(options.role);
    this.#delayMs = () => Math.max(delayMs(), options.heldUpMs());
  }

  request(request: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const { incarnation } = this.#options;
      if (incarnation.isDead || this.#diesBefore(request)) return;
      this.#options.sent(request);
      const fail = (error: unknown) => this.#deliver(() => reject(error));
      request.signal?.addEventListener("abort", () => reject(this.#goneAway), { once: true });
      this.#send(request, fail, async (server, sent) => {
        if (isWrite(request) && this.#fault("request-twice").strikes()) this.#repeat(server, sent);
        const answer = await server.request(sent);
        this.#note(request, `${answer.status}`);
        if (this.#diesAfter(request)) return;
        if (this.#fault("goes-away").strikes()) this.#goAway(request);
        if (this.#fault("answer-lost").strikes()) fail(broken(request, "the answer was lost"));
        else this.#answer(request, resolve, this.#failedAfter() ?? answer);
      });
    });
  }

  stream(request: HttpRequest): Promise<HttpStream> {
    return new Promise((resolve, reject) => {
      const { incarnation } = this.#options;
      if (incarnation.isDead) return;
      const fail = (error: unknown) => this.#deliver(() => reject(error));
      request.signal?.addEventListener("abort", () => reject(this.#goneAway), { once: true });
      this.#send(request, fail, async (server, sent) => {
        const hangUp = new AbortController();
        const { chunks, ...answer } = await server.stream({ ...sent, signal: hangUp.signal });
        this.#note(request, `${answer.status} streaming`);
        const body = this.#bodyOf(request, hangUp);
        this.#streams.add(body);
        hangUp.signal.addEventListener("abort", () => this.#streams.delete(body), { once: true });
        body.pump(chunks);
        this.#deliver(() => resolve({ ...answer, chunks: body }));
      });
    });
  }

  #bodyOf(request: HttpRequest, hangUp: AbortController): StreamedBody {
    const { incarnation, clock, trace, cloggedMs } = this.#options;
    const path = pathOf(request);
    return new StreamedBody({
      ...{ incarnation, clock, hangUp, signal: request.signal, lane: { name: path, isInOrder: true } },
      delayMs: () => Math.max(this.#delayMs(), cloggedMs(path)),
      breaks: this.#fault("watch-broken"),
      ends: this.#fault("watch-ended"),
      fallsSilent: this.#fault("watch-silent"),
      repeats: this.#fault("watch-twice"),
      garbles: this.#fault("watch-garbled"),
      losesBookmarks: this.#fault("bookmark-lost"),
      dropsEvents: this.#fault("event-dropped"),
      note: (what, inWords) =>
        trace.add(incarnation.name, `${what} ${path}`, inWords && (() => `${inWords()} ${path}`)),
    });
  }

  /** The server answers what it has begun and closes: all that streams over its connections ends at once. */
  #goAway(request: HttpRequest): void {
    this.#note(request, "and goes away");
    for (const stream of [...this.#streams]) stream.end();
  }

  /** Something between has sent a write again, and keeps the second answer to itself. */
  #repeat(server: Transport, sent: HttpRequest): void {
    const { clock, arrived } = this.#options;
    clock.after(this.#delayMs(), () => {
      arrived();
      server.request(sent).then(
        ({ status }) => this.#note(sent, `${status} again`),
        () => undefined,
      );
    });
  }

  /** Brings a request to a server, unless it is lost or turned away on the way. */
  #send(request: HttpRequest, fail: (error: unknown) => void, serve: Serve): void {
    const loss = this.#lossOf(request);
    if (loss === "mute") this.#note(request, "never arrives");
    else if (loss !== undefined) fail(loss);
    else this.#arrive(request, fail, serve);
  }

  #lossOf(request: HttpRequest): TransportError | "mute" | undefined {
    if (!this.#options.isTrusted())
      return new TransportError("untrusted", `${request.method} ${request.path}: the certificate has expired`);
    if (this.#fault("refused").strikes())
      return new TransportError("unreachable", `${request.method} ${request.path}: connection refused`);
    if (this.#fault("mute").strikes()) return "mute";
    return this.#fault("request-lost").strikes() ? broken(request, "the request was lost") : undefined;
  }

  #arrive(request: HttpRequest, fail: (error: unknown) => void, serve: Serve): void {
    const { clock, arrived, server } = this.#options;
    const refusal = this.#refusal(request);
    // The server does not hear that a client has lost patience: what was sent arrives.
    const { signal: _, ...sent } = request;
    clock.after(this.#delayMs(), () => {
      const where = this.#fault("stale-server").strikes() ? "stale" : "fresh";
      const through = refusal === undefined ? server(where) : answering(statusAnswer(refusal));
      if (refusal === undefined) arrived();
      serve(through, sent).catch(fail);
    });
  }

  #refusal(request: HttpRequest): number | undefined {
    if (this.#fault("overloaded").strikes()) return 429;
    const failed = this.#fault("failed");
    if (failed.strikes()) return failures[failed.pick(failures.length)];
    if (this.#fault("unauthorized").strikes()) return 401;
    if (this.#fault("forbidden").strikes()) return 403;
    if (!isWrite(request)) return this.#refusalOfRead(request);
    if (this.#fault("conflict").strikes()) return 409;
    return this.#fault("invalid").strikes() ? 422 : undefined;
  }

  /** Servers before 1.32 do not stream lists; history may be compacted between two pages of one. */
  #refusalOfRead({ path }: HttpRequest): number | undefined {
    if (path.includes("sendInitialEvents=true") && this.#fault("old-server").strikes()) return 422;
    return path.includes("continue=") && this.#fault("position-expired").strikes() ? 410 : undefined;
  }

  /** The server has acted and says that it has failed. */
  #failedAfter(): HttpAnswer | undefined {
    const fault = this.#fault("failed-after");
    if (!fault.strikes()) return undefined;
    return statusAnswer(failuresAfter[fault.pick(failuresAfter.length)] ?? 504);
  }

  /** The process gets its answer, and may die of it: after all that it does at once. */
  #answer(request: HttpRequest, resolve: (answer: HttpAnswer) => void, answer: HttpAnswer): void {
    const dies = isWrite(request) && this.#fault("crash-at-answer").strikes();
    this.#deliver(() => {
      resolve(answer);
      if (dies) this.#options.clock.after(0, () => this.#die(`at the answer to ${request.method} ${pathOf(request)}`));
    });
  }

  #fault(name: LinkFault): Fault {
    const known = this.#faults.get(name);
    if (known !== undefined) return known;
    const { faults, role } = this.#options;
    const fault = faults.fault(`${role}-${name}`);
    this.#faults.set(name, fault);
    return fault;
  }

  #diesBefore(request: HttpRequest): boolean {
    const dies = isWrite(request) && this.#fault("crash-before-write").strikes();
    if (dies) this.#die(`before ${request.method} ${pathOf(request)}`);
    return dies;
  }

  #diesAfter(request: HttpRequest): boolean {
    const dies = isWrite(request) && this.#fault("crash-after-write").strikes();
    if (dies) this.#die(`after ${request.method} ${pathOf(request)}`);
    return dies;
  }

  #die(when: string): void {
    const { incarnation, trace } = this.#options;
    trace.add(incarnation.name, `dies ${when}`);
    incarnation.crash();
  }

  #deliver(work: () => void): void {
    const { incarnation, clock } = this.#options;
    clock.after(this.#delayMs(), () => incarnation.deliver(answers, work));
  }

  #note(request: HttpRequest, what: string): void {
    const { incarnation, trace } = this.#options;
    trace.add(incarnation.name, `${request.method} ${pathOf(request)} ${what}`);
  }
}

/** Without the query: a line of the trace is for people. */
function pathOf({ path }: HttpRequest): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

function isWrite({ method }: HttpRequest): boolean {
  return method !== "GET";
}

function broken({ method, path }: HttpRequest, how: string): TransportError {
  return new TransportError("broken", `${method} ${path}: ${how}`);
}
