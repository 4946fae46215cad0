// The embedded API server as the works use it: in this process, without a network, on a clock that stands still.
import { createApiServer } from "../../sim/api-server/api-server.ts";
import { builtInKinds } from "../../sim/api-server/built-in/built-in-kinds.ts";
import { seededRand } from "../../sim/seeded-rand.ts";
import { VirtualClock } from "../../sim/virtual-clock.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { HttpRequest } from "../../src/kube/transport.ts";
import { driverDefinition, NAMESPACE } from "./subjects.ts";

export type Call = Pick<HttpRequest, "method" | "path" | "body"> & { readonly media?: string };

export type BenchServer = ReturnType<typeof createApiServer> & {
  /** The body of the answer; throws for a refusal, which would be no work at all. */
  readonly call: (call: Call) => Promise<Uint8Array>;
  /** The events of a watch. */
  readonly watch: (path: string) => Promise<AsyncIterable<Uint8Array>>;
  readonly clock: VirtualClock;
};

const builtIn = builtInKinds();
const decoder = new TextDecoder();

/** Starts a server with the custom kind and the namespace of the subjects. */
export async function startBenchServer(): Promise<BenchServer> {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, rand: seededRand(1), builtIn });
  const transport = server.transport();
  const call = async ({ method, path, body, media = "application/json" }: Call) => {
    const headers = { accept: "application/json", "content-type": media, "user-agent": "bench" };
    const sent = body === undefined ? {} : { body };
    const answer = await transport.request({ method, path, headers, lane: "calls", ...sent });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${decoder.decode(answer.body)}`);
    return answer.body;
  };
  const watch = async (path: string) =>
    (await transport.stream({ method: "GET", path, headers: {}, lane: "watches" })).chunks;
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await call({ method: "POST", path: definitions, body: JSON.stringify(driverDefinition) });
  const namespace: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  await call({ method: "POST", path: "/api/v1/namespaces", body: JSON.stringify(namespace) });
  return { ...server, call, watch, clock };
}
