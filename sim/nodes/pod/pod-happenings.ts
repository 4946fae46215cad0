// What a kubelet says of a pod, as Events: read from what it is about to report and what it reported before. Pure.
import { splitKey } from "../../../src/kube/resource.ts";
import type { Happening } from "../../../src/runtime/log/event-series.ts";
import type { ApiContainerStatus } from "../api-shapes.ts";
import type { PodDecision } from "./decide-pod.ts";
import type { PodView } from "./pod-view.ts";

type Said = Pick<Happening, "type" | "reason" | "message">;

/** Everything that is new with a decision, in the real kubelet's words. */
export function podHappenings(pod: PodView, { status }: PodDecision): readonly Happening[] {
  if (status === undefined) return [];
  const { name, namespace = "" } = splitKey(pod.key);
  const about = { apiVersion: "v1", kind: "Pod", name, namespace, uid: pod.uid };
  const before = new Map(pod.reported.containerStatuses?.map((container) => [container.name, container]));
  const said = (status.containerStatuses ?? []).flatMap((now) => saidOf(now, before.get(now.name)));
  const isRefused = status.phase === "Failed" && status.reason !== undefined && pod.reported.phase !== "Failed";
  const refusal: Said = { type: "Warning", reason: status.reason ?? "", message: status.message ?? "" };
  return [...(isRefused ? [refusal] : []), ...said].map((one) => ({ about, ...one }));
}

function saidOf(now: ApiContainerStatus, before: ApiContainerStatus | undefined): readonly Said[] {
  const { name, image, state } = now;
  if ("running" in state) {
    const isNew = before?.containerID !== now.containerID || before === undefined || !("running" in before.state);
    return isNew
      ? [
          { type: "Normal", reason: "Pulled", message: `Container image "${image}" already present on machine` },
          { type: "Normal", reason: "Started", message: `Started container ${name}` },
        ]
      : [];
  }
  if ("terminated" in state) {
    const wasRunning = before !== undefined && "running" in before.state;
    return wasRunning ? [{ type: "Normal", reason: "Killing", message: `Stopping container ${name}` }] : [];
  }
  const { reason } = state.waiting;
  const wasSo = before !== undefined && "waiting" in before.state && before.state.waiting.reason === reason;
  return wasSo ? [] : waitingSaid(reason, now);
}

function waitingSaid(reason: string, { name, image }: ApiContainerStatus): readonly Said[] {
  switch (reason) {
    case "ErrImagePull":
      return [{ type: "Warning", reason: "Failed", message: `Failed to pull image "${image}"` }];
    case "ImagePullBackOff":
      return [{ type: "Normal", reason: "BackOff", message: `Back-off pulling image "${image}"` }];
    case "CrashLoopBackOff":
      return [{ type: "Warning", reason: "BackOff", message: `Back-off restarting failed container ${name}` }];
    default:
      return [];
  }
}
