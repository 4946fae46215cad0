import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { logToList } from "../log/testing/log-to-list.ts";
import { nodeCryptoKeys } from "../node/node-crypto-keys.ts";
import { NodeHttpServer } from "../node/node-http-server.ts";
import { type Generation, type GenerationWish, issueGeneration } from "./x509.ts";

const keys = nodeCryptoKeys();
const day = 86_400_000;
const nowMs = Date.now();
const wish: GenerationWish = {
  ...{ name: "webhook", hosts: ["webhook.ops.svc", "webhook.ops.svc.cluster.local"] },
  ...{ notBeforeMs: nowMs - day, notAfterMs: nowMs + 90 * day },
};

test("the serving certificate is signed by the authority and by no other", () => {
  const [one, other] = [issueGeneration(keys, wish), issueGeneration(keys, wish)];
  const leaf = new X509Certificate(one.cert);
  const [mine, others] = [new X509Certificate(one.ca), new X509Certificate(other.ca)];
  expect([leaf.checkIssued(mine), leaf.verify(mine.publicKey)]).toEqual([true, true]);
  expect([leaf.checkIssued(others), leaf.verify(others.publicKey)]).toEqual([false, false]);
});

test("names, times and uses are what was asked for", () => {
  const { ca, cert } = issueGeneration(keys, wish);
  const [authority, leaf] = [new X509Certificate(ca), new X509Certificate(cert)];
  expect(leaf.subjectAltName).toBe("DNS:webhook.ops.svc, DNS:webhook.ops.svc.cluster.local");
  expect(leaf.checkHost("webhook.ops.svc")).toBe("webhook.ops.svc");
  expect(leaf.checkHost("other.ops.svc")).toBeUndefined();
  expect([authority.ca, leaf.ca, leaf.keyUsage]).toEqual([true, false, ["1.3.6.1.5.5.7.3.1"]]);
  expect(leaf.validToDate.getTime()).toBe(Math.floor(wish.notAfterMs / 1_000) * 1_000);
  expect(authority.serialNumber).not.toBe(leaf.serialNumber);
});

/** The same certificate with one bit of its signature changed. */
function withFlippedBit(cert: string): string {
  const bytes = Buffer.from(new X509Certificate(cert).raw);
  bytes.writeUInt8((bytes.at(-5) ?? 0) ^ 1, bytes.length - 5);
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`;
}

test("a generation is read back, and one whose parts do not belong together is not", () => {
  const [one, other] = [issueGeneration(keys, wish), issueGeneration(keys, wish)];
  expect(keys.inspect(one)).toMatchObject({ hosts: wish.hosts });
  const broken: readonly Generation[] = [
    { ...one, ca: other.ca },
    { ...one, key: other.key },
    { ...one, cert: "nonsense" },
    { ...one, ca: one.cert },
    { ...one, cert: withFlippedBit(one.cert) },
  ];
  expect(broken.map((generation) => keys.inspect(generation))).toEqual(broken.map(() => undefined));
});

test("an address is an address to verifiers, and a name that looks like one is a name", () => {
  const hosts = ["127.0.0.1", "256.0.0.1", "1.2.3", "localhost"];
  const generation = issueGeneration(keys, { ...wish, hosts });
  const leaf = new X509Certificate(generation.cert);
  expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(leaf.checkIP("127.0.0.2")).toBeUndefined();
  expect(leaf.checkHost("localhost")).toBe("localhost");
  expect(keys.inspect(generation)?.hosts).toEqual(hosts);
});

function findOpenssl(): string | undefined {
  try {
    return execFileSync("openssl", ["version"], { encoding: "utf8" });
  } catch {
    return undefined;
  }
}

test.skipIf(findOpenssl() === undefined)("openssl verifies the chain under its strictest rules", () => {
  const folder = mkdtempSync(join(tmpdir(), "x509-"));
  try {
    const { ca, cert } = issueGeneration(keys, wish);
    writeFileSync(join(folder, "ca.pem"), ca);
    writeFileSync(join(folder, "leaf.pem"), cert);
    const strict = ["-x509_strict", "-check_ss_sig", "-purpose", "sslserver", "-verify_hostname", "webhook.ops.svc"];
    const args = ["verify", ...strict, "-CAfile", "ca.pem", "leaf.pem"];
    expect(execFileSync("openssl", args, { cwd: folder, encoding: "utf8" })).toBe("leaf.pem: OK\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A handshake as an API server makes it: the bundle is all it trusts, the name must fit. */
function shakeHands(port: number, bundle: string, servername: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", ca: bundle, servername }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? "");
      socket.destroy();
    });
    socket.on("error", (error) => resolve(error.message));
  });
}

test("a real server serves it over TLS, and takes a new certificate without a restart", async () => {
  const [one, other] = [issueGeneration(keys, wish), issueGeneration(keys, wish)];
  const { log } = logToList();
  const clock = {
    after: (_: number, work: () => void) => {
      setImmediate(work);
      return () => {};
    },
  };
  const server = new NodeHttpServer({
    ...{ name: "test", routes: new Map(), port: 0, host: "127.0.0.1", certificate: one, clock, log },
  });
  const port = await server.start();
  const serial = (generation: Generation) => new X509Certificate(generation.cert).serialNumber;
  expect(await shakeHands(port, one.ca, "webhook.ops.svc")).toBe(serial(one));
  expect(await shakeHands(port, other.ca, "webhook.ops.svc")).toMatch(/self-signed|unable to verify|unable to get/);
  expect(await shakeHands(port, one.ca, "other.svc")).toMatch(/does not match/);
  server.setCertificate(other);
  expect(await shakeHands(port, `${one.ca}${other.ca}`, "webhook.ops.svc")).toBe(serial(other));
  await server.stop(0);
});
