import { describe, expect, test } from "vitest";
import type { ApiPod } from "../api-shapes.ts";
import { ANNOTATION_PREFIX } from "../behaviour.ts";
import { rebooted, returned, settled, vanished } from "../machine.ts";
import { aPod, NOON_MS, PodWorld } from "../testing/kubelet-fixtures.ts";

const says = (name: string, value: string) => ({ [ANNOTATION_PREFIX + name]: value });

function withCondition(type: string, status: string): (pod: ApiPod) => ApiPod {
  return (pod) => {
    const conditions = [...(pod.status?.conditions ?? []).filter((condition) => condition.type !== type)];
    return { ...pod, status: { ...pod.status, conditions: [...conditions, { type, status }] } };
  };
}

describe("decidePod(): the machine", () => {
  test("a container that the API has as started in the future has started", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    world.run = undefined;
    world.nowMs -= 3_600_000;
    world.pass(0);
    expect(world.condition("Ready")).toBe("True");
    expect(world.status.containerStatuses?.[0]?.state).toHaveProperty("running");
  });

  test("another machine under an old name has none of the containers that the API tells of", () => {
    const world = new PodWorld(aPod());
    world.pass(5_000);
    world.run = undefined;
    world.machine = { ...world.machine, bootedAtMs: world.nowMs };
    world.pass(1_000);
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      ...{ ready: true, restartCount: 1 },
      lastState: { terminated: { exitCode: 255 } },
    });
  });

  test("a reboot restarts the containers of a daemon", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    world.machine = rebooted(world.machine, { bootId: "boot-2", untilMs: world.nowMs + 10_000 });
    const { writes } = world;
    world.pass(9_999);
    expect(world.writes).toBe(writes);
    world.nowMs += 1;
    world.machine = settled(world.machine, world.nowMs);
    world.pass(0);
    expect(world.condition("Ready")).toBe("False");
    world.pass(1_000);
    expect(world.condition("Ready")).toBe("True");
    expect(world.status.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 255 } },
    });
  });

  test("a reboot fails a task that must not be restarted", () => {
    const world = new PodWorld(aPod({ annotations: says("run-ms", "60000"), spec: { restartPolicy: "Never" } }));
    world.pass(1_000);
    world.machine = { ...world.machine, bootId: "boot-2" };
    world.pass(0);
    expect(world.status.phase).toBe("Failed");
  });

  test("a machine that is away writes nothing; after its return the pod is Ready again, the same container", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    world.machine = vanished(world.machine);
    // What the node lifecycle controller does to the pods of a lost node.
    world.edit(withCondition("Ready", "False"));
    const { writes } = world;
    world.pass(60_000);
    expect(world.writes).toBe(writes);
    world.machine = returned(world.machine);
    world.pass(0);
    expect(world.condition("Ready")).toBe("True");
    expect(world.status.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  test("a pod deleted while the machine is away stays until it is back", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    world.machine = vanished(world.machine);
    world.delete(1);
    world.pass(60_000);
    expect(world.pod).toBeDefined();
    world.machine = returned(world.machine);
    world.pass(1_000);
    expect(world.pod).toBeUndefined();
  });

  test("a kubelet that starts anew takes running containers over as they are", () => {
    const world = new PodWorld(aPod());
    world.pass(1_000);
    const before = world.status;
    world.run = undefined;
    world.pass(60_000);
    expect(world.status).toEqual(before);
    expect(world.run).toMatchObject({ containers: [{ startsAtMs: NOON_MS }] });
  });
});
