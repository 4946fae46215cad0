// The binding of certificates to Node's cryptography.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
  X509Certificate,
} from "node:crypto";
import type { CertificateKeys, Generation, GenerationFacts } from "../certificates/x509.ts";

/** Keys and signatures by OpenSSL, as Node ships it. */
export function nodeCryptoKeys(): CertificateKeys {
  return {
    generate() {
      const { privateKey, publicKey } = generateKeyPairSync("ec", {
        namedCurve: "P-256",
        publicKeyEncoding: { type: "spki", format: "der" },
        privateKeyEncoding: { type: "pkcs8", format: "pem" },
      });
      return { privateKey, publicKey: new Uint8Array(publicKey) };
    },
    sign: (privateKey, bytes) => new Uint8Array(signBytes("sha256", bytes, createPrivateKey(privateKey))),
    sha256: (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest()),
    inspect: inspectGeneration,
  };
}

function inspectGeneration({ ca, cert, key }: Generation): GenerationFacts | undefined {
  try {
    const [authority, leaf] = [new X509Certificate(ca), new X509Certificate(cert)];
    const isSigned = authority.ca && leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
    const isKeysPublicHalf = leaf.publicKey.equals(createPublicKey(key));
    if (!isSigned || !isKeysPublicHalf) return undefined;
    return {
      notBeforeMs: Math.max(authority.validFromDate.getTime(), leaf.validFromDate.getTime()),
      notAfterMs: Math.min(authority.validToDate.getTime(), leaf.validToDate.getTime()),
      hosts: hostsOf(leaf),
    };
  } catch {
    // Damaged PEM, DER or keys: whatever the library's complaint, the generation is of no use.
    return undefined;
  }
}

function hostsOf(leaf: X509Certificate): readonly string[] {
  const named = /^(?:DNS|IP Address):(.+)$/;
  return (leaf.subjectAltName ?? "").split(", ").flatMap((name) => named.exec(name)?.[1] ?? []);
}
