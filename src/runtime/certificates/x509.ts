// Certificates of our own: one authority that signs one serving certificate and whose key is then thrown away.
// ECDSA on P-256 with SHA-256 throughout, as RFC 5280 and strict verifiers want them.
import {
  bitString,
  boolean,
  type Der,
  explicit,
  implicit,
  integer,
  objectId,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from "./der.ts";

/** What certificates need of a cryptographic library. */
export interface CertificateKeys {
  /** A new P-256 key: the private half as PKCS#8 PEM, the public half as SubjectPublicKeyInfo. */
  generate(): KeyPair;
  /** An ECDSA signature over SHA-256, in DER. */
  sign(privateKey: string, bytes: Uint8Array): Uint8Array;
  sha256(bytes: Uint8Array): Uint8Array;
  /** Reads a generation; undefined when its parts are damaged or do not belong together. */
  inspect(generation: Generation): GenerationFacts | undefined;
}

export type KeyPair = { readonly privateKey: string; readonly publicKey: Uint8Array };

/** An authority and the serving certificate that it signed, as PEM texts. */
export type Generation = { readonly ca: string; readonly cert: string; readonly key: string };

export type GenerationFacts = {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly hosts: readonly string[];
};

export type GenerationWish = {
  /** Appears in the subjects. */
  readonly name: string;
  /** Names and IPv4 addresses under which the server is dialled. */
  readonly hosts: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
};

type Fields = {
  readonly serial: Uint8Array;
  readonly subject: Der;
  readonly issuer: Der;
  readonly publicKey: Uint8Array;
  readonly extensions: readonly Der[];
  readonly validity: GenerationWish;
};

const SERIAL_BYTES = 16;
const KEY_ID_BYTES = 20;
/** An uncompressed point on P-256: the last bytes of its SubjectPublicKeyInfo. */
const POINT_BYTES = 65;
const PEM_LINE_LENGTH = 64;
/** Subjects name the generation, so that two authorities in one bundle are never confused. */
const TAG_BYTES = 4;

/** Makes an authority and a serving certificate for `wish.hosts`; nobody keeps the authority's key. */
export function issueGeneration(keys: CertificateKeys, wish: GenerationWish): Generation {
  const authority = keys.generate();
  const leaf = keys.generate();
  const subject = commonName(`${wish.name} authority ${hex(serialOf(keys, authority).subarray(0, TAG_BYTES))}`);
  const sign = (fields: Omit<Fields, "issuer" | "validity">) =>
    signed(keys, authority, { ...fields, issuer: subject, validity: wish });
  const ca = sign({
    ...{ serial: serialOf(keys, authority), subject, publicKey: authority.publicKey },
    extensions: [basicConstraints(), signsCertificates(), subjectKeyId(keys, authority)],
  });
  const cert = sign({
    ...{ serial: serialOf(keys, leaf), subject: commonName(wish.name), publicKey: leaf.publicKey },
    extensions: [
      ...[signsHandshakes(), serverAuth(), subjectKeyId(keys, leaf), authorityKeyId(keys, authority)],
      alternativeNames(wish.hosts),
    ],
  });
  return { ca: pem("CERTIFICATE", ca), cert: pem("CERTIFICATE", cert), key: leaf.privateKey };
}

/** X.509 v3, which is counted from zero. */
const VERSION = Uint8Array.of(2);

const oid = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeNames: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
};

function signed(keys: CertificateKeys, authority: KeyPair, fields: Fields): Der {
  const { serial, subject, issuer, publicKey, extensions, validity } = fields;
  const algorithm = sequence(objectId(oid.ecdsaWithSha256));
  const toBeSigned = sequence(
    explicit(0, integer(VERSION)),
    integer(serial),
    algorithm,
    issuer,
    sequence(time(validity.notBeforeMs), time(validity.notAfterMs)),
    subject,
    publicKey,
    explicit(3, sequence(...extensions)),
  );
  return sequence(toBeSigned, algorithm, bitString(keys.sign(authority.privateKey, toBeSigned)));
}

function extension(id: string, content: Der, criticality: { readonly isCritical: boolean }): Der {
  return sequence(objectId(id), ...(criticality.isCritical ? [boolean(true)] : []), octetString(content));
}

const critical = { isCritical: true };
const optional = { isCritical: false };

/** An authority that may sign leaves and no further authority. */
function basicConstraints(): Der {
  return extension(oid.basicConstraints, sequence(boolean(true), integer(Uint8Array.of(0))), critical);
}

/** keyCertSign and cRLSign. */
function signsCertificates(): Der {
  return extension(oid.keyUsage, bitString(Uint8Array.of(0x06), 1), critical);
}

/** digitalSignature. */
function signsHandshakes(): Der {
  return extension(oid.keyUsage, bitString(Uint8Array.of(0x80), 7), critical);
}

function serverAuth(): Der {
  return extension(oid.extendedKeyUsage, sequence(objectId(oid.serverAuth)), optional);
}

function subjectKeyId(keys: CertificateKeys, owner: KeyPair): Der {
  return extension(oid.subjectKeyId, octetString(keyId(keys, owner)), optional);
}

function authorityKeyId(keys: CertificateKeys, authority: KeyPair): Der {
  return extension(oid.authorityKeyId, sequence(implicit(0, keyId(keys, authority))), optional);
}

/** Kinds of alternative names; whoever dials an address looks for it among the addresses only. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** The four bytes of an address such as 127.0.0.1; undefined for a name. */
function ipv4Bytes(host: string): Uint8Array | undefined {
  const parts = host.split(".");
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256);
  return isAddress ? Uint8Array.from(parts, Number) : undefined;
}

function alternativeNames(hosts: readonly string[]): Der {
  const names = hosts.map((host) => {
    const address = ipv4Bytes(host);
    return address === undefined ? implicit(DNS_NAME, new TextEncoder().encode(host)) : implicit(IP_ADDRESS, address);
  });
  return extension(oid.alternativeNames, sequence(...names), optional);
}

/** RFC 7093, method 1: the leftmost 160 bits of the SHA-256 of the public point. */
function keyId(keys: CertificateKeys, { publicKey }: KeyPair): Uint8Array {
  return keys.sha256(publicKey.subarray(-POINT_BYTES)).subarray(0, KEY_ID_BYTES);
}

/** Derived from the key: as unique as the key is, positive, and never longer than the 20 bytes that are allowed. */
function serialOf(keys: CertificateKeys, { publicKey }: KeyPair): Uint8Array {
  const serial = keys.sha256(publicKey).slice(0, SERIAL_BYTES);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

function commonName(text: string): Der {
  return sequence(setOf(sequence(objectId(oid.commonName), utf8String(text))));
}

function pem(label: string, bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  const lines = text.match(new RegExp(`.{1,${PEM_LINE_LENGTH}}`, "g")) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
