import { describe, expect, test } from "vitest";
import { CLASH_LOOK_MS } from "./decide.ts";
import { conditions, ids, image, NEW, nodes, OLD } from "./testing/old-and-new.ts";
import { aNodeObject, aSetObject, NOON, PaperSet } from "./testing/paper-set.ts";

describe("images that must be there", () => {
  const set = aSetObject({ requireImage: true });
  const present = { is: "present", digest: "sha256:x", askedMs: 0 } as const;
  test("are asked for, and nothing is made of a variant before they are", () => {
    const world = new PaperSet([...nodes("a"), aNodeObject("c", { kernel: OLD })], set);
    world.images.set(image("new"), present);
    world.images.set(image("old"), { is: "missing", askedMs: 0 });
    const { asks } = world.kind.observe(world.cluster, world.stored).decide(NOON);
    expect(asks.map(({ image: asked, was }) => `${asked} ${was.is}`)).toEqual([
      `${image("new")} present`,
      `${image("old")} missing`,
    ]);
    world.settle();
    expect([world.running(), world.bindings().c]).toEqual([[`a ${image("new")}`], undefined]);
    expect(conditions(world)).toMatchObject({ Ready: "False ImageMissing", ImagesAvailable: "False ImageMissing" });
    expect(world.status).toMatchObject({
      variants: [{ imageState: "Present" }, { imageState: "Missing", deployed: false }],
    });
  });

  test("keep the old DaemonSet as it is until they are", () => {
    const world = new PaperSet(nodes("a"), set);
    world.images.set(image("new"), present);
    world.settle();
    world.edit({ variants: [{ name: "new", match: { kernel: ">=5.4" }, images: { agent: image("v2") } }] });
    world.settle();
    expect(world.running()).toEqual([`a ${image("new")}`]);
    expect(conditions(world)).toMatchObject({ Ready: "False Progressing", RolledOut: "False RolloutInProgress" });
    world.images.set(image("v2"), { is: "missing", askedMs: 0 });
    world.settle();
    expect(conditions(world)).toMatchObject({ Ready: "False ImageMissing", RolledOut: "False RolloutInProgress" });
    expect(world.status).toMatchObject({ nodes: { held: 1, fitted: 0 }, variants: [{ ready: 1, updated: 0 }] });
    world.images.set(image("v2"), present);
    world.settle();
    expect(world.running()).toEqual([`a ${image("v2")}`]);
  });
});

