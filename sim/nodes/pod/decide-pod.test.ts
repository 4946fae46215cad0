import { describe, expect, test } from "vitest";
import type { ApiPod } from "../api-shapes.ts";
import { ANNOTATION_PREFIX } from "../behaviour.ts";
import { aPod, PodWorld } from "../testing/kubelet-fixtures.ts";
import { imageId } from "./pod-status.ts";

const says = (name: string, value: string) => ({ [ANNOTATION_PREFIX + name]: value });

function withImage(image: string): (pod: ApiPod) => ApiPod {
  return (pod) => ({ ...pod, spec: { ...pod.spec, containers: [{ name: "main", image }] } });
}

function withCondition(type: string, status: string): (pod: ApiPod) => ApiPod {
  return (pod) => {
    const conditions = [...(pod.status?.conditions ?? []).filter((condition) => condition.type !== type)];
    return { ...pod, status: { ...pod.status, conditions: [...conditions, { type, status }] } };
  };
}

describe("decidePod(): a pod starts", () => {
  test("a quick start is one write: Running and Ready", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    expect(world.status).toMatchObject({ phase: "Running", hostIP: "10.1.0.1", podIP: "10.2.0.1" });
    expect(world.condition("Ready")).toBe("True");
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      ready: true,
      restartCount: 0,
      image: "example.org/agent:v1",
      imageID: imageId("example.org/agent:v1"),
    });
    expect(world.writes).toBe(1);
  });

  test("it is not Running before its start time, nor Ready before its readiness time", () => {
    const world = new PodWorld(aPod({ annotations: { ...says("start-ms", "5000"), ...says("ready-ms", "3000") } }));
    world.pass(4_999);
    expect(world.status.phase).toBe("Pending");
    expect(world.status.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: "ContainerCreating" } });
    world.pass(1);
    expect(world.status.phase).toBe("Running");
    expect(world.condition("Ready")).toBe("False");
    world.pass(3_000);
    expect(world.condition("Ready")).toBe("True");
  });

  test("deciding again from the same picture writes nothing", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    const { writes } = world;
    world.pass(3_600_000);
    expect(world.writes).toBe(writes);
  });

  test("readiness gates hold Ready back until somebody opens them, and take it away again", () => {
    const world = new PodWorld(aPod({ spec: { readinessGates: [{ conditionType: "example.org/ok" }] } }));
    world.pass(1_000);
    expect([world.condition("ContainersReady"), world.condition("Ready")]).toEqual(["True", "False"]);
    world.edit(withCondition("example.org/ok", "True"));
    world.pass(0);
    expect(world.condition("Ready")).toBe("True");
    world.edit(withCondition("example.org/ok", "False"));
    world.pass(0);
    expect(world.condition("Ready")).toBe("False");
  });

  test("init containers are completed, sidecars run", () => {
    const initContainers = [
      { name: "once", image: "i:1" },
      { name: "beside", image: "s:1", restartPolicy: "Always" },
    ];
    const world = new PodWorld(aPod({ spec: { initContainers } }));
    world.pass(1_000);
    const [once, beside] = world.status.initContainerStatuses ?? [];
    expect(once?.state).toMatchObject({ terminated: { exitCode: 0, reason: "Completed" } });
    expect(beside?.state).toHaveProperty("running");
    expect(world.condition("Initialized")).toBe("True");
  });
});

