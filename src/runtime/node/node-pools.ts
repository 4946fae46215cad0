// The pools of connections: one per lane, so that long watches never starve calls and neither starves the lease.
// New TLS material makes new pools; exchanges under way finish on the old ones.
import { Client, type Dispatcher, Pool, ProxyAgent } from "undici";
import type { Clock } from "../../kube/clock.ts";
import { isSameTls, type TlsMaterial } from "../../kube/config/credentials.ts";
import type { Lane } from "../../kube/transport.ts";
import { type Connector, connectionOptions, directConnector, limitedConnector } from "./node-connector.ts";
import { RunningExchange } from "./node-exchange.ts";
import { type TlsContext, tlsContext } from "./node-tls-context.ts";

export type PoolLimits = {
  /** Connections for calls; the client's limit of calls in flight should not be above it. */
  readonly callSocketsMax: number;
  /** Connections for watches: one for each resource that is watched. */
  readonly watchSocketsMax: number;
  /** An unused connection is closed after this; API servers close theirs after 90 s. */
  readonly idleSocketMs: number;
  readonly connectTimeoutMs: number;
};

/** As much as Node's own parser takes. */
export const HEAD_BYTES_MAX = 16 * 1024;

export type Route = {
  readonly server: URL;
  /** Undefined for a direct connection. */
  readonly proxy: URL | undefined;
};

type Lanes = Record<Lane, Dispatcher>;
type Pools = { readonly lanes: Lanes; readonly tls: TlsContext | undefined; readonly builtFrom: TlsMaterial };

/** One connection of a pool. It tells each exchange whether the connection has been used before. */
class LaneClient extends Client {
  #isUsed = false;

  constructor(origin: URL, options: Client.Options) {
    super(origin, options);
    this.on("connect", () => {
      this.#isUsed = false;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof RunningExchange) handler.assign({ use: () => this.#use() });
    return super.dispatch(options, handler);
  }

  #use(): boolean {
    const wasUsed = this.#isUsed;
    this.#isUsed = true;
    return wasUsed;
  }
}

export class NodePools {
  readonly #route: Route;
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #pools: Pools | undefined;
  /** Those on which exchanges may still be under way. */
  readonly #retired = new Set<Dispatcher>();

  constructor(route: Route, limits: PoolLimits, clock: Clock) {
    this.#route = route;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** True once `close` was called; requests must fail then. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** The pool of a lane for this TLS material, and what was made of the material. */
  pool(lane: Lane, material: TlsMaterial): { readonly pool: Dispatcher; readonly tls: TlsContext | undefined } {
    const pools =
      this.#pools !== undefined && isSameTls(this.#pools.builtFrom, material) ? this.#pools : this.#rebuild(material);
    return { pool: pools.lanes[lane], tls: pools.tls };
  }

  /** Replaces a pool in which an idle connection was found dead: the other idle ones are suspect. */
  replace(lane: Lane, dead: Dispatcher): void {
    if (this.#pools?.lanes[lane] !== dead) return;
    this.#pools.lanes[lane] = this.#openLane(lane, this.#pools.tls);
    this.#retire(dead);
  }

  /** Closes every connection, also those in use, for good. */
  close(): void {
    this.#closing.abort();
    for (const pool of [...this.#retired, ...this.#current()]) void pool.destroy();
  }

  #current(): readonly Dispatcher[] {
    return Object.values(this.#pools?.lanes ?? {});
  }

  #rebuild(material: TlsMaterial): Pools {
    const tls = this.#route.server.protocol === "https:" ? tlsContext(material) : undefined;
    const lanes = {
      calls: this.#openLane("calls", tls),
      watches: this.#openLane("watches", tls),
      lease: this.#openLane("lease", tls),
    };
    for (const pool of this.#current()) this.#retire(pool);
    this.#pools = { lanes, tls, builtFrom: material };
    return this.#pools;
  }

  /** Idle connections close now, those in use when their exchange ends. */
  #retire(pool: Dispatcher): void {
    this.#retired.add(pool);
    const forget = () => void this.#retired.delete(pool);
    pool.close().then(forget, forget);
  }

  #openLane(lane: Lane, tls: TlsContext | undefined): Dispatcher {
    const { callSocketsMax, watchSocketsMax, idleSocketMs, connectTimeoutMs } = this.#limits;
    const connections: Readonly<Record<Lane, number>> = { calls: callSocketsMax, watches: watchSocketsMax, lease: 1 };
    const limits = { clock: this.#clock, connectTimeoutMs, closing: this.#closing.signal };
    const openPool = (origin: URL, connect: Connector) =>
      new Pool(origin, {
        connect: limitedConnector(connect, limits),
        connections: connections[lane],
        factory: (to, options) => new LaneClient(to, options),
        allowH2: false,
        maxHeaderSize: HEAD_BYTES_MAX,
        // An exchange has its own limits, by our clock.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: idleSocketMs,
        keepAliveMaxTimeout: idleSocketMs,
      });
    const { server, proxy } = this.#route;
    return proxy === undefined ? openPool(server, directConnector(tls)) : openTunnels(proxy, tls, openPool);
  }
}

/** The pool of a lane behind a proxy: HTTPS goes through tunnels, which the proxy cannot read. */
function openTunnels(
  proxy: URL,
  tls: TlsContext | undefined,
  openPool: (origin: URL, connect: Connector) => Pool,
): Dispatcher {
  return new ProxyAgent({
    uri: proxy.href,
    allowH2: false,
    // A server that chokes on a session of TLS would be shown it again and again.
    requestTls: { ...connectionOptions(tls), maxCachedSessions: 0 },
    proxyTls: connectionOptions(proxy.protocol === "https:" ? tlsContext({}) : undefined),
    factory: (origin, options) => {
      const connect = "connect" in options ? options.connect : undefined;
      if (!isConnector(connect)) throw new Error("undici hands over no way to connect");
      return openPool(new URL(origin), connect);
    },
  });
}

function isConnector(value: unknown): value is Connector {
  return typeof value === "function";
}