describe("somebody else", () => {
  test("may be another variant of the set that keeps its DaemonSet: the name is listed once, for the one that has it", () => {
    const named = (name: string, kernel: string, more = {}) => ({ name, match: { kernel }, ...more });
    const daemonSetName = "agent";
    const world = new PaperSet(
      [...nodes("a"), aNodeObject("b", { kernel: OLD })],
      aSetObject({ variants: [named("one", ">=5.4", { daemonSetName })] }),
    ).settle();
    world.edit({ variants: [named("one", ">=5.4"), named("two", "<5.4", { daemonSetName })] });
    world.settle();
    expect(conditions(world)).toMatchObject({ Stalled: "True NameConflict", RolledOut: "False RolloutInProgress" });
    expect(world.status.variants).toMatchObject([{ name: "one", daemonSet: "agent", deployed: true }]);
    world.edit({ variants: [named("one", ">=5.4"), named("two", "<5.4")] });
    expect(world.settle().bindings()).toEqual({ a: "one", b: "two" });
  });

  test("who has the name of a DaemonSet is told of and left alone", () => {
    const variants = [{ name: "new", match: { kernel: ">=5.4" }, daemonSetName: "taken" }];
    const foreign = {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", spec: {} },
      metadata: {
        name: "taken",
        namespace: "storage",
        uid: "f",
        ownerReferences: [{ uid: "other", controller: true, name: "o", kind: "O" }],
      },
    };
    const world = new PaperSet(nodes("a"), aSetObject({ variants }), [foreign]).settle();
    expect(conditions(world)).toMatchObject({ Stalled: "True NameConflict", Ready: "False NameConflict" });
    expect(world.bindings()).toEqual({ a: undefined });
    // Nobody wakes us when that name becomes free.
    expect(world.plan().lookAgainAtMs).toBe(world.nowMs + CLASH_LOOK_MS);
    world.cluster.remove(world.cluster.workloads, "storage/taken");
    expect(world.settle().bindings()).toEqual({ a: "new" });
  });

  test("who writes the label of the set is not undone, and does not take the set's pods away with the label", () => {
    const key = "example.com/variant";
    const trace = "agent.storage.trace.variant.farrier.dev/set";
    const world = new PaperSet(
      [
        aNodeObject("a", { kernel: NEW, labels: { [key]: "new" } }),
        aNodeObject("out", { kernel: "3.1.0", labels: { [key]: "x" } }),
      ],
      aSetObject({ nodeLabel: key, variants: [{ name: "new", match: { kernel: ">=5.4" } }] }),
    );
    expect(ids(world.settle().plan())).toEqual([]);
    // Applied by us too, the label stays when the other one gives it up.
    expect(world.labelsOf("a")).toEqual({ [key]: "new", [trace]: "true" });
    expect(world.labelsOf("out")).toEqual({ [key]: "x" });
  });

  test("a node that does not take its label keeps nobody else from moving, and is tried again when all others have moved", () => {
    const world = new PaperSet(nodes("a", "b", "c")).settle();
    const refusal = { reason: "ApiTrouble", because: "nobody answers" };
    Object.assign(world.cluster, {
      refusal: (_uid: string, _kind: string, name: string) => (name === "a" ? refusal : undefined),
    });
    world.edit({ variants: [{ name: "newer", match: { kernel: ">=5.4" } }] });
    const moved: string[] = [];
    for (let round = 0; round < 20; round++) {
      const steps = world.plan().steps.flatMap((step) => (step.do === "apply" && "gone" in step ? [step] : []));
      for (const { object } of steps) moved.push(object.metadata.name);
      if (steps.some(({ object }) => object.metadata.name === "a")) break;
      world.act();
      world.follow();
    }
    expect(moved).toEqual(["b", "c", "a"]);
    expect(world.bindings()).toEqual({ a: "new", b: "newer", c: "newer" });
  });

  test("a node whose label somebody holds is told with that, by the status and by explaining, until it takes the label", () => {
    const refusal = { reason: "LabelContested", because: 'the label is held by "other"' };
    const world = new PaperSet(nodes("a")).settle();
    world.edit({ variants: [{ name: "newer", match: { kernel: ">=5.4" } }] });
    Object.assign(world.cluster, { refusal: (_uid: string, kind: string) => (kind === "Node" ? refusal : undefined) });
    const explained = () => world.kind.observe(world.cluster, world.stored).explain("a", world.nowMs);
    const [status] = world.plan().steps.flatMap((step) => (step.do === "status" ? [step.status] : []));
    expect(status).toMatchObject({
      nodes: { fitted: 0, held: 1 },
      problems: [{ variant: "newer", reason: "LabelContested", message: refusal.because, examples: ["a"] }],
    });
    expect(status?.conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "LabelContested" },
      { type: "Reconciling", status: "False" },
      ...[{}, {}],
    ]);
    expect(explained()).toMatchObject({ ...refusal, gets: "newer", runs: "new" });
    Object.assign(world.cluster, { refusal: () => undefined });
    expect(explained()?.reason).toBe("Progressing");
  });

  test("who changes a DaemonSet of ours has it put right", () => {
    const world = new PaperSet(nodes("a")).settle();
    const [object] = world.cluster.workloads.objects();
    world.cluster.put({ ...object, spec: { ...Object(object?.spec), updateStrategy: { type: "RollingUpdate" } } });
    expect(ids(world.plan(), "apply")).toHaveLength(1);
    world.settle();
    expect(world.cluster.workloads.values()[0]?.spec.updateStrategy).toEqual({ type: "OnDelete" });
  });
});

