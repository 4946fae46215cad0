// What Node's error codes of a failed exchange mean for a person and for the retry rules.
// Messages name the request and the host, never a header: those carry credentials.

import { TransportError, type TransportFailure } from "../kube/transport-error.ts";
import { GarbledAnswerError } from "./http-answer-reader.ts";

type Meaning = { readonly reason: TransportFailure; readonly says: string };

const unknownAuthority =
  "its certificate is signed by an authority that we do not trust; give the cluster's own certificate authority " +
  "(certificate-authority-data in a kubeconfig)";
const isServerUp = "see whether the API server is running and its address is right";

const doesNotSpeakTls: Meaning = {
  reason: "garbled",
  says: "it does not speak TLS; check whether the address should begin with http://",
};
const refusedByTls: Meaning = {
  reason: "untrusted",
  says: "the server broke off the TLS handshake; it wants a client certificate, or another one than ours",
};
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
    ECONNRESET: { reason: "broken", says: "the connection closed before the answer was complete" },
    EPIPE: { reason: "broken", says: "the connection closed before the request was sent" },
  }),
);

/** Says what went wrong with `where` ("GET https://host/path"); `wasUp` tells whether a connection existed at all. */
export function connectionError(where: string, error: Error, wasUp: boolean): TransportError {
  if (error instanceof GarbledAnswerError) return new TransportError("garbled", `${where}: ${error.message}`);
  const code = codeOf(error);
  const { reason, says } = / alert /.test(error.message) ? refusedByTls : meaningOf(code, wasUp);
  return new TransportError(reason, `${where}: ${says}${code === "" ? "" : ` (${code})`}`, error);
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
