import { expect, test } from "vitest";
import type { ApiContainerState, ApiContainerStatus, ApiPodStatus } from "../api-shapes.ts";
import { podHappenings } from "./pod-happenings.ts";
import { parsePod } from "./pod-view.ts";

const running: ApiContainerState = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const waiting = (reason: string): ApiContainerState => ({ waiting: { reason } });
const ended: ApiContainerState = {
  terminated: { exitCode: 0, reason: "Completed", startedAt: "", finishedAt: "", containerID: "" },
};

const container = (state: ApiContainerState, containerID = "id-0"): ApiContainerStatus => ({
  ...{ name: "main", image: "tool:1", imageID: "", ready: false, started: false, restartCount: 0, state, containerID },
});

/** What is said when a pod that was reported like this is reported like that. */
function said(before: ApiPodStatus, status: ApiPodStatus | undefined): readonly string[] {
  const metadata = { name: "p", namespace: "default", uid: "u" };
  const pod = parsePod({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] }, status: before });
  const decision = { run: undefined, status, isGone: false, againAtMs: undefined };
  return podHappenings(pod, decision).map(({ about, type, reason }) => `${about.name} ${type} ${reason}`);
}

const of = (...states: readonly ApiContainerStatus[]): ApiPodStatus => ({ containerStatuses: states });

test.each([
  ["starts", of(), of(container(running)), ["p Normal Pulled", "p Normal Started"]],
  ["runs on", of(container(running)), of(container(running)), []],
  ["is restarted", of(container(running)), of(container(running, "id-1")), ["p Normal Pulled", "p Normal Started"]],
  ["cannot pull", of(), of(container(waiting("ErrImagePull"))), ["p Warning Failed"]],
  ["waits to pull", of(), of(container(waiting("ImagePullBackOff"))), ["p Normal BackOff"]],
  ["still waits", of(container(waiting("ImagePullBackOff"))), of(container(waiting("ImagePullBackOff"))), []],
  ["crashes", of(container(running)), of(container(waiting("CrashLoopBackOff"))), ["p Warning BackOff"]],
  ["ends", of(container(running)), of(container(ended)), ["p Normal Killing"]],
  ["is refused", of(), { phase: "Failed", reason: "NodeAffinity", message: "no" }, ["p Warning NodeAffinity"]],
  ["is not reported", of(), undefined, []],
])("of a pod that %s is said what is new", (_, before, now, expected) => {
  expect(said(before, now)).toEqual(expected);
});