describe("a change of the template", () => {
  const start = () => new PaperSet(nodes("a", "b")).settle();
  const newer = { variants: [{ name: "new", match: { kernel: ">=5.4" }, images: { agent: image("newer") } }] };
  /** The status that a plan tells, or the stored one if it tells none. */
  const told = (world: PaperSet) =>
    world.plan().steps.flatMap((step) => (step.do === "status" ? [step.status] : []))[0] ?? world.status;
  const underWay = {
    ...{ observedGeneration: 2, nodes: { fitted: 0, held: 2 }, variants: [{ updated: 0, ready: 2 }] },
    conditions: [
      { type: "Ready", status: "False", reason: "Progressing" },
      { type: "Reconciling", status: "True" },
      { type: "Stalled", status: "False" },
      { type: "RolledOut", status: "False" },
    ],
  };

  test("is not called done by the status that first speaks of it", () => {
    const world = start();
    world.edit(newer);
    expect(told(world)).toMatchObject(underWay);
    expect(ids(world.plan(), "delete")).toEqual([]);
  });

  test("is not called done while the revision of the new template is not there", () => {
    const world = start();
    world.edit(newer);
    world.act();
    expect(told(world)).toMatchObject(underWay);
    world.settle();
    expect(world.status).toMatchObject({ observedGeneration: 2, nodes: { fitted: 2 }, variants: [{ updated: 2 }] });
  });

  test("that the API server refuses is told with what it says, and pods stay as they are", () => {
    const world = start();
    world.edit(newer);
    const refusal = { reason: "InvalidSpec", because: "422 Invalid" };
    Object.assign(world.cluster, {
      refusal: (_uid: string, kind: string) => (kind === "DaemonSet" ? refusal : undefined),
    });
    expect(told(world)).toMatchObject({
      ...{ nodes: { fitted: 0, held: 2 }, variants: [{ updated: 0, ready: 2 }] },
      problems: [{ variant: "new", reason: "InvalidSpec", message: "422 Invalid", nodes: 2 }],
    });
    expect(told(world).conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "InvalidSpec" },
      { type: "Reconciling", status: "False" },
      ...[{}, {}],
    ]);
    expect([ids(world.plan(), "apply").length, ids(world.plan(), "delete")]).toEqual([1, []]);
  });

  test("so it is with a DaemonSet that cannot be made: it is tried again, and no label points to it", () => {
    const refusal = { reason: "InvalidSpec", because: "422 Invalid" };
    const world = new PaperSet(nodes("a"));
    Object.assign(world.cluster, {
      refusal: (_uid: string, kind: string) => (kind === "DaemonSet" ? refusal : undefined),
    });
    expect(told(world)).toMatchObject({ nodes: { held: 1 }, problems: [{ reason: "InvalidSpec", nodes: 1 }] });
    expect(ids(world.plan(), "apply")).toEqual([expect.stringContaining("DaemonSet")]);
  });

  test("by somebody else is put back, and no pod is taken for it, since all are as they should be", () => {
    const world = start();
    const [object] = world.cluster.workloads.objects();
    const spec = structuredClone(Object(object?.spec));
    spec.template.spec.containers[0].image = image("by-hand");
    world.cluster.put({ ...object, metadata: { ...Object(object?.metadata), generation: 9 }, spec });
    world.follow();
    const plan = world.plan();
    expect([ids(plan, "apply").length, ids(plan, "delete")]).toEqual([1, []]);
    expect(world.settle().running()).toEqual([`a ${image("new")}`, `b ${image("new")}`]);
  });
});

describe("a set that breaks a rule", () => {
  test("is left as it is, and its status names the field, the value and the remedy", () => {
    const world = new PaperSet(nodes("a")).settle();
    world.edit({ variants: [{ name: "new", match: { kernel: "5.4 &" } }] });
    world.settle();
    expect(world.bindings()).toEqual({ a: "new" });
    expect(conditions(world)).toMatchObject({ Ready: "False InvalidSpec", Stalled: "True InvalidSpec" });
    expect(JSON.stringify(world.status.conditions)).toContain("spec.variants[0].match.kernel");
  });
});

describe("a set that is gone", () => {
  test("is named by the labels that it left, which are taken away with all else that it applied", () => {
    const set = aSetObject({ nodeLabel: "example.com/variant" });
    const world = new PaperSet(nodes("a"), set).settle();
    const [node] = world.cluster.nodes;
    if (node === undefined) throw new Error("there is a node");
    expect(world.kind.traces?.leftOn(node)).toEqual([{ namespace: "storage", name: "agent" }]);
    for (const step of world.kind.traces?.clear(world.cluster, { namespace: "storage", name: "agent" }).steps ?? [])
      world.cluster.perform(step, NOON);
    expect(world.labelsOf("a")).toEqual({});
    expect(world.kind.traces?.clear(world.cluster, { namespace: "storage", name: "agent" }).steps).toEqual([]);
  });
});
