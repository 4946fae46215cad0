import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { addProcessMetrics } from "./node-process-metrics.ts";

test("memory, CPU and event loop of the process are in the registry that was handed in", async () => {
  const registry = new Registry();
  addProcessMetrics(registry);
  const text = await registry.metrics();
  for (const name of ["process_resident_memory_bytes", "process_cpu_seconds_total", "nodejs_eventloop_lag_seconds"]) {
    expect(text).toContain(`\n${name} `);
  }
  expect(text).not.toContain("nodejs_eventloop_lag_p99_seconds");
});
