// The parent's end of the server process: starts it, tells where it listens, counts its connections, ends it.
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { issueGeneration } from "../../src/runtime/certificates/x509.ts";
import { nodeCryptoKeys } from "../../src/runtime/node/node-crypto-keys.ts";

export type ServerProcess = {
  readonly url: string;
  /** The authority of its certificate, as PEM. */
  readonly ca: string;
  /** TLS connections that were made to it since it started. */
  connections(): Promise<number>;
  close(): void;
};

const HOUR_MS = 3_600_000;

/** Starts the server and resolves when it listens. */
export async function startServer(): Promise<ServerProcess> {
  const nowMs = Date.now();
  const validity = { notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + 24 * HOUR_MS };
  const { ca, cert, key } = issueGeneration(nodeCryptoKeys(), { name: "bench", hosts: ["127.0.0.1"], ...validity });
  const env = { ...process.env, BENCH_CERT: cert, BENCH_KEY: key };
  const child = fork(join(import.meta.dirname, "server/main.ts"), { env });
  const port = await nextNumber(child);
  return {
    url: `https://127.0.0.1:${port}`,
    ca,
    connections() {
      child.send("how many connections?");
      return nextNumber(child);
    },
    close: () => child.disconnect(),
  };
}

/** The server says nothing but numbers: its port when it listens, and the count of connections when asked. */
function nextNumber(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("the server of the benchmark ended; its last words are above"));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      if (typeof message === "number") resolve(message);
      else reject(new Error(`the server of the benchmark said ${JSON.stringify(message)} and not a number`));
    });
  });
}
