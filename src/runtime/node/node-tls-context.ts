// PEM texts to what Node's TLS needs, checked on the way: a broken or expired certificate is named here, before a server
// turns it into a puzzling 401.
import { X509Certificate } from "node:crypto";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { TlsMaterial } from "../../kube/config/credentials.ts";
import { TransportError } from "../../kube/transport-error.ts";

export type TlsContext = {
  readonly secureContext: SecureContext;
  readonly serverName: string | undefined;
  readonly skipVerify: boolean;
  /** When our own certificate ends; undefined without one. */
  readonly clientExpiresMs: number | undefined;
};

/** Prepares the material for connections; throws an error that says which part of it is wrong. */
export function tlsContext(material: TlsMaterial): TlsContext {
  const { ca, cert, key } = material;
  if (ca !== undefined) parseCertificate("the certificate authority", ca);
  const client = cert === undefined ? undefined : parseCertificate("the client certificate", cert);
  if ((cert === undefined) !== (key === undefined)) {
    throw untrusted(`a client certificate needs its key; ${cert === undefined ? "only the key" : "no key"} is given`);
  }
  return {
    secureContext: secureContextOf({
      // The list that comes with Node knows no company's own authorities; the machine's list may.
      ca: ca ?? [...getCACertificates("default"), ...getCACertificates("system")],
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    }),
    serverName: material.serverName,
    skipVerify: material.skipVerify ?? false,
    clientExpiresMs: client?.validToDate.getTime(),
  };
}

/** Throws when our own certificate is past its end. */
export function assertNotExpired(context: TlsContext, wallMs: number): void {
  const { clientExpiresMs } = context;
  if (clientExpiresMs === undefined || wallMs < clientExpiresMs) return;
  const end = new Date(clientExpiresMs).toISOString();
  throw untrusted(`the client certificate expired at ${end}; renew it or fetch a new kubeconfig`);
}

function parseCertificate(what: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw untrusted(`${what} is not a PEM certificate; it must hold a BEGIN CERTIFICATE block`, cause);
  }
}

function secureContextOf(options: {
  readonly ca: string | string[];
  readonly cert?: string;
  readonly key?: string;
}): SecureContext {
  try {
    return createSecureContext({ ...options, minVersion: "TLSv1.2" });
  } catch (cause) {
    throw untrusted(
      "the client certificate and its key do not fit together, or the key is not an unencrypted PEM key",
      cause,
    );
  }
}

function untrusted(message: string, cause?: unknown): TransportError {
  return new TransportError("untrusted", message, cause);
}
