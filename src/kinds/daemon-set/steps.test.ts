// What deletions of pods come down to, as far as other replicas matter.
import { expect, test } from "vitest";
import { parseDaemonPod } from "../../core/daemon-pod.ts";
import { type DeletionCause, deletion } from "./manage.ts";
import { endPods } from "./steps.ts";

const pod = parseDaemonPod({ metadata: { name: "p", namespace: "default", uid: "u1", resourceVersion: "7" } });

const deleted = (cause: DeletionCause, isFenced = false) =>
  endPods([deletion(pod, cause, { isFenced })], { hook: undefined, nowMs: 0 }).steps;

test.each(["relieved", "surplus"] as const)(
  "of two pods the one that goes follows from what the set wishes: %s",
  (cause) => {
    expect(deleted(cause)).toMatchObject([{ do: "delete", uid: "u1", premises: [] }]);
    expect(deleted(cause, true)).toMatchObject([{ do: "delete", resourceVersion: "7", premises: [] }]);
  },
);

test.each(["ineligible", "failed", "succeeded", "lost", "outdated", "prepared"] as const)(
  "whatever the set wishes, this pod goes: %s",
  (cause) => {
    expect(deleted(cause)).toMatchObject([{ do: "delete", uid: "u1" }]);
    expect(deleted(cause)[0]).not.toHaveProperty("premises");
  },
);
