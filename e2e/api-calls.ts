// Plain calls to a real API server, for tests that compare what it says with what the embedded one says.
import type { JsonObject } from "../src/core/json/json.ts";
import { fixedCredentials } from "../src/kube/config/credentials.ts";
import type { HttpRequest } from "../src/kube/transport.ts";
import { parseJson, printJson } from "../src/kube/wire/json-text.ts";
import { nodeClock } from "../src/runtime/node/node-clock.ts";
import { createNodeTransport } from "../src/runtime/node/node-transport.ts";
import type { Binaries } from "./control-plane/binaries.ts";
import { startCluster } from "./control-plane/cluster.ts";
import { eventually } from "./control-plane/eventually.ts";

const SERVED_WITHIN_MS = 20_000;

export type Called = { readonly status: number; readonly body: JsonObject };

export type ApiCalls = {
  readonly send: (method: HttpRequest["method"], path: string, body?: object, type?: string) => Promise<Called>;
  /** Resolves when a path can be read. */
  readonly served: (path: string) => Promise<unknown>;
  readonly stop: () => Promise<void>;
};

/** Starts etcd and an API server of its own, and calls it as an administrator. */
export async function startApi(binaries: Binaries): Promise<ApiCalls> {
  const cluster = await startCluster({ binaries, parts: "api" });
  const authorization = `Bearer ${cluster.token()}`;
  const credentials = fixedCredentials({ headers: { authorization }, tls: { ca: cluster.address.ca } });
  const transport = createNodeTransport({ server: cluster.address.url, credentials, clock: nodeClock() });
  const send: ApiCalls["send"] = async (method, path, body, type = "application/json") => {
    const headers = { accept: "application/json", "content-type": type };
    const sent = body === undefined ? {} : { body: printJson(body) };
    const answer = await transport.request({ method, path, headers, lane: "calls", ...sent });
    return { status: answer.status, body: parseJson(new TextDecoder().decode(answer.body)) as JsonObject };
  };
  const isServed = async (path: string) => ((await send("GET", path)).status === 200 ? true : undefined);
  return {
    send,
    served: (path) => eventually(`${path} is served`, () => isServed(path), { deadlineMs: SERVED_WITHIN_MS }),
    stop: async () => {
      transport.close();
      await cluster.stop();
    },
  };
}
