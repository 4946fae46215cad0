// What deletions of pods come down to, as far as other replicas matter.
import { describe, expect, test } from "vitest";
import { parseDaemonPod } from "../../core/daemon-pod.ts";
import { stepId } from "../../core/step.ts";
import { type DeletionCause, deletion } from "./manage.ts";
import { endPods } from "./steps.ts";

const hook = { labels: { hold: "yes" }, finalizers: [], isMarkedNotReady: true };
const metadata = { name: "p", namespace: "default", uid: "u1", resourceVersion: "7" };
const spec = { readinessGates: [{ conditionType: "KruisePodReady" }] };
const free = parseDaemonPod({ metadata, spec });
const held = parseDaemonPod({ metadata: { ...metadata, labels: { hold: "yes" } }, spec });

const ended = (pod: typeof free, cause: DeletionCause, isFenced = false) =>
  endPods([deletion(pod, cause, { isFenced })], { hook, nowMs: 0 }).steps;

describe.each(["relieved", "surplus"] as const)("of two pods the one that is %s", (cause) => {
  test("goes because of what the set wishes", () => {
    expect(ended(free, cause)).toMatchObject([{ do: "delete", uid: "u1", premises: [] }]);
    expect(ended(free, cause, true)).toMatchObject([{ do: "delete", resourceVersion: "7", premises: [] }]);
  });

  test("is marked because of it, where a hook holds it", () => {
    expect(ended(held, cause)).toMatchObject([
      { do: "patch", premises: [] },
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
  const [first, second] = ended(held, "relieved", true);
  expect(first).toMatchObject({ patch: { metadata: { resourceVersion: "7", labels: expect.anything() } } });
  expect(second).toMatchObject({ subresource: "status" });
  expect(second?.after).toEqual(first && [stepId(first)]);
});
