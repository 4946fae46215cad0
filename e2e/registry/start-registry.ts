// A real registry for a test: a process on a free port of this machine, with a folder that goes away with it.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import * as fixture from "../../src/runtime/node/testing/tls-fixture.ts";
import { eventually } from "../control-plane/eventually.ts";
import { freePorts } from "../control-plane/free-ports.ts";
import { superviseIn } from "../control-plane/supervised.ts";

/** A user of the registry; the hash is bcrypt's of the password. */
export const USER = { name: "puller", password: "secret" } as const;
const HTPASSWD = "puller:$2b$04$V7uuxv2OfI7eKliZ/lf5g.ShoGJR8/aih3pXkQDlevt8HUxaXfYRK\n";
export const TOKEN_SERVICE = "registry of the test";
export const TOKEN_ISSUER = "issuer of the test";

export type RegistryOptions = {
  readonly program: string;
  /** Whom it answers: anybody, who has the password, or who has a token of this realm. */
  readonly asks?: "nothing" | "password" | { readonly realm: string };
  readonly isSecure?: boolean;
};

export type RunningRegistry = {
  /** `127.0.0.1:41234`, as it stands in an image. */
  readonly host: string;
  readonly origin: string;
  stop(): Promise<void>;
};

/** Starts a registry and waits until it answers. */
export async function startRegistry({
  program,
  asks = "nothing",
  isSecure = false,
}: RegistryOptions): Promise<RunningRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "farrier-registry-"));
  const [port] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const tls = { certificate: file("cert.pem", fixture.serverCertificate), key: file("key.pem", fixture.serverKey) };
  const config = {
    version: 0.1,
    log: { level: "error" },
    storage: { filesystem: { rootdirectory: join(folder, "images") }, delete: { enabled: true } },
    http: { addr: host, ...(isSecure ? { tls } : {}) },
    ...authOf(asks, file),
  };
  const supervised = superviseIn(folder);
  const running = await supervised.start(
    ...([program, ["serve", file("config.yaml", stringify(config))], join(folder, "registry.log")] as const),
  );
  const origin = `${isSecure ? "https" : "http"}://${host}`;
  await eventually("the registry answers", () => answers(origin, isSecure, running.hasExited), { deadlineMs: 30_000 });
  return { host, origin, stop: () => supervised.end() };
}

function authOf(asks: RegistryOptions["asks"], file: (name: string, text: string) => string) {
  if (asks === "password") return { auth: { htpasswd: { realm: "test", path: file("htpasswd", HTPASSWD) } } };
  if (typeof asks !== "object") return {};
  const rootcertbundle = file("issuer.pem", fixture.authority);
  return { auth: { token: { realm: asks.realm, service: TOKEN_SERVICE, issuer: TOKEN_ISSUER, rootcertbundle } } };
}

async function answers(origin: string, isSecure: boolean, hasExited: () => boolean): Promise<true | undefined> {
  if (hasExited()) throw new Error("the registry has ended");
  // With TLS any failure but a refused connection says that it is up.
  const end = await fetch(`${origin}/v2/`).then(
    () => "answered",
    (error: unknown) => (error instanceof Error && error.cause instanceof Error ? JSON.stringify(error.cause) : ""),
  );
  return end === "answered" || (isSecure && !end.includes("ECONNREFUSED")) ? true : undefined;
}
