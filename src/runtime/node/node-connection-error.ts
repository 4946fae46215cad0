// What the error codes of Node and undici mean for a person and for the retry rules.
// Messages name the request and the host, never a header: those carry credentials.
import { TransportError, type TransportFailure } from "../../kube/transport-error.ts";
import { NoConnectionError } from "./node-connector.ts";

type Meaning = { readonly reason: TransportFailure; readonly says: string };

const unknownAuthority =
  "its certificate is signed by an authority that we do not trust; give the cluster's own certificate authority " +
  "(certificate-authority-data in a kubeconfig)";
const isServerUp = "see whether the API server is running and its address is right";

/** Also said of a head that tells so without breaking the rules of HTTP. */
export const OTHER_PROTOCOL =
  "wants to go on in another protocol (101), which nobody asked for; see whether a proxy in between answers";

const notHttp: Meaning = { reason: "garbled", says: "what came back is not HTTP" };
const doesNotSpeakTls: Meaning = {
  reason: "garbled",
  says: "it does not speak TLS; check whether the address should begin with http://",
};
const refusedByTls: Meaning = {
  reason: "untrusted",
  says: "the server broke off the TLS handshake; it wants a client certificate, or another one than ours",
};
const closedEarly: Meaning = { reason: "broken", says: "the connection closed before the answer was complete" };
const lost: Meaning = { reason: "broken", says: "the connection was lost" };

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>(
  Object.entries({
    ECONNREFUSED: { reason: "unreachable", says: `connection refused; ${isServerUp}` },
    ENOTFOUND: { reason: "unreachable", says: "the host name is unknown; check its spelling and the DNS" },
    EAI_AGAIN: { reason: "unreachable", says: "the DNS does not answer; try again, or check the resolver" },
    EHOSTUNREACH: { reason: "unreachable", says: "no route to the host; check the network and any VPN" },
    ENETUNREACH: { reason: "unreachable", says: "no route to its network; check the network and any VPN" },
    ETIMEDOUT: {
      reason: "unreachable",
      says: `no connection in time; ${isServerUp}, and that no firewall drops packets`,
    },
    DEPTH_ZERO_SELF_SIGNED_CERT: { reason: "untrusted", says: unknownAuthority },
    SELF_SIGNED_CERT_IN_CHAIN: { reason: "untrusted", says: unknownAuthority },
    UNABLE_TO_GET_ISSUER_CERT: { reason: "untrusted", says: unknownAuthority },
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { reason: "untrusted", says: unknownAuthority },
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: "untrusted", says: unknownAuthority },
    CERT_SIGNATURE_FAILURE: { reason: "untrusted", says: unknownAuthority },
    CERT_HAS_EXPIRED: {
      reason: "untrusted",
      says: "its certificate has expired; renew it, or correct the clock of this machine",
    },
    CERT_NOT_YET_VALID: {
      reason: "untrusted",
      says: "its certificate is not valid yet; correct the clock of this machine or of the one that issued it",
    },
    ERR_TLS_CERT_ALTNAME_INVALID: {
      reason: "untrusted",
      says: "its certificate is for other names; use one of them as the address, or set tls-server-name",
    },
    EPROTO: doesNotSpeakTls,
    ECONNRESET: closedEarly,
    UND_ERR_SOCKET: closedEarly,
    UND_ERR_DESTROYED: { reason: "broken", says: "all connections are closed" },
    UND_ERR_CLOSED: { reason: "broken", says: "all connections are closed" },
    UND_ERR_HEADERS_OVERFLOW: { reason: "garbled", says: "the head of its answer is larger than 16 KiB" },
    EPIPE: { reason: "broken", says: "the connection closed before the request was sent" },
  }),
);

/**
 * Says what went wrong with `where` ("GET https://host/path"); `wasUp` tells whether a connection existed at all, `hasHead`
 * whether the head of the answer had come.
 */
export function connectionError(where: string, error: Error, wasUp: boolean, hasHead = false): TransportError {
  if (error instanceof NoConnectionError) return new TransportError("unreachable", `${where}: ${error.message}`);
  const code = codeOf(error);
  const { reason, says } = meaningByText(error, hasHead) ?? meaningOf(code, wasUp);
  const message = `${where}: ${says}${code === "" ? "" : ` (${code})`}`;
  // The error of an answer that cannot be read holds a piece of the answer.
  return new TransportError(reason, message, reason === "garbled" ? undefined : error);
}

/** Where the code of an error says less than its text. */
function meaningByText({ name, message: text }: Error, hasHead: boolean): Meaning | undefined {
  if (/ alert /.test(text)) return refusedByTls;
  if (text === "bad upgrade") return { reason: "garbled", says: OTHER_PROTOCOL };
  if (text === "bad response") return notHttp;
  if (name === "HTTPParserError") return /EOF/.test(text) ? closedEarly : notHttp;
  // undici also reports so a head with two lengths, which it refuses to read.
  if (name === "ResponseContentLengthMismatchError") return hasHead ? closedEarly : notHttp;
  const [, status] = /^Proxy response \((\d+)\) !== 200/.exec(text) ?? [];
  if (status === undefined) return undefined;
  return { reason: "unreachable", says: `the proxy refuses to connect (${status}); check its address and its rules` };
}

function meaningOf(code: string, wasUp: boolean): Meaning {
  if (code.startsWith("ERR_SSL_")) return doesNotSpeakTls;
  const meaning = meanings.get(code) ?? lost;
  // A route or a peer can vanish under a connection as well, and then the server may have acted.
  if (meaning.reason === "unreachable" && wasUp) return lost;
  if (meaning.reason !== "broken" || wasUp) return meaning;
  return { reason: "unreachable", says: `the connection closed before it was ready; ${isServerUp}` };
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
