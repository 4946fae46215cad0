// The figures that Prometheus scrapes, in a registry of our own. Counters and histograms are told about events as they
// happen; depths, sizes and ages are read when somebody scrapes. No label carries the name of an object.
//
// Beside this file:
//   figures.ts        metrics of other rooms, in the same registry
//   bounded-label.ts  keeps the number of series limited
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CacheVitals } from "../../kube/cache/cache.ts";
import type { CallReport } from "../../kube/client/api-caller.ts";
import type { LeadershipReadings } from "../lease/leadership.ts";
import type { EventReadings } from "../log/event-recorder.ts";
import type { ControllerPorts, ControllerReadings } from "../queue/controller.ts";
import { boundedLabel } from "./bounded-label.ts";

/** Distinct values of one label; with the labels below, all series together stay far under 5,000. */
const LABEL_VALUES_MAX = 50;
const SECOND = 1_000;
const RECONCILE_BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];
const REQUEST_BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 30];

export type Metrics = {
  /** To be told about each finished run of a controller. */
  onRun(controller: string): NonNullable<ControllerPorts["onRun"]>;
  /** To be told about each exchange with the API server. */
  onCall(report: CallReport): void;
  watchController(controller: string, read: () => ControllerReadings): void;
  watchCache(resource: string, read: () => Pick<CacheVitals, "size" | "silentMs" | "restarts">): void;
  watchLeadership(read: () => LeadershipReadings): void;
  watchEvents(read: () => EventReadings): void;
  watchLog(read: () => { readonly dropped: number }): void;
  watchCertificate(read: () => { readonly expiresMs: number } | undefined): void;
  /** For figures of other rooms, and for the figures of the process itself. */
  readonly registry: Registry;
};

/** Makes the registry with all figures of the runtime; every name starts with `prefix` and an underscore. */
export function createMetrics(prefix: string): Metrics {
  const registry = new Registry();
  const own = <L extends string>(name: string, help: string, labelNames: readonly L[]) => ({
    ...{ name: `${prefix}_${name}`, help, labelNames, registers: [registry] },
  });
  return {
    registry,
    ...pushedFigures(own),
    watchController: controllerFigures(own),
    watchCache: cacheFigures(own),
    ...singleFigures(own),
  };
}

type Own = <L extends string>(
  name: string,
  help: string,
  labelNames: readonly L[],
) => { name: string; help: string; labelNames: readonly L[]; registers: Registry[] };

function pushedFigures(own: Own): Pick<Metrics, "onRun" | "onCall"> {
  const runs = new Counter(own("reconcile_total", "Finished reconciles.", ["controller", "result"]));
  const took = new Histogram({
    ...own("reconcile_duration_seconds", "Time that a reconcile took.", ["controller"]),
    buckets: RECONCILE_BUCKETS,
  });
  const waited = new Histogram({
    ...own("queue_wait_seconds", "Time that a ready key waited for a worker.", ["controller"]),
    buckets: RECONCILE_BUCKETS,
  });
  const requests = new Counter(own("api_requests_total", "Requests to the API server.", ["verb", "resource", "code"]));
  const requestTook = new Histogram({
    ...own("api_request_duration_seconds", "Time until the API server answered.", ["verb"]),
    buckets: REQUEST_BUCKETS,
  });
  const verbLabel = boundedLabel(LABEL_VALUES_MAX);
  const resourceLabel = boundedLabel(LABEL_VALUES_MAX);
  const codeLabel = boundedLabel(LABEL_VALUES_MAX);
  return {
    onRun: (controller) => (run) => {
      runs.inc({ controller, result: run.result });
      took.observe({ controller }, run.tookMs / SECOND);
      waited.observe({ controller }, run.waitedMs / SECOND);
    },
    onCall: (report) => {
      const verb = verbLabel(report.verb);
      requests.inc({ verb, resource: resourceLabel(report.resource), code: codeLabel(report.code) });
      requestTook.observe({ verb }, report.durationMs / SECOND);
    },
  };
}

function controllerFigures(own: Own): Metrics["watchController"] {
  const sources = new Map<string, () => ControllerReadings>();
  const gauge = (name: string, help: string, pick: (readings: ControllerReadings) => number) =>
    new Gauge({
      ...own(name, help, ["controller"]),
      collect() {
        for (const [controller, read] of sources) this.set({ controller }, pick(read()));
      },
    });
  gauge("queue_depth", "Keys that are ready for a worker.", ({ depth }) => depth);
  gauge("queue_delayed", "Keys that wait for their time.", ({ delayed }) => delayed);
  gauge("queue_busy", "Keys that a worker holds.", ({ busy }) => busy);
  gauge("queue_oldest_seconds", "Age of the key that has been ready longest.", ({ oldestMs }) => oldestMs / SECOND);
  gauge("reconcile_stuck", "Reconciles that ignore their timeout.", ({ stuck }) => stuck);
  new Counter({
    ...own("queue_refused_total", "Keys that found the queue full.", ["controller"]),
    collect() {
      this.reset();
      for (const [controller, read] of sources) this.inc({ controller }, read().refused);
    },
  });
  return (controller, read) => void sources.set(controller, read);
}

function cacheFigures(own: Own): Metrics["watchCache"] {
  const sources = new Map<string, Parameters<Metrics["watchCache"]>[1]>();
  new Gauge({
    ...own("cache_objects", "Objects in a cache.", ["resource"]),
    collect() {
      for (const [resource, read] of sources) this.set({ resource }, read().size);
    },
  });
  new Gauge({
    ...own("cache_silent_seconds", "Time since a cache last heard from the API server.", ["resource"]),
    collect() {
      for (const [resource, read] of sources) {
        const { silentMs } = read();
        if (silentMs !== undefined) this.set({ resource }, silentMs / SECOND);
      }
    },
  });
  new Counter({
    ...own("watch_restarts_total", "Lists and watches that ended and began again.", ["resource", "reason"]),
    collect() {
      this.reset();
      for (const [resource, read] of sources) {
        for (const [reason, count] of read().restarts) this.inc({ resource, reason }, count);
      }
    },
  });
  return (resource, read) => void sources.set(resource, read);
}

type SingleFigures = Pick<Metrics, "watchLeadership" | "watchEvents" | "watchLog" | "watchCertificate">;

function singleFigures(own: Own): SingleFigures {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      ...own(name, help, []),
      collect() {
        const value = read();
        if (value !== undefined) this.set(value);
      },
    });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      ...own(name, help, []),
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  return {
    watchLeadership(read) {
      gauge("leader", "1 while this replica leads.", () => Number(read().isLeading));
      gauge("leader_overdue_seconds", "How long work of an ended term goes on.", () => read().overdueMs / SECOND);
    },
    watchEvents(read) {
      counter("events_written_total", "Events written to the API server.", () => read().written);
      counter("events_dropped_total", "Events dropped by a limit or for lack of an answer.", () => read().dropped);
    },
    watchLog(read) {
      counter("log_lines_dropped_total", "Log lines that found the reader too slow.", () => read().dropped);
    },
    watchCertificate(read) {
      gauge("certificate_expiry_timestamp_seconds", "When the serving certificate expires.", () => {
        const certificate = read();
        return certificate === undefined ? undefined : certificate.expiresMs / SECOND;
      });
    },
  };
}
