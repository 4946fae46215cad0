import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { mergeObject } from "../../core/merge-patch.ts";
import { orderPlan } from "../../core/plan.ts";
import { type InPlaceProgress, isMadeForInPlace, startInPlace, tendInPlace } from "./in-place.ts";
import { changeInPlace } from "./in-place-change.ts";
import { InPlacePod } from "./in-place-pod.ts";
import { readInPlaceState } from "./in-place-state.ts";

const HASH = "controller-revision-hash";
const STATE = "apps.kruise.io/inplace-update-state";
const GRACE = "apps.kruise.io/inplace-update-grace";

type Images = Readonly<Record<string, string>>;

/** Containers with a priority are updated in that order. */
function templateOf(images: Images, priorities: Readonly<Record<string, string>> = {}): JsonObject {
  const containers = Object.entries(images).map(([name, image]) => {
    const value = priorities[name];
    return { name, image, ...(value === undefined ? {} : { env: [{ name: "KRUISE_CONTAINER_PRIORITY", value }] }) };
  });
  return { metadata: { labels: { app: "a" } }, spec: { containers } };
}

/** A pod of a rolling set: looks take it to its target, and tend it otherwise. */
class Rollout {
  readonly pod: InPlacePod;
  readonly templates: Record<string, JsonObject>;
  target: string;

  constructor(templates: Record<string, JsonObject>, gates?: readonly string[]) {
    this.templates = templates;
    const [first = ""] = Object.keys(templates);
    this.target = first;
    this.pod = new InPlacePod(mergeObject(templates[first] ?? {}, { metadata: { labels: { [HASH]: first } } }), gates);
  }

  get revision(): string {
    return this.pod.seen.labels[HASH] ?? "";
  }

  look(graceSeconds = 0): InPlaceProgress {
    const pod = this.pod.seen;
    if (this.revision === this.target) return tendInPlace(pod, this.pod.nowMs);
    const [before = {}, after = {}] = [this.templates[this.revision], this.templates[this.target]];
    const verdict = changeInPlace(before, after, { canResize: true });
    if (!verdict.can) throw new Error(verdict.because);
    const target = { change: verdict.change, revision: this.target, labels: { [HASH]: this.target }, annotations: {} };
    return startInPlace(pod, { ...target, graceSeconds }, this.pod.nowMs);
  }

  /** Looks, and performs as many of the steps as are asked for; then a second passes. */
  act(steps = Number.POSITIVE_INFINITY, graceSeconds = 0): InPlaceProgress {
    const progress = this.look(graceSeconds);
    const ordered = orderPlan({ steps: progress.steps, held: [] }).steps.slice(0, steps);
    for (const step of ordered) if (step.do === "patch") this.pod.perform(step);
    this.pod.nowMs += 1_000;
    return progress;
  }

  /** Operator and kubelet take turns until nothing is left to do. */
  settle(): void {
    for (let turn = 0; turn < 30; turn++) {
      this.pod.sync();
      if (this.act().is === "settled" && this.revision === this.target) {
        this.pod.sync();
        return;
      }
    }
    throw new Error(`it does not settle: ${this.look().because}`);
  }
}

const one = (image: string) => templateOf({ main: image });

function opened(templates: Record<string, JsonObject>): Rollout {
  const rollout = new Rollout(templates);
  rollout.settle();
  return rollout;
}

