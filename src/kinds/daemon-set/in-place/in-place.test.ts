import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { InPlaceRollout, one, opened } from "../testing/in-place-rollout.ts";
import { isMadeForInPlace } from "./in-place.ts";

const HASH = "controller-revision-hash";
const STATE = "apps.kruise.io/inplace-update-state";
const GRACE = "apps.kruise.io/inplace-update-grace";

describe("a new pod", () => {
  test("waits for its gate, which the first look opens", () => {
    const rollout = new InPlaceRollout({ r1: one("a:1") });
    expect(rollout.pod.isReady).toBe(false);
    expect(rollout.act()).toMatchObject({ is: "moving", steps: [{ subresource: "status" }] });
    rollout.pod.sync();
    expect(rollout.pod.isReady).toBe(true);
    expect(rollout.look()).toEqual({ is: "settled", because: "", steps: [] });
  });

  test("with Kruise's own gate gets that opened, too, unless somebody has set it", () => {
    const gates = ["InPlaceUpdateReady", "KruisePodReady", "example.org/other"];
    const [step] = new InPlaceRollout({ r1: one("a:1") }, gates).look().steps;
    expect(step?.patch).toMatchObject({
      status: { conditions: [{ type: "InPlaceUpdateReady" }, { type: "KruisePodReady", status: "True" }] },
    });
    const shut = new InPlaceRollout({ r1: one("a:1") }, ["KruisePodReady"]);
    const conditions = [{ type: "KruisePodReady", status: "False" }];
    shut.pod.object = mergeObject(shut.pod.object, { status: { conditions } });
    expect(shut.look().is).toBe("settled");
  });

  test("without gates is nobody's business, and cannot be updated in place", () => {
    const rollout = new InPlaceRollout({ r1: one("a:1") }, []);
    expect(rollout.look().is).toBe("settled");
    expect(isMadeForInPlace(rollout.pod.seen)).toBe(false);
    expect(isMadeForInPlace(new InPlaceRollout({ r1: one("a:1") }).pod.seen)).toBe(true);
  });
});

describe("an update of an image", () => {
  test("shuts the gate, then writes image, revision and record in one patch, and opens it when the kubelet is done", () => {
    const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
    rollout.target = "r2";
    const { steps } = rollout.act();
    expect(steps.map(({ subresource = "pod" }) => subresource)).toEqual(["status", "pod"]);
    expect(steps[1]?.after).toEqual(["patch status v1 Pod infra/agent-x"]);
    expect(rollout.pod.isReady).toBe(false);
    expect(rollout.revision).toBe("r2");
    expect(rollout.look()).toMatchObject({ is: "waiting", because: expect.stringContaining("main"), steps: [] });
    rollout.pod.sync();
    expect(rollout.look()).toMatchObject({ is: "moving", steps: [{ subresource: "status" }] });
    rollout.settle();
    expect(rollout.pod.isReady).toBe(true);
    expect(rollout.pod.starts).toEqual({ main: 2 });
  });

  test("begins with the pod as it was seen: one that another leader has brought there meanwhile stays in service", () => {
    const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
    rollout.target = "r2";
    const [late] = rollout.look().steps;
    rollout.settle();
    expect(late?.subresource).toBe("status");
    expect(() => late && rollout.pod.perform(late)).toThrow("the patch is for version");
    expect(rollout.pod.isReady).toBe(true);
  });

  test("is recorded in Kruise's words", () => {
    const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
    rollout.target = "r2";
    rollout.act();
    expect(JSON.parse(rollout.pod.seen.annotations[STATE] ?? "")).toMatchObject({
      ...{ revision: "r2", updateImages: true },
      updateTimestamp: expect.stringMatching(/^2026-03-01T12:/),
      lastContainerStatuses: { main: { imageID: "sha256:a:1" } },
      containerBatchesRecord: [{ containers: ["main"] }],
    });
  });

  test("with a grace waits that long with the gate shut before anything restarts", () => {
    const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
    rollout.target = "r2";
    const shutAtMs = rollout.pod.nowMs;
    expect(rollout.act(2, 10)).toMatchObject({ steps: [{ subresource: "status" }], lookAgainAtMs: shutAtMs + 10_000 });
    expect(rollout.act(2, 10)).toMatchObject({ steps: [], lookAgainAtMs: shutAtMs + 10_000 });
    rollout.pod.nowMs = shutAtMs + 10_000;
    rollout.act(2, 10);
    expect(rollout.revision).toBe("r2");
  });

  test("that was begun and given up before anything was written only opens the gate again", () => {
    const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
    rollout.target = "r2";
    rollout.act(1);
    expect(rollout.pod.isReady).toBe(false);
    rollout.target = "r1";
    rollout.settle();
    expect(rollout.pod.isReady).toBe(true);
    expect(rollout.pod.starts).toEqual({ main: 1 });
  });

  test("of labels alone restarts nothing and shuts no gate", () => {
    const labelled = mergeObject(one("a:1"), { metadata: { labels: { z: "1" } } });
    const rollout = opened({ r1: one("a:1"), r2: labelled });
    rollout.target = "r2";
    expect(rollout.act().steps.map(({ subresource = "pod" }) => subresource)).toEqual(["pod"]);
    expect(rollout.pod.seen.labels).toMatchObject({ z: "1", [HASH]: "r2" });
    expect(rollout.pod.isReady).toBe(true);
    expect(rollout.look().is).toBe("settled");
  });
});

