// The pools of connections: one per lane, so that long watches never starve calls and neither starves the lease.
// New TLS material makes new pools; exchanges under way finish on the old ones.
import { isSameTls, type TlsMaterial } from "../kube/credentials.ts";
import type { Lane } from "../kube/transport.ts";
import { Connection, type Destination, type Occupant } from "./node-connection.ts";
import { type TlsContext, tlsContext } from "./node-tls-context.ts";
import { Turns } from "./node-turns.ts";

export type PoolLimits = {
  /** Connections for calls; the client's limit of calls in flight should not be above it. */
  readonly callSocketsMax: number;
  /** Connections for watches: one for each resource that is watched. */
  readonly watchSocketsMax: number;
  /** An unused connection is closed after this; API servers close theirs after 90 s. */
  readonly idleSocketMs: number;
};

/** The limits of one lane. */
type LaneLimits = { readonly connectionsMax: number; readonly idleMs: number };

const ALL_CLOSED = "all connections are closed";

type Free = { readonly connection: Connection; readonly sinceMs: number };

/** Connections of one lane. One is opened when none is free, up to the limit; who comes then waits in line. */
export class Pool {
  readonly #destination: Destination;
  readonly #limits: LaneLimits;
  readonly #open = new Set<Connection>();
  /** The last one used is used next, so that those which are not needed grow old; the first has been free longest. */
  readonly #free: Free[] = [];
  readonly #waiting = new Set<Occupant>();
  #isRetired = false;
  #isClosed = false;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(destination: Destination, limits: LaneLimits) {
    this.#destination = destination;
    this.#limits = limits;
  }

  /** True while it has connections. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Gives an occupant a connection as soon as there is one, which is up or coming up; the returned function gives up waiting. */
  admit(occupant: Occupant): () => void {
    if (this.#isClosed) {
      // Who repeats what the closing broke off would open a connection that nobody closes any more.
      occupant.lost(new Error(ALL_CLOSED));
      return () => undefined;
    }
    const connection = this.#free.pop()?.connection ?? this.#dial();
    if (connection === undefined) this.#waiting.add(occupant);
    else connection.occupy(occupant);
    return () => this.#waiting.delete(occupant);
  }

  closeFree(): void {
    for (const { connection } of this.#free.splice(0)) connection.close();
  }

  /** Connections in use close when their exchange ends. */
  retire(): void {
    this.#isRetired = true;
    this.closeFree();
  }

  /** Closes every connection, also those in use, and lets nobody wait any longer. */
  close(): void {
    this.#isClosed = true;
    const lost = new Error(ALL_CLOSED);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const connection of [...this.#open]) connection.lose(lost);
    for (const occupant of waiting) occupant.lost(lost);
  }

  #dial(): Connection | undefined {
    if (this.#open.size >= this.#limits.connectionsMax) return undefined;
    const connection = new Connection(this.#destination, {
      idle: () => this.#settle(connection),
      closed: () => this.#forget(connection),
    });
    this.#open.add(connection);
    return connection;
  }

  #settle(connection: Connection): void {
    const next = this.#nextInLine();
    if (next !== undefined) connection.occupy(next);
    else if (this.#isRetired) connection.close();
    else this.#rest(connection);
  }

  #rest(connection: Connection): void {
    this.#free.push({ connection, sinceMs: performance.now() });
    this.#sweepIn(this.#limits.idleMs);
  }

  /** One timer for all: a socket that keeps its own sets it anew with every read and write. */
  #sweepIn(ms: number): void {
    this.#sweeper ??= setTimeout(() => this.#sweep(), ms).unref();
  }

  #sweep(): void {
    this.#sweeper = undefined;
    const { idleMs } = this.#limits;
    const nowMs = performance.now();
    const isOld = ({ sinceMs }: Free) => nowMs - sinceMs >= idleMs;
    for (const { connection } of this.#free.filter(isOld)) connection.close();
    const [oldest] = this.#free;
    if (oldest !== undefined) this.#sweepIn(oldest.sinceMs + idleMs - nowMs);
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    const place = this.#free.findIndex((free) => free.connection === connection);
    if (place !== -1) this.#free.splice(place, 1);
    const next = this.#nextInLine();
    if (next !== undefined) this.admit(next);
  }

  #nextInLine(): Occupant | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }
}

type Pools = { readonly lanes: Readonly<Record<Lane, Pool>>; readonly tls: TlsContext | undefined };

export class NodePools {
  readonly #server: URL;
  readonly #limits: PoolLimits;
  readonly #turns = new Turns();
  #builtFrom: TlsMaterial = {};
  #pools: Pools | undefined;
  /** Those of older material on which exchanges are still under way. */
  #retired: readonly Pool[] = [];

  constructor(server: URL, limits: PoolLimits) {
    this.#server = server;
    this.#limits = limits;
  }

  /** The pool of a lane for this TLS material, and what was made of the material. */
  pool(lane: Lane, material: TlsMaterial): { readonly pool: Pool; readonly tls: TlsContext | undefined } {
    const pools =
      this.#pools !== undefined && isSameTls(this.#builtFrom, material) ? this.#pools : this.#rebuild(material);
    return { pool: pools.lanes[lane], tls: pools.tls };
  }

  /** Closes every connection, also those in use. */
  close(): void {
    for (const pool of [...this.#retired, ...this.#current()]) pool.close();
    this.#retired = [];
    this.#pools = undefined;
  }

  #current(): readonly Pool[] {
    return Object.values(this.#pools?.lanes ?? {});
  }

  #rebuild(material: TlsMaterial): Pools {
    const isTls = this.#server.protocol === "https:";
    const tls = isTls ? tlsContext(material) : undefined;
    const destination = {
      // A literal IPv6 address stands in brackets in a URL only.
      host: this.#server.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: this.#server.port === "" ? (isTls ? 443 : 80) : Number(this.#server.port),
      ...{ tls, resumption: { session: undefined }, turns: this.#turns },
    };
    const { callSocketsMax, watchSocketsMax, idleSocketMs: idleMs } = this.#limits;
    const lanes = {
      calls: new Pool(destination, { connectionsMax: callSocketsMax, idleMs }),
      watches: new Pool(destination, { connectionsMax: watchSocketsMax, idleMs }),
      lease: new Pool({ ...destination, turns: undefined }, { connectionsMax: 1, idleMs }),
    };
    for (const pool of this.#current()) pool.retire();
    this.#retired = [...this.#retired, ...this.#current()].filter(({ isOpen }) => isOpen);
    this.#builtFrom = material;
    this.#pools = { lanes, tls };
    return this.#pools;
  }
}
