// The binding of metrics to this process: memory, CPU, file handles, garbage collection and the lag of the event loop.
import { collectDefaultMetrics, type Registry } from "prom-client";

/** Adds the figures of the process to a registry, under the names that dashboards for Node expect. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}
