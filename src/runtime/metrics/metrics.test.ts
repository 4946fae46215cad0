import { expect, test } from "vitest";
import type { EndReason } from "../../kube/watch/reflector-policy.ts";
import { boundedLabel } from "./bounded-label.ts";
import { createMetrics } from "./metrics.ts";

const readings = { depth: 3, delayed: 2, busy: 1, oldestMs: 1_500, refused: 7, stuck: 0 };
const figures = async (metrics: { readonly registry: { metrics(): Promise<string> } }) =>
  (await metrics.registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("every figure has a unit, a help text and the prefix that was handed in", async () => {
  const metrics = createMetrics("acme");
  metrics.watchController("things", () => readings);
  metrics.watchCache("pods", () => ({
    size: 12,
    silentMs: 2_000,
    restarts: new Map<EndReason, number>([["Silent", 4]]),
  }));
  metrics.watchLeadership(() => ({ isLeading: true, overdueMs: 0 }));
  metrics.watchEvents(() => ({ written: 5, dropped: 6 }));
  metrics.watchLog(() => ({ dropped: 1 }));
  metrics.watchCertificate(() => ({ expiresMs: 1_000_000 }));
  const lines = await figures(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'acme_queue_depth{controller="things"} 3',
      'acme_queue_delayed{controller="things"} 2',
      'acme_queue_busy{controller="things"} 1',
      'acme_queue_oldest_seconds{controller="things"} 1.5',
      'acme_queue_refused_total{controller="things"} 7',
      'acme_cache_objects{resource="pods"} 12',
      'acme_cache_silent_seconds{resource="pods"} 2',
      'acme_watch_restarts_total{resource="pods",reason="Silent"} 4',
      "acme_leader 1",
      "acme_events_written_total 5",
      "acme_events_dropped_total 6",
      "acme_log_lines_dropped_total 1",
      "acme_certificate_expiry_timestamp_seconds 1000",
    ]),
  );
  expect(lines.filter((line) => !line.startsWith("acme_"))).toEqual([]);
});

test("counters that are read at scrape time do not grow by being scraped", async () => {
  const metrics = createMetrics("acme");
  metrics.watchController("things", () => readings);
  await figures(metrics);
  expect(await figures(metrics)).toContain('acme_queue_refused_total{controller="things"} 7');
});

test("runs and requests are counted and timed", async () => {
  const metrics = createMetrics("acme");
  metrics.onRun("things")({ result: "failure", tookMs: 30, waitedMs: 2 });
  metrics.onCall({ verb: "list", resource: "pods", code: "200", durationMs: 40, waitedMs: 0, attempt: 1 });
  expect(await figures(metrics)).toEqual(
    expect.arrayContaining([
      'acme_reconcile_total{controller="things",result="failure"} 1',
      'acme_reconcile_duration_seconds_sum{controller="things"} 0.03',
      'acme_api_requests_total{verb="list",resource="pods",code="200"} 1',
      'acme_api_request_duration_seconds_count{verb="list"} 1',
    ]),
  );
});

test("a label that grows with the cluster ends in one series called other", async () => {
  const metrics = createMetrics("acme");
  for (let i = 0; i < 10_000; i++) {
    metrics.onCall({ verb: "get", resource: `r${i}`, code: "200", durationMs: 1, waitedMs: 0, attempt: 1 });
  }
  const lines = await figures(metrics);
  expect(lines.length).toBeLessThan(100);
  expect(lines).toContain('acme_api_requests_total{verb="get",resource="other",code="200"} 9950');
});

test("two registries share nothing", async () => {
  const [one, other] = [createMetrics("acme"), createMetrics("acme")];
  one.onRun("things")({ result: "success", tookMs: 1, waitedMs: 1 });
  expect((await figures(other)).some((line) => line.includes("things"))).toBe(false);
});

test("a bounded label keeps the values that came first", () => {
  const label = boundedLabel(2);
  expect(["a", "b", "c", "a", "c"].map(label)).toEqual(["a", "b", "other", "a", "other"]);
});
