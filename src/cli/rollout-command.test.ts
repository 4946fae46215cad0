import { describe, expect, test } from "vitest";
import type { JsonObject } from "../core/json/json.ts";
import { play, stageCluster, stageNode, stagePod, stageSet } from "./testing/cli-stage.ts";

const template = (image: string) => ({
  metadata: { labels: { app: "agent" } },
  spec: { containers: [{ name: "main", image }] },
});
const aRevision = (revision: number, image: string, cause = ""): JsonObject => ({
  ...{ apiVersion: "apps/v1", kind: "ControllerRevision", revision },
  metadata: {
    ...{ name: `agent-h${revision}`, namespace: "storage", labels: { "controller-revision-hash": `h${revision}` } },
    ...{ annotations: { "kubernetes.io/change-cause": cause }, creationTimestamp: "2025-12-31T21:00:00Z" },
    ownerReferences: [{ apiVersion: "x/v1", kind: "DaemonSet", name: "agent", uid: "u-agent", controller: true }],
  },
  data: { spec: { template: { ...template(image), $patch: "replace" }, patches: null } },
});
const set = stageSet({
  spec: { template: template("agent:2"), patches: [] },
  status: {
    ...{ observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 },
    conditions: [{ type: "RolledOut", status: "False", reason: "RolloutInProgress", message: "1 node to go" }],
  },
});
const csi = {
  ...{ apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", spec: {} },
  metadata: { name: "csi", namespace: "storage", uid: "u-csi" },
};
const nodes = [stageNode("edge-1"), stageNode("edge-2")];
const objects = [
  ...[...nodes, set, csi, aRevision(1, "agent:1", "first"), aRevision(2, "agent:2")],
  ...[stagePod("edge-1", "u-agent"), stagePod("edge-2", "u-agent")],
];

describe("rollout status", () => {
  test("says how far it is, and exits with 1 until it is done", async () => {
    const { code, out } = await play("rollout status agent --from all.yaml", { "all.yaml": objects });
    expect([code, out]).toEqual([
      1,
      "◌ daemonset/storage/agent   1/2 updated   2/2 fitted\n    RolloutInProgress: 1 node to go\n",
    ]);
  });

  test("says what keeps the pods that it waits for", async () => {
    const stuck = (node: string): JsonObject => ({
      ...stagePod(node, "u-agent", { isReady: false }),
      status: {
        phase: "Pending",
        containerStatuses: [{ name: "main", image: "agent:2", state: { waiting: { reason: "ErrImagePull" } } }],
      },
    });
    const all = [...nodes, set, stuck("edge-1"), stuck("edge-2"), stagePod("edge-3", "u-agent", { isReady: false })];
    const { out } = await play("rollout status agent --from all.yaml", { "all.yaml": all });
    expect(out).toContain("    waits for 2 pods: ErrImagePull of agent:2 (edge-1 edge-2)\n");
    expect(out).toContain("    waits for 1 pod: NotReady (edge-3)\n");
  });

  test("is done only for the spec that is stored", async () => {
    const conditions = [{ type: "RolledOut", status: "True", reason: "Succeeded", message: "" }];
    const done = stageSet({ status: { observedGeneration: 2, conditions } });
    const old = stageSet({ status: { observedGeneration: 1, conditions } });
    expect((await play("rollout status agent --from a.yaml", { "a.yaml": [done] })).code).toBe(0);
    const unseen = await play("rollout status agent --from a.yaml", { "a.yaml": [old] });
    expect([unseen.code, unseen.out]).toEqual([1, expect.stringContaining("has not seen generation 2 yet")]);
  });
});

test("rollout history lists revisions with their age and cause", async () => {
  const { out } = await play("rollout history daemonset/agent --from all.yaml", { "all.yaml": objects });
  expect(out).toMatchInlineSnapshot(`
    "daemonset/storage/agent   2 revisions
    REVISION  HASH  AGE  CHANGE-CAUSE
    1         h1    3h   first
    2         h2    3h   –
    "
  `);
});

describe("rollout undo", () => {
  const path = "/apis/apps.kruise.io/v1beta1/namespaces/storage/daemonsets/agent";
  const back = [
    { op: "test", path: "/metadata/uid", value: "u-agent" },
    { op: "replace", path: "/spec/template", value: template("agent:1") },
    { op: "remove", path: "/spec/patches" },
  ];

  test("shows the plan, asks, and goes back to the template before", async () => {
    const { connect, writes } = stageCluster(objects);
    const asked: string[] = [];
    const askPerson = async (question: string) => {
      asked.push(question);
      return "y";
    };
    const { code, out } = await play("rollout undo agent", {}, { connect, askPerson });
    expect([code, asked]).toEqual([0, ["Proceed? [y/N] "]]);
    expect(out).toContain("daemonset/storage/agent back to revision 1 (h1)");
    expect(out).toContain("Disruption: ");
    expect(out).toContain("daemonset/storage/agent rolled back to revision 1\n");
    expect(writes).toEqual([{ path: expect.stringContaining(path), body: back }]);
  });

  test("changes nothing when the answer is not yes", async () => {
    const { connect, writes } = stageCluster(objects);
    const { code, err } = await play("rollout undo agent", {}, { connect, askPerson: async () => "" });
    expect([code, err, writes]).toEqual([1, "Nothing was changed.", []]);
  });

  test("needs nobody with --yes, and lets the server judge a dry run", async () => {
    const { connect, writes } = stageCluster(objects);
    expect((await play("rollout undo agent --to-revision 1 --yes", {}, { connect })).code).toBe(0);
    expect((await play("rollout undo agent --dry-run", {}, { connect })).out).toContain("revision 1 (dry run)");
    expect(writes.map((write) => write.path.includes("dryRun=All"))).toEqual([false, true]);
  });

  test("tells programs what was done, and with a snapshot what would be", async () => {
    const { connect, writes } = stageCluster(objects);
    const done = JSON.parse((await play("rollout undo agent --yes -o json", {}, { connect })).out);
    const tried = JSON.parse((await play("rollout undo agent --dry-run -o json", {}, { connect })).out);
    const planned = await play("rollout undo agent --from all.yaml -o json", { "all.yaml": objects });
    const told = { kind: "RolloutUndo", object: "daemonset/storage/agent", revision: 1, hash: "h1" };
    expect(done).toMatchObject({
      ...told,
      did: "done",
      plan: { object: { kind: "DaemonSet", namespace: "storage", name: "agent" } },
    });
    expect(tried).toEqual({ ...done, did: "tried" });
    expect([planned.code, JSON.parse(planned.out)]).toEqual([1, { ...done, did: "planned" }]);
    expect(writes).toHaveLength(2);
  });

  test("shows the plan for a snapshot, and writes nothing", async () => {
    const { code, out } = await play("rollout undo agent --from all.yaml", { "all.yaml": objects });
    expect([code, out]).toEqual([1, expect.stringContaining("back to revision 1 (h1)")]);
    expect(out).toContain("Nothing is written to a snapshot.\n");
  });

  test.each([
    ["a program without a word", "rollout undo agent -o yaml", "nobody is asked with -o yaml; add --yes to do it"],
    ["nobody to ask", "rollout undo agent", "nobody is there to ask whether to go on; add --yes"],
    ["a revision that is not there", "rollout undo agent --to-revision 7", "has no revision 7; there is 1, 2"],
    ["a number that is none", "rollout undo agent --to-revision x", "give the number that rollout history shows"],
    ["a kind without history", "rollout undo csi", "a VariantSet keeps no revisions; apply its earlier manifest again"],
    ["an object that is not there", "rollout undo nobody", '"nobody" is not in https://stage; there is variantset/'],
  ])("%s is told on standard error, with exit code 2, and nothing is written", async (_, line, message) => {
    const { connect, writes } = stageCluster(objects);
    const { code, err } = await play(line, {}, { connect });
    expect([code, err, writes]).toEqual([2, expect.stringContaining(message), []]);
  });
});

describe("rollout pause and resume", () => {
  test.each([
    ["pause agent", { rollingUpdate: { paused: true } }, "daemonset/storage/agent paused\n"],
    ["pause csi", { paused: true }, "variantset/storage/csi paused\n"],
  ])("%s writes the field of its kind", async (line, updateStrategy, said) => {
    const { connect, writes } = stageCluster(objects);
    const { code, out } = await play(`rollout ${line}`, {}, { connect });
    expect([code, out]).toEqual([0, said]);
    expect(writes).toMatchObject([
      { body: { metadata: { uid: expect.stringMatching(/^u-/) }, spec: { updateStrategy } } },
    ]);
  });

  test("programs are told whether anything changed", async () => {
    const { connect } = stageCluster(objects);
    const told = async (line: string) => JSON.parse((await play(`rollout ${line} -o json`, {}, { connect })).out);
    const csiPaused = { kind: "RolloutPause", object: "variantset/storage/csi", isPaused: true };
    expect(await told("pause csi --dry-run")).toMatchObject({ ...csiPaused, isChange: true, isDryRun: true });
    expect(await told("resume csi")).toMatchObject({ ...csiPaused, isPaused: false, isChange: false });
  });

  test("resume lets a paused one go on, and says so of one that is not paused", async () => {
    const paused = { ...csi, spec: { updateStrategy: { paused: true } } };
    const { connect, writes } = stageCluster([paused, set]);
    expect((await play("rollout resume csi", {}, { connect })).out).toBe("variantset/storage/csi resumed\n");
    expect((await play("rollout resume agent", {}, { connect })).out).toContain("is not paused\n");
    expect(writes).toMatchObject([{ body: { spec: { updateStrategy: { paused: false } } } }]);
  });
});

test.each(["status", "history", "undo", "pause", "resume"])("rollout %s helps, with examples", async (name) => {
  expect((await play(`rollout ${name} --help`)).out).toContain(`Examples:\n  farrier rollout ${name}`);
});