describe("an update ends", () => {
  const inFlight = () => {
    const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
    rollout.pod.digests = { "a:1": "sha256:same", "a:2": "sha256:same" };
    rollout.pod.sync();
    rollout.target = "r2";
    rollout.act();
    return rollout;
  };
  const report = (rollout: InPlaceRollout, status: JsonObject) => {
    const before = { name: "main", image: "mirror/a:1", imageID: "sha256:same", containerID: "c-main-1", ready: true };
    const containerStatuses = [{ ...before, ...status }];
    rollout.pod.object = mergeObject(rollout.pod.object, { status: { containerStatuses } });
    return rollout.look().is;
  };

  test("when digests are equal and the kubelet has restarted the container", () => {
    const rollout = inFlight();
    expect(rollout.look().is).toBe("waiting");
    rollout.settle();
    expect(rollout.pod.isReady).toBe(true);
  });

  test.each<[string, JsonObject, string]>([
    ["not before anything has happened", {}, "waiting"],
    ["when the digest is another", { imageID: "sha256:other" }, "moving"],
    ["when the container is another", { containerID: "c-main-2" }, "moving"],
    ["when the image bears the name that was asked for", { image: "a:2" }, "moving"],
    ["when it started after the update began", { state: { running: { startedAt: "2026-03-01T13:00:00Z" } } }, "moving"],
    ["not while the container waits", { containerID: "c-main-2", state: { waiting: {} } }, "waiting"],
    ["not on an image without a digest", { imageID: "" }, "waiting"],
  ])("%s", (_name, status, expected) => {
    expect(report(inFlight(), status)).toBe(expected);
  });

  test("when Kruise began it and recorded only digests", () => {
    const rollout = inFlight();
    const state = {
      revision: "r2",
      updateTimestamp: "2026-03-01T12:00:00Z",
      lastContainerStatuses: { main: { imageID: "sha256:same" } },
    };
    rollout.pod.object = mergeObject(rollout.pod.object, {
      metadata: { annotations: { [STATE]: null, "inplace-update-state": JSON.stringify(state) } },
    });
    const old = "2026-03-01T11:00:00Z";
    expect(report(rollout, { state: { running: { startedAt: old } } })).toBe("waiting");
    rollout.pod.sync();
    expect(rollout.look().is).toBe("moving");
  });

  test("with the tag that runtimes add to an image without one", () => {
    const rollout = opened({ r1: one("a:1"), r2: one("b") });
    rollout.target = "r2";
    rollout.act();
    const containerStatuses = [
      { name: "main", image: "b:latest", imageID: "sha256:a:1", containerID: "c-main-1", ready: true },
    ];
    rollout.pod.object = mergeObject(rollout.pod.object, { status: { containerStatuses } });
    expect(rollout.look().is).toBe("moving");
  });
});

describe("resources", () => {
  const withCpu = (cpu: string, policy: JsonObject = {}) =>
    mergeObject(one("a:1"), {
      spec: { containers: [{ name: "main", image: "a:1", ...policy, resources: { limits: { cpu } } }] },
    });

  test("go through the resize subresource first, while the pod serves", () => {
    const rollout = opened({ r1: withCpu("1"), r2: withCpu("2") });
    rollout.target = "r2";
    const { steps } = rollout.act();
    expect(steps.map(({ subresource = "pod" }) => subresource)).toEqual(["resize", "pod"]);
    expect(steps[1]?.after).toEqual(["patch resize v1 Pod infra/agent-x"]);
    expect(rollout.pod.isReady).toBe(true);
    expect(rollout.look()).toMatchObject({ is: "waiting", because: expect.stringContaining("resources") });
    rollout.settle();
    expect(rollout.pod.starts).toEqual({ main: 1 });
  });

  test("that the node does not have leave the pod stuck", () => {
    const rollout = opened({ r1: withCpu("1"), r2: withCpu("200") });
    rollout.target = "r2";
    rollout.act();
    const conditions = [
      { type: "PodResizePending", status: "True", reason: "Infeasible" },
      { type: "InPlaceUpdateReady", status: "True" },
    ];
    rollout.pod.object = mergeObject(rollout.pod.object, { status: { conditions } });
    expect(rollout.look()).toMatchObject({ is: "stuck" });
  });

  test("for which the container is restarted shut the gate until it has been", () => {
    const policy = { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] };
    const rollout = opened({ r1: withCpu("1", policy), r2: withCpu("2", policy) });
    rollout.target = "r2";
    expect(rollout.act().steps.map(({ subresource = "pod" }) => subresource)).toEqual(["status", "resize", "pod"]);
    expect(rollout.look()).toMatchObject({ is: "waiting", because: expect.stringContaining("main") });
  });
});

test("what Kruise left to a grace is done when the grace is over, and its annotation goes", () => {
  const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
  const state = {
    revision: "r1",
    updateTimestamp: "2026-03-01T12:00:00Z",
    lastContainerStatuses: { main: { imageID: "sha256:a:1" } },
  };
  const grace = { revision: "r1", containerImages: { main: "a:2" }, graceSeconds: 60 };
  rollout.pod.object = mergeObject(rollout.pod.object, {
    metadata: { annotations: { [STATE]: JSON.stringify(state), [GRACE]: JSON.stringify(grace) } },
    status: { conditions: [{ type: "InPlaceUpdateReady", status: "False" }] },
  });
  const overMs = Date.parse("2026-03-01T12:01:00Z");
  expect(rollout.look()).toMatchObject({ is: "waiting", lookAgainAtMs: overMs });
  rollout.pod.nowMs = overMs;
  rollout.act();
  expect(rollout.pod.seen.annotations).not.toHaveProperty(GRACE);
  rollout.settle();
  expect(rollout.pod.images).toEqual({ main: "a:2" });
});

test("a pod that is on its way out is left alone", () => {
  const rollout = new InPlaceRollout({ r1: one("a:1") });
  rollout.pod.object = mergeObject(rollout.pod.object, { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } });
  expect(rollout.look().is).toBe("settled");
});
