// Pods on their way up, at work, and at their end.
import type { JsonObject } from "../../src/core/json/json.ts";
import { ago, core, keeps, type TableCase } from "./table-case.ts";

function pod(name: string, spec: JsonObject, status?: JsonObject, more: Partial<TableCase> = {}): TableCase {
  const containers = [{ name: "a", image: "example.dev/a:1" }];
  const isDeleted = more.isDeleted === true;
  return {
    path: `${core}/pods`,
    object: { metadata: { name, ...(isDeleted ? { finalizers: keeps } : {}) }, spec: { containers, ...spec } },
    ...(status === undefined ? {} : { status }),
    ...more,
  };
}

const state = (name: string, state: JsonObject, more: JsonObject = {}) => ({
  ...{ name, image: "example.dev/a:1", imageID: "", ready: false, restartCount: 0, state },
  ...more,
});
const waiting = (reason: string) => ({ waiting: { reason } });
const ended = (exitCode: number, more: JsonObject = {}) => ({ terminated: { exitCode, ...more } });
const running = (at: string) => ({ running: { startedAt: at } });
const one = { name: "one", image: "example.dev/a:1" };
const two = { name: "two", image: "example.dev/a:1" };
const sidecar = { ...one, restartPolicy: "Always" };
const isReady = { conditions: [{ type: "Ready", status: "True" }] };
const isInitialised = { conditions: [{ type: "Initialized", status: "True" }] };

const both = { containers: [one, two] };
const initial = { initContainers: [one, two] };
const never = { restartPolicy: "Never" };
const phase = (phase: string, more: JsonObject) => ({ phase, ...more });
const mains = (...containerStatuses: readonly JsonObject[]) => ({ containerStatuses });
const inits = (...initContainerStatuses: readonly JsonObject[]) => ({ initContainerStatuses });
const completed = (name: string) => state(name, ended(0, { reason: "Completed" }));

function restarted(nowMs: number): JsonObject {
  const finishedAt = ago(nowMs, 200);
  return { restartCount: 3, lastState: ended(1, { finishedAt, startedAt: finishedAt }) };
}

function starting(nowMs: number): readonly TableCase[] {
  const runs = running(ago(nowMs, 300));
  const failing = { ...initial, ...never };
  const beside = { initContainers: [sidecar] };
  return [
    pod("plain", {}),
    pod("gated", { schedulingGates: [{ name: "example.dev/gate" }] }),
    pod("creating", {}, phase("Pending", mains(state("a", waiting("ContainerCreating"))))),
    pod(
      "init-waits",
      initial,
      phase("Pending", inits(state("one", ended(0)), state("two", waiting("PodInitializing")))),
    ),
    pod("init-crashes", initial, phase("Pending", inits(state("one", waiting("CrashLoopBackOff"), restarted(nowMs))))),
    pod("init-fails", failing, phase("Pending", inits(state("one", ended(1, { reason: "Error" }))))),
    pod("init-exits", failing, phase("Pending", inits(state("one", ended(7))))),
    pod("init-killed", failing, phase("Pending", inits(state("one", ended(137, { signal: 9 }))))),
    pod("sidecar-starts", beside, phase("Pending", inits(state("one", runs, { started: false })))),
  ];
}

function working(nowMs: number): readonly TableCase[] {
  const runs = running(ago(nowMs, 300));
  const ready = { ready: true };
  const again = restarted(nowMs);
  const besides = inits(state("one", runs, { started: true, ...ready, ...again }));
  const odd = inits(state("one", waiting("Odd")));
  const gates = [{ conditionType: "example.dev/x" }, { conditionType: "example.dev/y" }];
  const conditions = [
    { type: "example.dev/x", status: "True" },
    { type: "example.dev/y", status: "False" },
  ];
  const addresses = { podIP: "10.2.0.9", podIPs: [{ ip: "10.2.0.9" }] };
  return [
    pod("half", both, phase("Running", mains(state("one", runs, { ...ready, ...again }), state("two", runs)))),
    pod("crashing", {}, phase("Running", mains(state("a", waiting("CrashLoopBackOff"), again)))),
    pod("both-bad", both, phase("Running", mains(state("one", waiting("ErrImagePull")), state("two", waiting("Odd"))))),
    pod("init-over", initial, phase("Running", { ...isInitialised, ...odd, ...mains(state("a", runs, ready)) })),
    pod("sidecar", { initContainers: [sidecar] }, phase("Running", { ...besides, ...mains(state("a", runs, ready)) })),
    pod("wide", { nodeName: "node-x", readinessGates: gates }, phase("Running", { ...addresses, conditions })),
    pod("nominated", {}, phase("Pending", { nominatedNodeName: "node-y" })),
  ];
}

function ending(nowMs: number): readonly TableCase[] {
  const runs = running(ago(nowMs, 300));
  const working = state("two", runs, { ready: true });
  const failed = state("two", ended(1, { reason: "Error" }));
  const pair = { ...both, ...never };
  const isDeleted = { isDeleted: true } as const;
  return [
    pod("done", never, phase("Succeeded", mains(completed("a")))),
    pod("evicted", never, phase("Failed", { reason: "Evicted" })),
    pod("exited", never, phase("Failed", mains(state("a", ended(3))))),
    pod("killed", never, phase("Failed", mains(state("a", ended(137, { signal: 9 }))))),
    pod("one-done", pair, phase("Running", { ...isReady, ...mains(completed("one"), working) })),
    pod("one-done-not-ready", pair, phase("Running", mains(completed("one"), working))),
    pod("one-done-one-failed", pair, phase("Failed", mains(completed("one"), failed))),
    pod("going", {}, phase("Running", mains(state("a", runs, { ready: true }))), isDeleted),
    pod("lost", {}, phase("Running", { reason: "NodeLost" }), isDeleted),
    pod("going-done", never, phase("Succeeded", {}), isDeleted),
  ];
}

/** Pods as of a time. */
export function podTableCases(nowMs: number): readonly TableCase[] {
  return [...starting(nowMs), ...working(nowMs), ...ending(nowMs)];
}
