// The binding of metrics to this process: memory, CPU, file handles, garbage collection and the lag of the event loop.
import { collectDefaultMetrics, type Registry } from "prom-client";

/**
 * The package samples the lag of the event loop every ten milliseconds, which is most of what an operator costs that has nothing to do. Samples
 * that are taken less often are counted with the time between them, so they are not taken, and the figures made of them are left out.
 */
const NEVER_MS = 24 * 3_600_000;
const SAMPLED = ["min", "max", "mean", "stddev", "p50", "p90", "p99"];

/** Adds the figures of the process to a registry, under the names that dashboards for Node expect. */
export function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const what of SAMPLED) registry.removeSingleMetric(`nodejs_eventloop_lag_${what}_seconds`);
}
