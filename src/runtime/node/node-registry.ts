// The port to image registries on undici. Where a name leads is judged by the very addresses that are connected to, so
// no change of the DNS between the two can lead elsewhere.
//
// Guarantees: every request has a connection of its own, so that none is ever lent to a request with a shorter reach;
// nothing is sent before the certificate was checked, unless the caller says that any will do. The caller's signal ends
// everything.
// Caveats: through a proxy, the proxy looks the name up and connects. We refuse addresses, and names that lead to
// forbidden addresses here; the rest is up to the proxy's own rules.
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Client, type Dispatcher, ProxyAgent } from "undici";
import type { RegistryAnswer, RegistryRequest, RegistryTransport } from "../http/registry-transport.ts";
import { isAddressWithin, reachOf } from "./node-address-reach.ts";
import { connectionOptions } from "./node-connector.ts";
import { HEAD_BYTES_MAX } from "./node-pools.ts";
import { type TlsContext, tlsContext } from "./node-tls-context.ts";

export type NodeRegistryOptions = {
  /** Networks that the site allows besides, such as `127.0.0.1/32` for a registry on every machine. */
  readonly allowedNetworks?: readonly string[];
  /** PEM certificates of authorities besides those of the machine. */
  readonly authorities?: string;
  /** How names are looked up; as the machine does, unless somebody has another way. */
  readonly lookup?: LookupAll;
  /** The proxy for an address; undefined for a direct connection. */
  readonly proxyFor?: (url: URL) => URL | undefined;
};

export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Rules = {
  readonly isAllowed: (address: string, reach: RegistryRequest["reach"]) => boolean;
  readonly tls: () => TlsContext;
  readonly lookup: LookupAll;
  readonly proxyFor: (url: URL) => URL | undefined;
};

/** An address that must not be connected to, whatever name led there. */
class Forbidden extends Error {
  override readonly name = "Forbidden";
}

/** Makes the port. No connection is opened before the first request. */
export function createNodeRegistry(options: NodeRegistryOptions = {}): RegistryTransport {
  const { allowedNetworks = [], authorities, lookup = systemLookup, proxyFor = () => undefined } = options;
  let context: TlsContext | undefined;
  const rules: Rules = {
    lookup,
    proxyFor,
    isAllowed: (address, reach) => {
      if (allowedNetworks.some((network) => isAddressWithin(address, network))) return true;
      const needed = reachOf(address);
      return needed === "public" || (needed === "site" && reach === "site");
    },
    tls: () => {
      context ??= tlsContext(authorities === undefined ? {} : { ca: authorities });
      return context;
    },
  };
  return { request: (request) => exchange(request, rules) };
}

async function exchange(request: RegistryRequest, rules: Rules): Promise<RegistryAnswer> {
  const { signal, method, headers } = request;
  const url = new URL(request.url);
  // A literal IPv6 address stands in brackets in a URL only.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // No name is looked up for a literal address.
  if (isIP(host) !== 0 && !rules.isAllowed(host, request.reach)) throw forbidden(host, [host]);
  const proxy = rules.proxyFor(url);
  if (proxy !== undefined) await judgeName(host, request, rules);
  signal.throwIfAborted();
  const dispatcher = open(url, proxy, request, rules);
  // Also an attempt to connect ends with the signal.
  const onAbort = () => void dispatcher.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers, "user-agent": "image-probe" },
    });
    return await collect(answer, request);
  } catch (error) {
    throw signal.aborted ? signal.reason : plainError(error);
  } finally {
    signal.removeEventListener("abort", onAbort);
    void dispatcher.destroy();
  }
}

function open(url: URL, proxy: URL | undefined, request: RegistryRequest, rules: Rules): Dispatcher {
  const limits = { allowH2: false, maxHeaderSize: HEAD_BYTES_MAX, headersTimeout: 0, bodyTimeout: 0 };
  const tls = url.protocol === "https:" ? { ...rules.tls(), skipVerify: !request.checksCertificate } : undefined;
  if (proxy === undefined) {
    const connect = connectionOptions(tls, judgedLookup(request, rules));
    return new Client(url.origin, { ...limits, connect });
  }
  const proxyTls = connectionOptions(proxy.protocol === "https:" ? rules.tls() : undefined);
  return new ProxyAgent({ ...limits, uri: proxy.href, requestTls: connectionOptions(tls), proxyTls });
}

/** Throws when a name leads to forbidden addresses only; the proxy may know names that are unknown here. */
function judgeName(host: string, request: RegistryRequest, rules: Rules): Promise<void> {
  if (isIP(host) !== 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    judgedLookup(request, rules)(host, { all: true }, (error) => {
      if (error instanceof Forbidden) reject(error);
      else resolve();
    });
  });
}

/** Looks a name up as usual, and hands over only those addresses that may be connected to. */
function judgedLookup({ reach }: RegistryRequest, rules: Rules): LookupFunction {
  return (hostname, options, callback) => {
    rules.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "");
      const allowed = addresses.filter(({ address }) => rules.isAllowed(address, reach));
      const [first] = allowed;
      if (first === undefined)
        return callback(
          forbidden(
            hostname,
            addresses.map(({ address }) => address),
          ),
          "",
        );
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}

async function collect(answer: Dispatcher.ResponseData, request: RegistryRequest): Promise<RegistryAnswer> {
  const { answerBytesMax } = request;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    // A body that is given up reports so as an error.
    answer.body.on("error", () => undefined).destroy();
    throw new Error(`answers in the encoding ${JSON.stringify(encoding)}, which nobody asked for`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > answerBytesMax) throw new Error(`answers with more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return { status: answer.statusCode, headers, body: Buffer.concat(chunks, size) };
}

function forbidden(host: string, addresses: readonly string[]): Forbidden {
  const where = addresses.length === 0 ? "to no address" : `to ${addresses.join(", ")}`;
  return new Forbidden(`${host} leads ${where}, where no registry may be asked; allow the network if one should be`);
}

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOTFOUND: "the host name is unknown; check its spelling and the DNS",
    EAI_AGAIN: "the DNS does not answer",
    ECONNREFUSED: "the connection was refused",
    ECONNRESET: "the connection closed before the answer was complete",
    EHOSTUNREACH: "there is no route to the host",
    ENETUNREACH: "there is no route to its network",
    ETIMEDOUT: "no connection came about in time",
    CERT_HAS_EXPIRED: "its certificate has expired",
    ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for other names",
    EPROTO: "it does not speak TLS",
    UND_ERR_SOCKET: "the connection closed before the answer was complete",
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the connection closed before the answer was complete",
    UND_ERR_HEADERS_OVERFLOW: "the head of its answer is too large",
    UND_ERR_ABORTED: "the proxy refuses to connect",
  }),
);

/** In words, and without anything that was sent: headers carry credentials. */
function plainError(error: unknown): Error {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (!(error instanceof Error) || code === "") return error instanceof Error ? error : new Error(String(error));
  const isAuthority = /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_SIGNATURE/.test(code);
  const says = isAuthority ? "its certificate is signed by nobody that we trust" : meanings.get(code);
  return new Error(`${says ?? "the connection failed"} (${code})`, { cause: error });
}
