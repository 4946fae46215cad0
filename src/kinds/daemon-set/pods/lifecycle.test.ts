import { describe, expect, test } from "vitest";
import { stepId } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { type DaemonPod, parseDaemonPod } from "../../../core/pod/daemon-pod.ts";
import type { PreDeleteHook } from "../api/spec.ts";
import { hookOn, isPreparingDelete, removePod } from "./lifecycle.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const STATE = "lifecycle.apps.kruise.io/state";

type Wish = {
  readonly labels?: JsonObject;
  readonly finalizers?: readonly string[];
  readonly gate?: boolean;
  readonly message?: string;
};

function aPod({ labels = {}, finalizers = [], gate = false, message }: Wish): DaemonPod {
  const condition = { type: "KruisePodReady", status: "True", ...(message === undefined ? {} : { message }) };
  return parseDaemonPod({
    metadata: { name: "a", namespace: "infra", uid: "a-uid", labels, finalizers },
    spec: gate ? { readinessGates: [{ conditionType: "KruisePodReady" }] } : {},
    status: { conditions: [condition] },
  });
}

const hook: PreDeleteHook = {
  labels: { "example.org/hold": "yes" },
  finalizers: ["example.org/f"],
  isMarkedNotReady: false,
};
const held = { "example.org/hold": "yes" };
const remove = (pod: DaemonPod, given: PreDeleteHook | undefined) =>
  removePod(pod, { why: "it is old" }, { hook: given, nowMs });

describe("a pod is deleted at once, by its UID,", () => {
  test.each<[string, Wish, PreDeleteHook | undefined]>([
    ["when there is no hook", { labels: held }, undefined],
    ["when it bears nothing of the hook", {}, hook],
    ["when its label has another value", { labels: { "example.org/hold": "no" } }, hook],
    ["when it bears another finalizer", { finalizers: ["example.org/g"] }, hook],
    ["when it was held and is not any more", { labels: { [STATE]: "PreparingDelete" } }, hook],
  ])("%s", (_name, wish, given) => {
    expect(remove(aPod(wish), given)).toMatchObject({
      is: "deleting",
      steps: [{ do: "delete", target: { kind: "Pod", namespace: "infra", name: "a" }, uid: "a-uid", why: "it is old" }],
    });
  });
});

describe("a pod that the hook holds", () => {
  test.each<[string, Wish, string]>([
    ["by a label", { labels: held }, "label example.org/hold=yes"],
    ["by a finalizer", { finalizers: ["x", "example.org/f"] }, "finalizer example.org/f"],
  ])("%s is marked, and not deleted", (_name, wish, holder) => {
    expect(hookOn(aPod(wish), hook)).toBe(holder);
    const removal = remove(aPod(wish), hook);
    expect(removal).toMatchObject({ is: "held", because: expect.stringContaining(holder) });
    expect(removal.steps).toMatchObject([
      {
        do: "patch",
        patch: {
          metadata: {
            uid: "a-uid",
            labels: { [STATE]: "PreparingDelete" },
            annotations: { "lifecycle.apps.kruise.io/timestamp": "2026-03-01T12:00:00Z" },
          },
        },
      },
    ]);
  });

  test("is marked once", () => {
    const pod = aPod({ labels: { ...held, [STATE]: "PreparingDelete" } });
    expect(isPreparingDelete(pod)).toBe(true);
    expect(remove(pod, hook)).toMatchObject({ is: "held", steps: [] });
  });
});

describe("a hook that takes its pods out of service", () => {
  const leaving = { ...hook, isMarkedNotReady: true };

  test("says so in Kruise's gate and in Ready, and keeps what others said there", () => {
    const others = JSON.stringify([{ userAgent: "ContainerRecreateRequest", key: "x" }]);
    const [marking, notReady] = remove(aPod({ labels: held, gate: true, message: others }), leaving).steps;
    expect(notReady).toMatchObject({
      after: marking && [stepId(marking)],
      subresource: "status",
      patch: {
        metadata: { uid: "a-uid" },
        status: {
          conditions: [
            {
              ...{ type: "KruisePodReady", status: "False" },
              message:
                '[{"userAgent":"ContainerRecreateRequest","key":"x"},{"userAgent":"Lifecycle","key":"preDeleteHook"}]',
            },
            { type: "Ready", status: "False" },
          ],
        },
      },
    });
  });

  test.each<[string, Wish]>([
    ["the pod has no such gate", { labels: held }],
    ["it was said", { labels: held, gate: true, message: '[{"userAgent":"Lifecycle","key":"preDeleteHook"}]' }],
  ])("does not when %s", (_name, wish) => {
    expect(remove(aPod(wish), leaving).steps).toHaveLength(1);
  });

  test("says it also when the pod was marked and something came between", () => {
    const marked = aPod({ labels: { ...held, [STATE]: "PreparingDelete" }, gate: true });
    expect(remove(marked, leaving)).toMatchObject({ is: "held", steps: [{ subresource: "status" }] });
  });

  test("reads a message that is no list as none", () => {
    const [, notReady] = remove(aPod({ labels: held, gate: true, message: "garbage" }), leaving).steps;
    expect(JSON.stringify(notReady)).toContain('[{\\"userAgent\\":\\"Lifecycle\\",\\"key\\":\\"preDeleteHook\\"}]');
  });
});
