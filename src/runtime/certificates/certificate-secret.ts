// Certificates in a Secret, where all replicas find the same ones. `tls.crt`, `tls.key` and `ca.crt` are what other
// programs expect there; the other keys are ours.
import type { KubeObject, Resource } from "../../kube/resource.ts";
import { bundleOf, type CertificateState, type Issued } from "./certificates.ts";
import type { CertificateKeys, Generation } from "./x509.ts";

export type CertificateSecret = KubeObject & {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
};

export const secrets: Resource<CertificateSecret> = {
  ...{ group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true },
};

/** Nothing stored, or nothing of use. */
export const NO_CERTIFICATES: CertificateState = {
  ...{ current: undefined, next: undefined, previousCa: undefined, publishedMs: undefined, servedMs: undefined },
};

/** Reads what is stored; a part that is damaged counts as missing. */
export function readCertificates(secret: CertificateSecret | undefined, keys: CertificateKeys): CertificateState {
  const text = (name: string) => decode(secret?.data?.[name]);
  const issued = (ca: string, cert: string, key: string) => {
    const generation = { ca: text(ca), cert: text(cert), key: text(key) };
    return isWhole(generation) ? withFacts(generation, keys) : undefined;
  };
  return {
    current: issued("current-ca.crt", "tls.crt", "tls.key"),
    next: issued("next-ca.crt", "next-tls.crt", "next-tls.key"),
    previousCa: text("previous-ca.crt"),
    publishedMs: readTime(text("published-at")),
    servedMs: readTime(text("served-at")),
  };
}

/** What to store. */
export function printCertificates(state: CertificateState): Readonly<Record<string, string>> {
  const { current, next, previousCa, publishedMs, servedMs } = state;
  const texts: Readonly<Record<string, string | undefined>> = {
    "tls.crt": current?.cert,
    "tls.key": current?.key,
    "ca.crt": bundleOf(state),
    "current-ca.crt": current?.ca,
    "next-ca.crt": next?.ca,
    "next-tls.crt": next?.cert,
    "next-tls.key": next?.key,
    "previous-ca.crt": previousCa,
    "published-at": publishedMs === undefined ? undefined : new Date(publishedMs).toISOString(),
    "served-at": servedMs === undefined ? undefined : new Date(servedMs).toISOString(),
  };
  const encoded = Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, btoa(text)]]));
  return Object.fromEntries(encoded);
}

/** A generation with what its certificates say; undefined when they are of no use. */
export function withFacts(generation: Generation, keys: CertificateKeys): Issued | undefined {
  const facts = keys.inspect(generation);
  return facts === undefined ? undefined : { ...generation, ...facts };
}

type Partly = { readonly [Part in keyof Generation]: string | undefined };

function isWhole(parts: Partly): parts is Generation {
  return parts.ca !== undefined && parts.cert !== undefined && parts.key !== undefined;
}

function decode(encoded: unknown): string | undefined {
  if (typeof encoded !== "string") return undefined;
  try {
    return atob(encoded);
  } catch {
    // Not base64: somebody edited the Secret. Missing and damaged are the same to us.
    return undefined;
  }
}

function readTime(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
