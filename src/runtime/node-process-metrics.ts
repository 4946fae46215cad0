// The binding of metrics to this process: memory, CPU, file handles, garbage collection and the lag of the event loop.
import { collectDefaultMetrics, type Registry } from "prom-client";

/**
 * How often the lag of the event loop is sampled. Each sample wakes the process: at the ten milliseconds that the package begins with they are
 * most of what an operator costs that has nothing to do.
 */
const LAG_SAMPLE_MS = 250;

/** Adds the figures of the process to a registry, under the names that dashboards for Node expect. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
}
