// Which pod of a node was last seen to go.
import { expect, test } from "vitest";
import { type DaemonPod, parseDaemonPod } from "../core/daemon-pod.ts";
import type { Listener } from "../kube/store.ts";
import { PAST_PODS_MAX, PastPods } from "./past-pods.ts";

function aPod(uid: string, node = "w-1", owner = "set"): DaemonPod {
  const ownerReferences = [{ controller: true, uid: owner }];
  return parseDaemonPod({ metadata: { name: `pod-${uid}`, uid, ownerReferences }, spec: { nodeName: node } });
}

function aMemory() {
  const listeners: Listener<DaemonPod | undefined>[] = [];
  const past = new PastPods({
    changes: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  });
  const change = (was: DaemonPod | undefined, now?: DaemonPod) => {
    for (const listener of listeners) listener({ key: "k", was, now, initial: false });
  };
  return { past, change };
}

test("it is the last one that went, of this owner and on this node; one that is there or changes is none", () => {
  const { past, change } = aMemory();
  change(undefined, aPod("a"));
  change(aPod("a"), aPod("a"));
  expect(past.last("set", "w-1")).toBeUndefined();
  change(aPod("a"));
  change(aPod("b"));
  change(aPod("c", "w-2"));
  change(aPod("d", "w-1", "other"));
  expect(past.last("set", "w-1")).toEqual({ uid: "b", name: "pod-b" });
  expect(past.last("other", "w-1")?.uid).toBe("d");
});

test("what went longest ago is forgotten when there is too much to remember", () => {
  const { past, change } = aMemory();
  for (let at = 0; at <= PAST_PODS_MAX; at++) change(aPod(`${at}`, `w-${at}`));
  expect([past.last("set", "w-0"), past.last("set", "w-1")?.uid]).toEqual([undefined, "1"]);
});
