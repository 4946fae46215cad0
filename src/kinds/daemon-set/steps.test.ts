// What deletions of pods come down to, as far as other replicas matter.
import { describe, expect, test } from "vitest";
import { parseDaemonPod } from "../../core/daemon-pod.ts";
import { parseNodeFacts } from "../../core/node-facts.ts";
import { stepId } from "../../core/step.ts";
import { LIFECYCLE_STATE } from "./lifecycle.ts";
import { type DeletionCause, deletion } from "./manage.ts";
import { endPods } from "./steps.ts";

const hook = { labels: { hold: "yes" }, finalizers: [], isMarkedNotReady: true };
const metadata = { name: "p", namespace: "default", uid: "u1", resourceVersion: "7" };
const spec = { readinessGates: [{ conditionType: "KruisePodReady" }] };
const free = parseDaemonPod({ metadata, spec });
const held = parseDaemonPod({ metadata: { ...metadata, labels: { hold: "yes" } }, spec });

const keptPod = parseDaemonPod({ metadata: { ...metadata, name: "q", uid: "u2" } });
const node = parseNodeFacts({ metadata: { name: "n", uid: "n1", labels: { size: "large" } } });
const kept = { pod: keptPod, facts: node };
const ended = (pod: typeof free, cause: DeletionCause, how: Parameters<typeof deletion>[2] = {}) =>
  endPods([deletion(pod, cause, how)], { hook, labelKeys: ["size", "zone"], nowMs: 0 }).steps;

describe.each(["relieved", "surplus"] as const)("of two pods the one that is %s", (cause) => {
  const premises = [
    {
      ...{ target: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "q" }, uid: "u2", isStaying: true },
      labels: { [LIFECYCLE_STATE]: undefined },
    },
    { target: { apiVersion: "v1", kind: "Node", name: "n" }, uid: "n1", labels: { size: "large", zone: undefined } },
  ];

  test("goes because of what the set wishes for that node, and because the other one stays", () => {
    expect(ended(free, cause, { kept })).toMatchObject([{ do: "delete", uid: "u1", premises }]);
    expect(ended(free, cause, { kept, isFenced: true })).toMatchObject([
      { do: "delete", resourceVersion: "7", premises },
    ]);
  });

  test("is marked because of it, where a hook holds it", () => {
    expect(ended(held, cause, { kept })).toMatchObject([
      { do: "patch", premises },
      { do: "patch", subresource: "status" },
    ]);
  });
});

test.each(["ineligible", "failed", "succeeded", "lost", "outdated", "prepared"] as const)(
  "whatever the set wishes, this pod goes: %s",
  (cause) => {
    expect(ended(free, cause)).toMatchObject([{ do: "delete", uid: "u1" }]);
    for (const step of [...ended(free, cause), ...ended(held, cause)]) expect(step).not.toHaveProperty("premises");
  },
);

test("a pod that has changed since is neither taken out of service nor marked, if it was to go as it was seen", () => {
  const [first, second] = ended(held, "relieved", { kept, isFenced: true });
  expect(first).toMatchObject({ patch: { metadata: { resourceVersion: "7", labels: expect.anything() } } });
  expect(second).toMatchObject({ subresource: "status" });
  expect(second?.after).toEqual(first && [stepId(first)]);
});
