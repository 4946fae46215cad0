// A bearer token in a file that is replaced while a program runs, and a connection that knows no more than the file.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../src/kube/client/create-client.ts";
import { loadConfig } from "../../src/kube/config/config.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeFiles, nodePrograms } from "../../src/runtime/node/node-files.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";
import type { Connection } from "../control-plane/connect.ts";
import type { ServerAddress } from "../control-plane/users.ts";

export class TokenFile {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Replaces the token as kubelets do: nobody ever sees half of one. */
  publish(token: string): void {
    const next = join(this.#folder, "token.next");
    writeFileSync(next, token, { mode: 0o600 });
    renameSync(next, join(this.#folder, "token"));
  }

  /** Connects as the operator does, by a kubeconfig that names the file. */
  async connect(address: ServerAddress): Promise<Connection> {
    const ca = Buffer.from(address.ca).toString("base64");
    const kubeconfig = join(this.#folder, "token-file.kubeconfig");
    const content = {
      "current-context": "e2e",
      clusters: [{ name: "e2e", cluster: { server: address.url, "certificate-authority-data": ca } }],
      users: [{ name: "e2e", user: { tokenFile: "token" } }],
      contexts: [{ name: "e2e", context: { cluster: "e2e", user: "e2e" } }],
    };
    writeFileSync(kubeconfig, JSON.stringify(content));
    const clock = nodeClock();
    const rand = nodeRand();
    const parts = { files: nodeFiles(), programs: nodePrograms(clock), clock, env: {} };
    const { server, credentials } = await loadConfig(parts, { kubeconfig });
    const transport = createNodeTransport({ server, credentials, clock });
    const client = createClient({ transport, clock, rand, fieldManager: "token-file" });
    return { client, transport, clock, rand, close: () => transport.close() };
  }
}
