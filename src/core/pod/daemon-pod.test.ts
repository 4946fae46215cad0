import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { pinToNode } from "../node/node-pinning.ts";
import { availableFromMs, type DaemonPod, hasEnded, parseDaemonPod } from "./daemon-pod.ts";

const NOON = "2026-01-01T12:00:00Z";
const noonMs = Date.parse(NOON);
const ready = (status: string, lastTransitionTime: string | null = NOON) => ({
  conditions: [
    { type: "PodScheduled", status: "True" },
    { type: "Ready", status, lastTransitionTime },
  ],
});
const aPod = (spec: JsonObject, status: JsonObject = {}): DaemonPod =>
  parseDaemonPod({ metadata: { name: "p", uid: "u" }, spec, status });

describe("parseDaemonPod", () => {
  test.each([
    { name: "bound", spec: { nodeName: "w-1" }, node: "w-1", isBound: true },
    { name: "pinned, not bound yet", spec: { affinity: pinToNode(undefined, "w-2") }, node: "w-2", isBound: false },
    {
      name: "pinned to one node and bound to another",
      spec: { nodeName: "w-1", affinity: pinToNode(undefined, "w-2") },
      node: "w-1",
      isBound: true,
    },
    { name: "neither", spec: {}, node: "", isBound: false },
  ])("knows the node of a pod that is $name", ({ spec, node, isBound }) => {
    expect(aPod(spec)).toMatchObject({ node, isBound });
  });

  test.each([
    { name: "ready", status: ready("True"), readySinceMs: noonMs },
    { name: "ready since nobody knows when", status: ready("True", null), readySinceMs: 0 },
    { name: "not ready", status: ready("False"), readySinceMs: undefined },
    { name: "without conditions", status: {}, readySinceMs: undefined },
  ])("knows since when a pod serves: $name", ({ status, readySinceMs }) => {
    expect(aPod({}, status).readySinceMs).toBe(readySinceMs);
  });

  test("reads the phase and why it is so, and takes a phase it does not know for Unknown", () => {
    expect(aPod({}, { phase: "Failed", reason: "NodeAffinity" })).toMatchObject({
      phase: "Failed",
      phaseReason: "NodeAffinity",
    });
    expect(aPod({}, { phase: "Dreaming" }).phase).toBe("Unknown");
  });

  test("reads gates with their conditions, and containers only of a pod that has gates", () => {
    const gate = { type: "example.org/ok", status: "False", reason: "Busy", message: "wait", lastTransitionTime: NOON };
    const status = {
      conditions: [gate, { type: "PodResizePending", status: "True", reason: "Infeasible" }],
      containerStatuses: [
        {
          ...{ name: "main", image: "a:1", imageID: "a@1", containerID: "c1", ready: true, resources: {} },
          state: { running: { startedAt: NOON } },
        },
        { name: "side", state: { waiting: { reason: "ErrImagePull" } } },
        { image: "nameless" },
      ],
    };
    const gates = [{ conditionType: "example.org/ok" }, { conditionType: "other" }, { conditionType: "other" }];
    expect(aPod({ readinessGates: gates }, status)).toMatchObject({
      gates: [
        { type: "example.org/ok", condition: { isTrue: false, sinceMs: noonMs, reason: "Busy", message: "wait" } },
        { type: "other", condition: undefined },
      ],
      containers: [
        {
          ...{ name: "main", image: "a:1", imageId: "a@1", containerId: "c1", isReady: true, resources: {} },
          ...{ isWaiting: false, startedAtMs: noonMs },
        },
        {
          ...{ name: "side", image: "", imageId: "", containerId: "", isReady: false, resources: undefined },
          ...{ isWaiting: true, startedAtMs: undefined },
        },
      ],
      resizePending: "Infeasible",
    });
    expect(aPod({}, status)).toMatchObject({ gates: [], containers: [], resizePending: "" });
  });

  test.each([
    ["nothing while it runs", "Running", [], [[1, "early"]], ""],
    [
      "the message of the one that failed",
      "Failed",
      [],
      [
        [0, "fine"],
        [2, "no space left"],
      ],
      "no space left",
    ],
    ["that of an init container first", "Failed", [[1, "no Dockerfile"]], [[1, "later"]], "no Dockerfile"],
    ["the message of a success", "Succeeded", [[0, ""]], [[0, "sha256:ab"]], "sha256:ab"],
    ["nothing where none was left", "Failed", [], [[1, ""]], ""],
  ])("reads the last words: %s", (_, phase, init, main, words) => {
    const statuses = (ends: readonly unknown[]) =>
      ends.map((end) => {
        const [exitCode, message] = Array.isArray(end) ? end : [];
        return { state: { terminated: { exitCode, message } } };
      });
    const status = { phase, initContainerStatuses: statuses(init), containerStatuses: statuses(main) };
    expect(aPod({}, status).lastWords).toBe(words);
  });

  test("reads the finalizers that are texts", () => {
    expect(parseDaemonPod({ metadata: { finalizers: ["example.org/hold", 5] } }).finalizers).toEqual([
      "example.org/hold",
    ]);
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
        const object: JsonObject = JSON.parse(JSON.stringify({ spec, status }));
        expect(typeof parseDaemonPod(object).node).toBe("string");
      }),
    );
  });
});

describe("availableFromMs", () => {
  test("counts from the moment of readiness, and may lie ahead", () => {
    expect(availableFromMs(aPod({}, ready("True")), 10)).toBe(noonMs + 10_000);
  });

  test("is always for a ready pod that need not be so for long, whatever its node's clock says", () => {
    expect(availableFromMs(aPod({}, ready("True", "2126-01-01T12:00:00Z")), 0)).toBe(0);
  });

  test.each([
    { name: "is not ready", pod: aPod({}, ready("False")) },
    { name: "is leaving", pod: { ...aPod({}, ready("True")), isLeaving: true } },
    { name: "has ended", pod: aPod({}, { ...ready("True"), phase: "Failed" }) },
  ])("is never for a pod that $name", ({ pod }) => {
    expect(availableFromMs(pod, 0)).toBeUndefined();
  });
});

test.each([
  { phase: "Succeeded", ended: true },
  { phase: "Failed", ended: true },
  { phase: "Running", ended: false },
  { phase: "Pending", ended: false },
])("hasEnded() is $ended for $phase", ({ phase, ended }) => {
  expect(hasEnded(aPod({}, { phase }))).toBe(ended);
});
