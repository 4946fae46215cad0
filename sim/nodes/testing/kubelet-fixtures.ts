// Builders for the kubelet tests: valid defaults, so that a test states only what matters; and a world that performs
// decisions on one pod as an API server would.

import { type ApiPod, type ApiPodStatus, apiTime } from "../api-shapes.ts";
import type { Behaviour } from "../behaviour.ts";
import { type Machine, newMachine } from "../machine.ts";
import type { Premises } from "../pod/admit-pod.ts";
import { decidePod, type PodDecision } from "../pod/decide-pod.ts";
import type { PodRun } from "../pod/pod-run.ts";
import { parsePod } from "../pod/pod-view.ts";
import { generousRegistry, type Registry } from "../registry.ts";

export const NOON_MS = Date.parse("2026-01-01T12:00:00Z");

export function aMachine(): Machine {
  const spec = {
    name: "w-1",
    kernel: "6.8.0-45-generic",
    osImage: "Ubuntu 24.04",
    arch: "amd64",
    labels: {},
    taints: [],
  };
  return newMachine(spec, { bootId: "boot-1", ip: "10.1.0.1", bootedAtMs: 0 });
}

export type PodWish = {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<ApiPod["spec"]>;
};

export function aPod({ annotations = {}, spec = {} }: PodWish = {}): ApiPod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", uid: "uid-1", generation: 1, annotations },
    spec: { nodeName: "w-1", containers: [{ name: "main", image: "example.org/agent:v1" }], ...spec },
  };
}

/** One pod on one machine: time is moved by hand, decisions are written back, deletion removes the pod. */
export class PodWorld {
  machine = aMachine();
  nowMs = NOON_MS;
  overruled: Partial<Behaviour> = {};
  registry: Registry = generousRegistry;
  premises: Premises = { node: { name: "w-1", labels: {}, taints: [] }, podsMax: 10, podsHere: 0 };
  pod: ApiPod | undefined;
  run: PodRun | undefined;
  writes = 0;

  constructor(pod: ApiPod) {
    this.pod = pod;
  }

  get status(): ApiPodStatus {
    return this.pod?.status ?? {};
  }

  /** Moves time on and lets the kubelet decide at each instant it asked for, and at the end. */
  pass(ms: number): PodDecision | undefined {
    const endMs = this.nowMs + ms;
    let decision = this.decide();
    while (decision?.againAtMs !== undefined && decision.againAtMs <= endMs) {
      this.nowMs = decision.againAtMs;
      decision = this.decide();
    }
    this.nowMs = endMs;
    return this.decide();
  }

  delete(graceSeconds: number): void {
    const deletion = { deletionTimestamp: apiTime(this.nowMs), deletionGracePeriodSeconds: graceSeconds };
    const generation = (this.pod?.metadata.generation ?? 0) + 1;
    this.edit((pod) => ({ ...pod, metadata: { ...pod.metadata, ...deletion, generation } }));
  }

  edit(change: (pod: ApiPod) => ApiPod): void {
    if (this.pod === undefined) throw new Error("the pod is gone");
    this.pod = change(this.pod);
  }

  condition(type: string): string | undefined {
    return this.status.conditions?.find((condition) => condition.type === type)?.status;
  }

  private decide(): PodDecision | undefined {
    if (this.pod === undefined) return undefined;
    const { machine, run, overruled, registry, nowMs } = this;
    const decision = decidePod({
      ...{ pod: parsePod(this.pod), run, machine, podIp: "10.2.0.1", overruled, registry, nowMs },
      premises: () => this.premises,
    });
    this.run = decision.run;
    if (decision.status !== undefined) {
      this.writes += 1;
      this.report(decision.status);
    }
    if (decision.isGone) this.pod = undefined;
    return decision;
  }

  /** Conditions merge by type, the rest is replaced: what a strategic merge patch does. */
  private report(status: ApiPodStatus): void {
    const types = new Set(status.conditions?.map((condition) => condition.type));
    const others = (this.status.conditions ?? []).filter((condition) => !types.has(condition.type));
    const merged = { ...this.status, ...status, conditions: [...others, ...(status.conditions ?? [])] };
    this.edit((pod) => ({ ...pod, status: merged }));
  }
}