describe("decidePod(): a pod changes and fails", () => {
  test("an image changed in place restarts that container: unready for a while, then the new imageID", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    world.edit(withImage("example.org/agent:v2"));
    world.pass(0);
    expect(world.condition("Ready")).toBe("False");
    world.pass(1_000);
    expect(world.condition("Ready")).toBe("True");
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      image: "example.org/agent:v2",
      imageID: imageId("example.org/agent:v2"),
      restartCount: 1,
      lastState: { terminated: { exitCode: 0 } },
    });
  });

  test("an image that cannot be pulled waits, and starts once it can", () => {
    const world = new PodWorld(aPod());
    world.overruled = { fail: "pull" };
    world.pass(60_000);
    expect(world.status.phase).toBe("Pending");
    expect(world.status.containerStatuses?.[0]?.state).toMatchObject({ waiting: { reason: "ImagePullBackOff" } });
    world.overruled = {};
    world.pass(60_000);
    expect(world.condition("Ready")).toBe("True");
  });

  test("a pull that fails shows its error, then that it is waited for, and takes as long as the registry says", () => {
    const reasons: unknown[] = [];
    const world = new PodWorld(aPod());
    world.registry = (image) => (image.endsWith(":v1") ? { is: "missing" } : { is: "there", pullMs: 30_000 });
    for (const ms of [0, 600]) {
      world.pass(ms);
      reasons.push(world.status.containerStatuses?.[0]?.state);
    }
    expect(reasons).toMatchObject([
      { waiting: { reason: "ErrImagePull", message: 'failed to pull image "example.org/agent:v1": not found' } },
      { waiting: { reason: "ImagePullBackOff" } },
    ]);
    world.edit(withImage("example.org/agent:v2"));
    world.pass(30_199);
    expect(world.status.phase).toBe("Pending");
    world.pass(1);
    expect(world.condition("Ready")).toBe("True");
  });

  test("a container that ends well is waited for too, and one that ran long starts at once again", () => {
    const world = new PodWorld(aPod({ annotations: says("run-ms", "0") }));
    world.pass(60_000);
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 0, reason: "Completed" } },
    });
    world.overruled = { exit: { afterMs: 600_000, code: 1, message: "" } };
    world.pass(660_000);
    const restarts = world.status.containerStatuses?.[0]?.restartCount;
    world.pass(1_000);
    expect(world.status.containerStatuses?.[0]?.state).toHaveProperty("running");
    expect(world.status.containerStatuses?.[0]?.restartCount).toBe(restarts);
  });

  test("resources changed in place are what the container has", () => {
    const resized = (cpu: string) => (pod: ApiPod) => {
      const containers = pod.spec.containers.map((container) => ({ ...container, resources: { requests: { cpu } } }));
      return { ...pod, spec: { ...pod.spec, containers } };
    };
    const world = new PodWorld(resized("1")(aPod()));
    world.pass(1_000);
    world.edit(resized("2"));
    world.pass(0);
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      ...{ restartCount: 0, ready: true },
      ...{ allocatedResources: { cpu: "2" }, resources: { requests: { cpu: "2" } } },
    });
  });

  test("a pod told to be unready runs and never is", () => {
    const world = new PodWorld(aPod({ annotations: says("fail", "unready") }));
    world.pass(60_000);
    expect([world.status.phase, world.condition("Ready")]).toEqual(["Running", "False"]);
  });

  test("a daemon that crashes is restarted with growing pauses", () => {
    const world = new PodWorld(aPod({ annotations: { ...says("run-ms", "100"), ...says("exit-code", "3") } }));
    world.pass(650);
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 3, reason: "Error" } },
    });
    world.pass(60_000);
    const restarts = world.status.containerStatuses?.[0]?.restartCount ?? 0;
    expect(restarts).toBeGreaterThan(3);
    expect(restarts).toBeLessThan(10);
  });

  test.each([
    ["Never", "0", "Succeeded"],
    ["Never", "7", "Failed"],
    ["OnFailure", "0", "Succeeded"],
    ["OnFailure", "7", "Running"],
  ] as const)("a task with restartPolicy %s that exits with %s is %s", (restartPolicy, code, phase) => {
    const annotations = { ...says("exit-code", code), ...says("message", "the end") };
    const world = new PodWorld(aPod({ annotations, spec: { restartPolicy } }));
    world.pass(1_000);
    expect(world.status.phase).toBe(phase);
    const { state, lastState } = world.status.containerStatuses?.[0] ?? {};
    const terminated = { exitCode: Number(code), message: "the end" };
    if (phase === "Running") expect(lastState).toMatchObject({ terminated });
    else expect(state).toMatchObject({ terminated });
  });

  test("an annotation that makes no sense is refused by name and value", () => {
    const world = new PodWorld(aPod({ annotations: says("start-ms", "soon") }));
    expect(() => world.pass(0)).toThrow('kubelet.farrier.dev/start-ms is "soon"; give a whole number');
  });
});

describe("decidePod(): a pod ends", () => {
  test("a deleted pod stays until its containers have ended, then its deletion is confirmed", () => {
    const world = new PodWorld(aPod({ annotations: says("stop-ms", "4000") }));
    world.pass(1_000);
    world.delete(30);
    const { writes } = world;
    world.pass(3_999);
    expect(world.pod).toBeDefined();
    expect(world.condition("Ready")).toBe("True");
    expect(world.writes).toBe(writes);
    world.pass(1);
    expect(world.pod).toBeUndefined();
  });

  test("containers that ignore SIGTERM are killed when the grace period ends", () => {
    const world = new PodWorld(aPod({ annotations: says("stop-ms", "999999") }));
    world.pass(1_000);
    world.delete(2);
    world.pass(1_999);
    expect(world.pod).toBeDefined();
    world.pass(1);
    expect(world.pod).toBeUndefined();
  });

  test("hooks take their time: a start waits for the one, an end for the other", () => {
    const lifecycle = { postStart: { sleep: { seconds: 3 } }, preStop: { sleep: { seconds: 5 } } };
    const containers = [{ name: "main", image: "a:1", lifecycle }];
    const world = new PodWorld(aPod({ spec: { containers } }));
    world.pass(3_199);
    expect(world.condition("Ready")).not.toBe("True");
    world.pass(1);
    expect(world.condition("Ready")).toBe("True");
    world.delete(30);
    world.pass(5_199);
    expect(world.pod).toBeDefined();
    world.pass(1);
    expect(world.pod).toBeUndefined();
  });

  test("a pod whose containers never started goes at once", () => {
    const world = new PodWorld(aPod({ annotations: says("start-ms", "60000") }));
    world.pass(1_000);
    world.delete(30);
    world.pass(0);
    expect(world.pod).toBeUndefined();
  });

  test("a pod held by a finalizer is reported as ended and not confirmed twice", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    world.delete(0);
    world.pass(0);
    expect(world.status.phase).toBe("Succeeded");
    const { writes } = world;
    expect(world.pass(60_000)).toMatchObject({ isGone: false, status: undefined });
    expect(world.writes).toBe(writes);
  });
});
