// The server of probes and metrics.
import type { Operator } from "../controllers/loop/create-operator.ts";
import { type Checks, healthRoutes } from "../runtime/http/health.ts";
import type { Part } from "../runtime/lifecycle.ts";
import { NodeHttpServer } from "../runtime/node/node-http-server.ts";
import type { ProgramRun } from "./program-run.ts";

/** The part; ready when the nodes are known and the further checks pass. */
export function httpPart({ settings, metrics, clock, log }: ProgramRun, operator: Operator, checks: Checks): Part {
  let areNodesKnown = false;
  operator.view.caches.nodes.synced.then(
    () => {
      areNodesKnown = true;
    },
    () => undefined,
  );
  const nodes = () => (areNodesKnown ? undefined : "the nodes of the cluster have not been listed yet");
  const routes = healthRoutes({ alive: {}, ready: { nodes, ...checks }, registry: metrics.registry });
  const server = new NodeHttpServer({ name: "http", routes, port: settings.httpPort, clock, log });
  return {
    ...{ name: "http", phase: "serve", stop: (drainMs) => server.stop(drainMs) },
    start: async () => log.info("serving probes and metrics", { port: await server.start() }),
  };
}
