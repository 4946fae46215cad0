// The port to image registries on node:http and node:https. Where a name leads is judged by the very addresses that are connected to, so
// no change of the DNS between the two can lead elsewhere.
//
// Guarantees: every request has a connection of its own, so that none is ever lent to a request with a shorter reach; nothing is sent
// before the certificate was checked, unless the caller says that any will do. The caller's signal ends everything.
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { isAddressWithin, reachOf } from "./address-reach.ts";
import { nodeHttp } from "./node-http.ts";
import { tlsContext } from "./node-tls-context.ts";
import type { RegistryAnswer, RegistryRequest, RegistryTransport } from "./registry-transport.ts";

export type NodeRegistryOptions = {
  /** Networks that the site allows besides, such as `127.0.0.1/32` for a registry on every machine. */
  readonly allowedNetworks?: readonly string[];
  /** PEM certificates of authorities besides those of the machine. */
  readonly authorities?: string;
  /** How names are looked up; as the machine does, unless somebody has another way. */
  readonly lookup?: LookupAll;
};

export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Rules = {
  readonly isAllowed: (address: string, reach: RegistryRequest["reach"]) => boolean;
  readonly secureContext: () => SecureContext;
  readonly lookup: LookupAll;
};

/** An address that must not be connected to, whatever name led there. */
class Forbidden extends Error {
  override readonly name = "Forbidden";
}

/** Makes the port. No connection is opened before the first request. */
export function createNodeRegistry(options: NodeRegistryOptions = {}): RegistryTransport {
  const { allowedNetworks = [], authorities, lookup = systemLookup } = options;
  let context: SecureContext | undefined;
  const rules: Rules = {
    lookup,
    isAllowed: (address, reach) => {
      if (allowedNetworks.some((network) => isAddressWithin(address, network))) return true;
      const needed = reachOf(address);
      return needed === "public" || (needed === "site" && reach === "site");
    },
    secureContext: () => {
      context ??= tlsContext(authorities === undefined ? {} : { ca: authorities }).secureContext;
      return context;
    },
  };
  return { request: (request) => exchange(request, rules) };
}

function exchange(request: RegistryRequest, rules: Rules): Promise<RegistryAnswer> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    const url = new URL(request.url);
    // A literal IPv6 address stands in brackets in a URL only.
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    // No name is looked up for a literal address.
    if (isIP(host) !== 0 && !rules.isAllowed(host, request.reach)) return reject(forbidden(host, [host]));
    const fail = (error: unknown) => reject(signal.aborted ? signal.reason : plainError(error));
    const outgoing = open(url, host, request, rules);
    outgoing.on("error", fail);
    outgoing.once("response", (message) => collect(message, request).then(resolve, fail));
    outgoing.end();
  });
}

function open(url: URL, host: string, request: RegistryRequest, rules: Rules) {
  const { method, headers, signal } = request;
  const options: RequestOptions = {
    ...{
      method,
      signal,
      host,
      agent: false,
      path: `${url.pathname}${url.search}`,
      lookup: judgedLookup(request, rules),
    },
    headers: { ...headers, "user-agent": "image-probe" },
    ...(url.port === "" ? {} : { port: Number(url.port) }),
  };
  if (url.protocol === "http:") return nodeHttp().request(options);
  const tls = { secureContext: rules.secureContext(), rejectUnauthorized: request.checksCertificate };
  return httpsRequest({ ...options, agent: new Agent({ ...tls, keepAlive: false }) });
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

async function collect(message: IncomingMessage, { answerBytesMax }: RegistryRequest): Promise<RegistryAnswer> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    message.destroy();
    throw new Error(`answers in the encoding ${JSON.stringify(encoding)}, which nobody asked for`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > answerBytesMax) throw new Error(`answers with more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return { status: message.statusCode ?? 0, headers, body: Buffer.concat(chunks, size) };
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
    HPE_HEADER_OVERFLOW: "the head of its answer is too large",
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
