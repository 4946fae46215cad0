// The pools of connections: one per lane, so that long watches never starve calls and neither starves the lease.
// New TLS material makes new pools; requests under way finish on the old ones.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isSameTls, type TlsMaterial } from "../kube/credentials.ts";
import type { Lane } from "../kube/transport.ts";
import { type TlsContext, tlsContext } from "./node-tls-context.ts";

export type PoolLimits = {
  readonly callSocketsMax: number;
  readonly watchSocketsMax: number;
  /** An unused connection is closed after this; API servers close theirs after 90 s. */
  readonly idleSocketMs: number;
};

type Pools = { readonly lanes: Readonly<Record<Lane, HttpAgent>>; readonly tls: TlsContext | undefined };

export class NodeAgents {
  readonly #isTls: boolean;
  readonly #limits: PoolLimits;
  #builtFrom: TlsMaterial = {};
  #pools: Pools | undefined;

  constructor(isTls: boolean, limits: PoolLimits) {
    this.#isTls = isTls;
    this.#limits = limits;
  }

  /** The pool of a lane for this TLS material, and what was made of the material. */
  pool(lane: Lane, material: TlsMaterial): { readonly agent: HttpAgent; readonly tls: TlsContext | undefined } {
    const pools =
      this.#pools !== undefined && isSameTls(this.#builtFrom, material) ? this.#pools : this.#rebuild(material);
    return { agent: pools.lanes[lane], tls: pools.tls };
  }

  /** Closes every connection, also those in use. */
  close(): void {
    for (const agent of Object.values(this.#pools?.lanes ?? {})) agent.destroy();
    this.#pools = undefined;
  }

  #rebuild(material: TlsMaterial): Pools {
    const tls = this.#isTls ? tlsContext(material) : undefined;
    const lanes = {
      calls: this.#agent(tls, this.#limits.callSocketsMax),
      watches: this.#agent(tls, this.#limits.watchSocketsMax),
      lease: this.#agent(tls, 1),
    };
    for (const agent of Object.values(this.#pools?.lanes ?? {})) retire(agent);
    this.#builtFrom = material;
    this.#pools = { lanes, tls };
    return this.#pools;
  }

  #agent(tls: TlsContext | undefined, socketsMax: number): HttpAgent {
    const pool = {
      keepAlive: true,
      maxSockets: socketsMax,
      maxFreeSockets: socketsMax,
      timeout: this.#limits.idleSocketMs,
    };
    if (tls === undefined) return new HttpAgent(pool);
    return new OneServerAgent({
      ...pool,
      secureContext: tls.secureContext,
      rejectUnauthorized: !tls.skipVerify,
      ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    });
  }
}

/** A pool that knows one server and one set of TLS material has no need of Node's names, which spell both out for every request. */
class OneServerAgent extends HttpsAgent {
  override getName(): string {
    return "the server";
  }
}

/** Closes the connections that nobody uses now. */
export function closeIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** Connections in use close when their request ends, because the pool has no room for idle ones any more. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  closeIdle(agent);
}
