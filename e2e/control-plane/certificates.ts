// The certificates of one cluster: an authority of its own, and a key pair for loopback that all its servers share.
// Made with the openssl program, because nothing here outlives a test run.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type ServingCertificate = {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
};

const NEW_KEY = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "7"];
const NAMES = "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default.svc,IP:10.0.0.1";

/** Writes a fresh authority and a serving certificate for loopback into `folder`. */
export function issueCertificates(folder: string): ServingCertificate {
  const at = (name: string) => join(folder, name);
  const [caFile, caKeyFile, certFile, keyFile] = [at("ca.crt"), at("ca.key"), at("serving.crt"), at("serving.key")];
  openssl(
    [...NEW_KEY, "-keyout", caKeyFile, "-out", caFile, "-subj", "/CN=cluster authority"],
    ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"],
  );
  const signedByCa = ["-CA", caFile, "-CAkey", caKeyFile];
  openssl(
    [...NEW_KEY, ...signedByCa, "-keyout", keyFile, "-out", certFile, "-subj", "/CN=loopback"],
    ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature", "extendedKeyUsage=serverAuth", NAMES],
  );
  const text = (file: string) => readFileSync(file, "utf8");
  return { caFile, certFile, keyFile, ca: text(caFile), cert: text(certFile), key: text(keyFile) };
}

function openssl(args: readonly string[], extensions: readonly string[]): void {
  const added = extensions.flatMap((extension) => ["-addext", extension]);
  execFileSync("openssl", [...args, ...added], { stdio: ["ignore", "ignore", "pipe"] });
}
