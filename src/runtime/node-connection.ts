// One connection to the server, which carries one exchange at a time. It reads straight from the socket into one buffer, without the streams
// that Node's own HTTP client puts in between: they are most of what a small request costs (docs/decisions/0006).
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { AnswerReader, type AnswerSink } from "./http-answer-reader.ts";
import type { TlsContext } from "./node-tls-context.ts";
import type { TurnReader, Turns } from "./node-turns.ts";
import { TURN_BYTES_MAX, TurnBytes } from "./turn-bytes.ts";

/** After this much silence the operating system asks the peer whether it is still there. */
const TCP_KEEP_ALIVE_MS = 15_000;

/** Who uses a connection. After `end` or `lost` nothing more comes. */
export type Occupant = AnswerSink & {
  /** This connection is the occupant's from now on. */
  taken(connection: Connection): void;
  /** It is up, and nothing has been sent on it yet. */
  up(): void;
  /** The answer is whole; the connection is no longer the occupant's. */
  end(): void;
  lost(error: Error): void;
};

/** What the pool hears. */
export type ConnectionOwner = {
  /** An exchange is over, and another may follow. */
  idle(connection: Connection): void;
  closed(connection: Connection): void;
};

export type Destination = {
  readonly host: string;
  readonly port: number;
  /** Undefined for plain text. */
  readonly tls: TlsContext | undefined;
  /** The session of the last handshake, which makes the next one cheaper; the connections of a pool share the place. */
  readonly resumption: Resumption;
  /** At whose end what was read is taken in; undefined for what is taken in at once. */
  readonly turns: Turns | undefined;
};

export type Resumption = { session: Buffer | undefined };

/** One request as it is written to a connection. */
export type RequestText = {
  /** In ASCII. */
  readonly head: string;
  readonly body: string | Uint8Array | undefined;
  readonly bodyBytes: number | undefined;
};

type Use = { readonly occupant: Occupant; readonly reader: AnswerReader };

export class Connection implements TurnReader {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #resumption: Resumption;
  readonly #turns: Turns | undefined;
  readonly #gathered = new TurnBytes();
  #isUp = false;
  #isKept = false;
  #isClosed = false;
  #isPaused = false;
  #use: Use | undefined;

  constructor(destination: Destination, owner: ConnectionOwner) {
    this.#owner = owner;
    this.#resumption = destination.resumption;
    this.#turns = destination.turns;
    this.#socket = dial(destination, (bytes, size) => this.#gather(bytes, size));
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    this.#socket.once(destination.tls === undefined ? "connect" : "secureConnect", () => {
      this.#isUp = true;
      // Who tries a second address of a host gets another handle than the one that was let go.
      this.#socket.unref();
      this.#use?.occupant.up();
    });
    // A process may end while its connections are idle; whoever waits for an answer has set a timer for it.
    this.#socket.unref();
    this.#socket.on("error", (error) => this.#endOfBytes(error));
    // A server that says no more has ended its answer or broken it off.
    this.#socket.on("end", () => this.#endOfBytes());
    this.#socket.on("close", () => this.#endOfBytes());
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** True when it has been given back and taken again: the server may have closed it since. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Gives the connection to an occupant, who hears when it is up: at once if it is. */
  occupy(occupant: Occupant): void {
    this.#use = { occupant, reader: new AnswerReader(occupant) };
    occupant.taken(this);
    if (this.#isUp) occupant.up();
  }

  /** Sends one request; its answer goes to the occupant. */
  send({ head, body, bodyBytes }: RequestText): void {
    if (this.#isClosed) return;
    // One write is one record and one packet, where two would be two. What is ASCII needs no search for other signs.
    if (typeof body === "string") this.#socket.write(`${head}${body}`, bodyBytes === body.length ? "latin1" : "utf8");
    else if (body === undefined) this.#socket.write(head, "latin1");
    else this.#socket.write(Buffer.concat([Buffer.from(head), body]));
  }

  /** Gives the connection back before anything was sent. */
  vacate(): void {
    this.#use = undefined;
    this.#isKept = true;
    // Not at once: who is next in line may be held back as well, and so on down a line that may be longer than the stack.
    queueMicrotask(() => {
      if (!this.#isClosed) this.#owner.idle(this);
    });
  }

  /**
   * Reads no more until `resume`, but for what has been read already and, unless this is said while bytes are handed over, one more read.
   * It is the answer to the read that stops the socket, which as a stream would be paused and resumed by way of several turns and events.
   */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Closes it; the occupant hears nothing more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#use = undefined;
    // The session may be what the server choked on; shown to it time and again, it would lock us out.
    if (!this.#isUp) this.#resumption.session = undefined;
    this.#socket.destroy();
    this.#owner.closed(this);
  }

  /** Closes it and tells the occupant why. */
  lose(error: Error): void {
    const use = this.#use;
    this.close();
    use?.occupant.lost(error);
  }

  takeIn(): void {
    const use = this.#use;
    if (use === undefined || this.#gathered.isEmpty) return;
    try {
      const surplus = use.reader.read(this.#gathered.take());
      if (use.reader.isDone && !this.#isClosed) this.#finish(use, surplus === 0);
    } catch (error) {
      this.lose(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Keeps what was read for the end of the turn, and returns whether to go on reading. */
  #gather(bytes: Buffer, size: number): boolean {
    const use = this.#use;
    this.#turns?.wasRead(this, size);
    if (!this.#gathered.hasRoomFor(size)) this.takeIn();
    if (use === undefined || use !== this.#use) {
      // Nobody asked: it must never be taken for the answer to the next request, which may be here by now.
      this.lose(brokenOff());
      return false;
    }
    this.#gathered.add(bytes, size);
    if (this.#turns === undefined) this.takeIn();
    return !this.#isPaused;
  }

  #finish({ occupant, reader }: Use, isClean: boolean): void {
    this.#use = undefined;
    this.#isKept = true;
    if (this.#isPaused) this.resume();
    if (!isClean || !reader.isKeepable) this.close();
    occupant.end();
    if (!this.#isClosed) this.#owner.idle(this);
  }

  /** No more bytes come, because of an error if there is one. */
  #endOfBytes(error?: Error): void {
    this.takeIn();
    if (error === undefined && this.#use?.reader.mayClose) this.#finish(this.#use, false);
    else this.lose(error ?? brokenOff());
  }
}

function brokenOff(): Error {
  return Object.assign(new Error("the connection closed"), { code: "ECONNRESET" });
}

/** Opens a socket that gives each read, the first `size` of the bytes, to `onBytes`, which says whether to go on. */
function dial({ host, port, tls, resumption }: Destination, onBytes: (bytes: Buffer, size: number) => boolean): Socket {
  // Every read goes here, so that whoever wants to keep its bytes must copy them. It stays as long as the connection, so it is no part of a pool.
  // A longer read would break the limit of a turn.
  const buffer = Buffer.allocUnsafeSlow(TURN_BYTES_MAX);
  const onread = { buffer, callback: (size: number) => onBytes(buffer, size) };
  if (tls === undefined) return connectTcp({ host, port, onread });
  const servername = tls.serverName ?? (isIP(host) === 0 ? host : undefined);
  const socket = connectTls({
    ...{ host, port, onread, ALPNProtocols: ["http/1.1"] },
    ...{ secureContext: tls.secureContext, rejectUnauthorized: !tls.skipVerify },
    ...(servername === undefined ? {} : { servername }),
    ...(resumption.session === undefined ? {} : { session: resumption.session }),
  });
  return socket.on("session", (session) => {
    resumption.session = session;
  });
}
