// The certificates of one cluster: an authority of its own, and a key pair for loopback that all its servers share.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueGeneration } from "../../src/runtime/certificates/x509.ts";
import { nodeCryptoKeys } from "../../src/runtime/node/node-crypto-keys.ts";

export type ServingCertificate = {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
};

const HOSTS = ["127.0.0.1", "localhost", "kubernetes", "kubernetes.default.svc", "10.0.0.1"];
const DAY_MS = 24 * 60 * 60_000;

/** Writes a fresh authority and a serving certificate for loopback into `folder`. */
export function issueCertificates(folder: string): ServingCertificate {
  const validity = { notBeforeMs: Date.now() - DAY_MS, notAfterMs: Date.now() + 7 * DAY_MS };
  const generation = issueGeneration(nodeCryptoKeys(), { name: "cluster", hosts: HOSTS, ...validity });
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  return {
    ...generation,
    caFile: write("ca.crt", generation.ca),
    certFile: write("serving.crt", generation.cert),
    keyFile: write("serving.key", generation.key),
  };
}
