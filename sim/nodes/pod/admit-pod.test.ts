import { describe, expect, test } from "vitest";
import { aPod, type PodWish, PodWorld } from "../testing/kubelet-fixtures.ts";

describe("admission", () => {
  const picky: PodWish = { spec: { nodeSelector: { disk: "large" } } };
  const large = { name: "w-1", labels: { disk: "large" }, taints: [] };
  const refusal = (reason: string) => ({
    phase: "Failed",
    reason,
    message: expect.stringMatching(/^Pod was rejected: /),
  });

  test("a pod whose node selector does not match is refused", () => {
    const world = new PodWorld(aPod(picky));
    world.pass(1_000);
    expect(world.status).toMatchObject(refusal("NodeAffinity"));
    expect(world.writes).toBe(1);
  });

  test("a pod that runs is not asked again until the machine reboots; then it may be refused", () => {
    const world = new PodWorld(aPod(picky));
    world.premises = { ...world.premises, node: large };
    world.pass(1_000);
    world.premises = { ...world.premises, node: { ...large, labels: {} } };
    world.pass(60_000);
    expect(world.condition("Ready")).toBe("True");
    world.machine = { ...world.machine, bootId: "boot-2" };
    world.pass(0);
    expect(world.status).toMatchObject({ ...refusal("NodeAffinity"), containerStatuses: [] });
    expect(world.condition("Ready")).toBe("False");
  });

  test.each([
    [9, "Running"],
    [10, "Failed"],
  ])("on a machine for ten pods with %i others it is %s", (podsHere, phase) => {
    const world = new PodWorld(aPod());
    world.premises = { ...world.premises, podsHere };
    world.pass(1_000);
    expect(world.status.phase).toBe(phase);
    if (phase === "Failed") expect(world.status).toMatchObject(refusal("OutOfpods"));
  });

  test.each([
    ["NoExecute", undefined, "Failed"],
    ["NoExecute", [{ key: "sick", operator: "Exists" }], "Running"],
    ["NoSchedule", undefined, "Running"],
  ] as const)("a taint with effect %s and tolerations %j: %s", (effect, tolerations, phase) => {
    const world = new PodWorld(aPod({ spec: { tolerations } }));
    world.premises = { ...world.premises, node: { ...large, taints: [{ key: "sick", value: "", effect }] } };
    world.pass(1_000);
    expect(world.status.phase).toBe(phase);
  });

  test("a pod that is to end is not refused, it ends", () => {
    const world = new PodWorld(aPod(picky));
    // At grace zero the pod stays for a finalizer, so that its last status can be read.
    world.delete(0);
    world.pass(0);
    expect(world.status).toMatchObject({ phase: "Succeeded" });
    expect(world.status.reason).toBeUndefined();
  });
});