describe("a new pod", () => {
  test("waits for its gate, which the first look opens", () => {
    const rollout = new Rollout({ r1: one("a:1") });
    expect(rollout.pod.isReady).toBe(false);
    expect(rollout.act()).toMatchObject({ is: "moving", steps: [{ subresource: "status" }] });
    rollout.pod.sync();
    expect(rollout.pod.isReady).toBe(true);
    expect(rollout.look()).toEqual({ is: "settled", because: "", steps: [] });
  });

  test("with Kruise's own gate gets that opened, too, unless somebody has set it", () => {
    const gates = ["InPlaceUpdateReady", "KruisePodReady", "example.org/other"];
    const [step] = new Rollout({ r1: one("a:1") }, gates).look().steps;
    expect(step?.patch).toMatchObject({
      status: { conditions: [{ type: "InPlaceUpdateReady" }, { type: "KruisePodReady", status: "True" }] },
    });
    const shut = new Rollout({ r1: one("a:1") }, ["KruisePodReady"]);
    const conditions = [{ type: "KruisePodReady", status: "False" }];
    shut.pod.object = mergeObject(shut.pod.object, { status: { conditions } });
    expect(shut.look().is).toBe("settled");
  });

  test("without gates is nobody's business, and cannot be updated in place", () => {
    const rollout = new Rollout({ r1: one("a:1") }, []);
    expect(rollout.look().is).toBe("settled");
    expect(isMadeForInPlace(rollout.pod.seen)).toBe(false);
    expect(isMadeForInPlace(new Rollout({ r1: one("a:1") }).pod.seen)).toBe(true);
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
  const report = (rollout: Rollout, status: JsonObject) => {
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
  const rollout = new Rollout({ r1: one("a:1") });
  rollout.pod.object = mergeObject(rollout.pod.object, { metadata: { deletionTimestamp: "2026-03-01T12:00:00Z" } });
  expect(rollout.look().is).toBe("settled");
});

describe("whatever happens", () => {
  const version = fc.integer({ min: 1, max: 3 });
  const template = fc.record({ app: version, db: version, log: version });
  const happening = fc.oneof(
    fc.record({ what: fc.constant("act" as const), steps: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ what: fc.constant("sync" as const), only: fc.subarray(["app", "db", "log"]) }),
    fc.record({ what: fc.constant("target" as const), to: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ what: fc.constant("registry" as const), lacks: fc.constantFrom("db:2", "app:3") }),
  );

  test("a crash after any step, a late kubelet and new targets end in the state of the last target, and in rest", () => {
    fc.assert(
      fc.property(
        fc.array(template, { minLength: 3, maxLength: 3 }),
        fc.array(happening, { maxLength: 14 }),
        fc.record({ areDigestsEqual: fc.boolean(), isMirrored: fc.boolean() }),
        (versions, happenings, { areDigestsEqual, isMirrored }) => {
          const priorities = { db: "9", app: "5" };
          const templates = Object.fromEntries(
            versions.map(({ app, db, log }, index) => [
              `r${index}`,
              templateOf({ app: `app:${app}`, db: `db:${db}`, log: `log:${log}` }, priorities),
            ]),
          );
          const rollout = opened(templates);
          rollout.pod.isMirrored = isMirrored;
          if (areDigestsEqual) rollout.pod.digests = new Proxy({}, { get: () => "sha256:same" });
          for (const each of happenings) {
            if (each.what === "act") rollout.act(each.steps);
            else if (each.what === "sync") rollout.pod.sync(each.only);
            else if (each.what === "target") rollout.target = `r${each.to}`;
            else rollout.pod.missing.add(each.lacks);
          }
          rollout.pod.missing.clear();
          rollout.settle();
          const { app, db, log } = versions[Number(rollout.target.slice(1))] ?? { app: 0, db: 0, log: 0 };
          expect(rollout.pod.images).toEqual({ app: `app:${app}`, db: `db:${db}`, log: `log:${log}` });
          expect(rollout.revision).toBe(rollout.target);
          expect(rollout.pod.isReady).toBe(true);
          expect(rollout.look()).toEqual({ is: "settled", because: "", steps: [] });
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a pod serves with the image that its revision names, or its gate is shut", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 14 }), (happenings) => {
        const rollout = opened({ r0: one("a:1"), r1: one("a:2"), r2: one("a:3") });
        for (const each of happenings) {
          if (each.what === "act") rollout.act(each.steps);
          else if (each.what === "sync") rollout.pod.sync();
          else if (each.what === "target") rollout.target = `r${each.to}`;
          const wanted = `a:${Number(rollout.revision.slice(1)) + 1}`;
          if (rollout.pod.isReady) expect(rollout.pod.images).toEqual({ main: wanted });
        }
      }),
      { numRuns: 500 },
    );
  });
});
