// What deletions of pods come down to, as far as other replicas matter.
import { describe, expect, test } from "vitest";
import { stepId } from "../../../core/decision/step.ts";
import { parseNodeFacts } from "../../../core/node/node-facts.ts";
import { parseDaemonPod } from "../../../core/pod/daemon-pod.ts";
import { deletion } from "./deletion.ts";
import { LIFECYCLE_STATE } from "./lifecycle.ts";
import { endPods } from "./steps.ts";

const hook = { labels: { hold: "yes" }, finalizers: [], isMarkedNotReady: true };
const metadata = { name: "p", namespace: "default", uid: "u1", resourceVersion: "7" };
const spec = { readinessGates: [{ conditionType: "KruisePodReady" }] };
const free = parseDaemonPod({ metadata, spec });
const held = parseDaemonPod({ metadata: { ...metadata, labels: { hold: "yes" } }, spec });

const keptPod = parseDaemonPod({ metadata: { ...metadata, name: "q", uid: "u2" } });
const node = parseNodeFacts({ metadata: { name: "n", uid: "n1", labels: { size: "large" } } });
const kept = { pod: keptPod, facts: node };
const ended = (pod: typeof free, how: Parameters<typeof deletion>[2] = {}) =>
  endPods([deletion(pod, "surplus", how)], { hook, labelKeys: ["size", "zone"], nowMs: 0 }).steps;

describe("a pod that goes because another one stays", () => {
  const premises = [
    {
      ...{ target: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "q" }, uid: "u2", isStaying: true },
      labels: { [LIFECYCLE_STATE]: undefined },
    },
    { target: { apiVersion: "v1", kind: "Node", name: "n" }, uid: "n1", labels: { size: "large", zone: undefined } },
  ];

  test("goes as long as that one does, and the labels of the node are the same", () => {
    expect(ended(free, { kept })).toMatchObject([{ do: "delete", uid: "u1", premises }]);
    expect(ended(free, { kept, isFenced: true })).toMatchObject([{ do: "delete", resourceVersion: "7", premises }]);
  });

  test("is marked as long as that is so, where a hook holds it", () => {
    expect(ended(held, { kept })).toMatchObject([
      { do: "patch", premises },
      { do: "patch", subresource: "status" },
    ]);
  });
});

test("a pod that goes whatever else is there follows from nothing", () => {
  expect(ended(free)).toMatchObject([{ do: "delete", uid: "u1" }]);
  for (const step of [...ended(free), ...ended(held)]) expect(step).not.toHaveProperty("premises");
});

test("a pod that has changed since is neither taken out of service nor marked, if it was to go as it was seen", () => {
  const [first, second] = ended(held, { kept, isFenced: true });
  expect(first).toMatchObject({ patch: { metadata: { resourceVersion: "7", labels: expect.anything() } } });
  expect(second).toMatchObject({ subresource: "status" });
  expect(second?.after).toEqual(first && [stepId(first)]);
});
