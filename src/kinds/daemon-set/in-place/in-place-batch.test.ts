import { describe, expect, test } from "vitest";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { one, opened, templateOf } from "../testing/in-place-rollout.ts";
import { readInPlaceState } from "./in-place-state.ts";

const STATE = "apps.kruise.io/inplace-update-state";

describe("containers with a priority", () => {
  const priorities = { db: "9", app: "5", log: "5" };
  const images = (version: string) => ({ app: `app:${version}`, db: `db:${version}`, log: `log:${version}` });
  const templates = { r1: templateOf(images("1"), priorities), r2: templateOf(images("2"), priorities) };

  test("are updated in batches, each after the one before is ready", () => {
    const rollout = opened(templates);
    rollout.target = "r2";
    rollout.act();
    rollout.pod.sync();
    expect(rollout.pod.images).toEqual({ app: "app:1", db: "db:2", log: "log:1" });
    rollout.act();
    rollout.pod.sync();
    expect(rollout.pod.images).toEqual(images("2"));
    expect(rollout.pod.isReady).toBe(false);
    rollout.settle();
    expect(readInPlaceState(rollout.pod.seen)?.batches).toMatchObject([
      { containers: ["db"] },
      { containers: ["app", "log"] },
    ]);
    expect(rollout.pod.starts).toEqual({ app: 2, db: 2, log: 2 });
  });

  test("wait for a batch that has its image and is not ready", () => {
    const rollout = opened(templates);
    rollout.target = "r2";
    rollout.act();
    const containerStatuses = [
      { name: "db", image: "db:2", imageID: "sha256:db:2", containerID: "c-db-2", ready: false },
    ];
    rollout.pod.object = mergeObject(rollout.pod.object, { status: { containerStatuses } });
    expect(rollout.look()).toMatchObject({
      is: "waiting",
      because: expect.stringContaining("container db must be ready"),
    });
  });

  test("go all at once where Kruise has recorded no order", () => {
    const rollout = opened(templates);
    rollout.target = "r2";
    rollout.act();
    const state = JSON.parse(rollout.pod.seen.annotations[STATE] ?? "");
    const { nextContainerBatches: _order, ...kruise } = state;
    rollout.pod.object = mergeObject(rollout.pod.object, {
      metadata: { annotations: { [STATE]: JSON.stringify(kruise) } },
    });
    rollout.pod.sync();
    rollout.act();
    rollout.pod.sync();
    expect(rollout.pod.images).toEqual(images("2"));
  });
});

describe("a target that changes in the middle", () => {
  const priorities = { db: "9", app: "5" };
  const templates = {
    r1: templateOf({ app: "app:1", db: "db:1" }, priorities),
    r2: templateOf({ app: "app:2", db: "db:2" }, priorities),
    r3: templateOf({ app: "app:1", db: "db:3" }, priorities),
    r4: templateOf({ app: "app:2", db: "db:4" }, priorities),
  };
  const midway = () => {
    const rollout = opened(templates);
    rollout.target = "r2";
    rollout.act();
    return rollout;
  };

  test("is taken up when the kubelet has done what it is doing", () => {
    const rollout = midway();
    rollout.pod.isMirrored = true;
    rollout.target = "r3";
    expect(rollout.look()).toMatchObject({ is: "waiting", steps: [] });
    rollout.pod.sync();
    rollout.settle();
    expect(rollout.pod.images).toEqual({ app: "app:1", db: "db:3" });
    // What had not been updated yet and is asked for as it was is not restarted.
    expect(rollout.pod.starts).toEqual({ app: 1, db: 3 });
  });

  test("keeps what was still to be done of the old one", () => {
    const rollout = midway();
    rollout.pod.sync();
    rollout.target = "r4";
    rollout.settle();
    expect(rollout.pod.images).toEqual({ app: "app:2", db: "db:4" });
    expect(rollout.pod.starts).toEqual({ app: 2, db: 3 });
  });

  test("is taken up at once when the kubelet cannot get the image", () => {
    const rollout = opened(templates);
    rollout.pod.missing.add("db:2");
    rollout.target = "r2";
    rollout.act();
    rollout.pod.sync();
    expect(rollout.look()).toMatchObject({ is: "waiting" });
    rollout.target = "r1";
    expect(rollout.look().is).toBe("moving");
    rollout.settle();
    expect(rollout.pod.images).toEqual({ app: "app:1", db: "db:1" });
    expect(rollout.pod.isReady).toBe(true);
  });
});

test("a container that cannot get its image holds the gate, also when another target leaves it as it is", () => {
  const rollout = opened({
    r1: templateOf({ app: "app:1", db: "db:1" }),
    r2: templateOf({ app: "app:1", db: "db:2" }),
    r3: templateOf({ app: "app:2", db: "db:2" }),
  });
  rollout.pod.missing.add("db:2");
  for (const target of ["r2", "r3"]) {
    rollout.target = target;
    rollout.act();
    rollout.pod.sync();
  }
  expect(rollout.pod.images).toMatchObject({ app: "app:2" });
  expect(rollout.look()).toMatchObject({ is: "waiting", because: expect.stringContaining("container db") });
});

test("a container that crashes after its update is the kubelet's business", () => {
  const rollout = opened({ r1: one("a:1"), r2: one("a:2") });
  rollout.target = "r2";
  rollout.settle();
  rollout.pod.missing.add("a:2");
  rollout.pod.sync();
  expect(rollout.pod.isReady).toBe(false);
  expect(rollout.look().is).toBe("settled");
});
