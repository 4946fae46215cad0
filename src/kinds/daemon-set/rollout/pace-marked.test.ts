// Pods that were marked while they served nobody, and serve when their hook lets go.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { isPreparingDelete, LIFECYCLE_STATE, PREPARING_DELETE } from "../pods/lifecycle.ts";
import { image, never, nodes, rolling, running, SetOnPaper } from "../testing/set-on-paper.ts";

const held = {
  lifecycle: { preDelete: { labelsHandler: { hold: "yes" } } },
  template: {
    metadata: { labels: { app: "agent", hold: "yes" } },
    spec: { containers: [{ name: "agent", image: "registry.example.com/agent:1.0" }] },
  },
};
const mark = { [LIFECYCLE_STATE]: PREPARING_DELETE };
const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });

/** A set whose pods were all marked while none of them served, and of which all serve now. */
function woken(spec: JsonObject): SetOnPaper {
  const set = running({ ...held, ...spec }, nodes(3));
  set.ready(false);
  set.edit(image("2"));
  set.look();
  set.look();
  set.ready();
  return set;
}

const marked = (set: SetOnPaper) => set.pods.filter(isPreparingDelete);
const letGo = (set: SetOnPaper, pod: DaemonPod) => set.change(pod, { metadata: { labels: { hold: null } } });

describe("pods that were marked while they served nobody", () => {
  test("go one after the other once they serve, as the budget says", () => {
    const set = woken(rolling({ maxUnavailable: 1 }));
    expect(marked(set)).toHaveLength(3);
    for (const pod of marked(set)) letGo(set, pod);
    const { deleted, plan } = set.look();
    expect(deleted).toHaveLength(1);
    expect(plan.held.map(({ reason }) => reason)).toEqual(["BudgetSpent", "BudgetSpent"]);
    expect(plan.held[0]?.because).toContain("was asked to go and is in use; 1 node is unavailable or about to be");
    // The next one goes when the first has a successor that serves.
    expect(set.look().deleted).toEqual([]);
    set.ready();
    expect(set.look().deleted).toHaveLength(1);
    expect(set.settle().pods.filter(({ readySinceMs }) => readySinceMs !== undefined)).toHaveLength(3);
    expect(marked(set)).toEqual([]);
  });

  test("go at once as long as they do not, if they are as they were seen", () => {
    const set = woken(rolling({ maxUnavailable: 1 }));
    set.ready(false);
    for (const pod of marked(set)) letGo(set, pod);
    const { plan, deleted } = set.look();
    expect(deleted).toHaveLength(3);
    for (const step of plan.steps) if (step.do === "delete") expect(step.resourceVersion).toBeDefined();
  });

  test("go at once with the old way of counting", () => {
    const set = woken(rolling({ maxUnavailable: 1, strictAvailability: false }));
    for (const pod of marked(set)) letGo(set, pod);
    expect(set.look().deleted).toHaveLength(3);
  });

  test("are not taken out of service by the hook beyond the budget either", () => {
    const lifecycle = { preDelete: { labelsHandler: { hold: "yes" }, markPodNotReady: true } };
    const set = running({ ...held, ...rolling({ maxUnavailable: 1 }), lifecycle }, nodes(3));
    for (const pod of set.pods) set.change(pod, { metadata: { labels: mark } });
    const withdrawn = set.decide().steps.filter((step) => step.do === "patch" && step.subresource === "status");
    expect(withdrawn).toHaveLength(1);
  });

  test("stay in a surge until their successors serve", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [old = never()] = set.pods;
    set.edit(image("2"));
    set.look();
    set.ready(false);
    set.look();
    expect(marked(set).map(({ uid }) => uid)).toEqual([old.uid]);
    set.ready(true, ({ uid }) => uid === old.uid);
    letGo(set, marked(set)[0] ?? never());
    expect(set.look()).toMatchObject({ deleted: [], plan: { held: [{ node: "n0", reason: "HandOver" }] } });
    set.ready();
    expect(set.look().deleted).toEqual([old.name]);
  });

  test("get a successor in a surge where theirs is gone", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [old = never()] = set.pods;
    set.change(old, { metadata: { labels: { ...mark, hold: null } } });
    set.edit(image("2"));
    expect(set.look()).toMatchObject({ created: [expect.anything()], deleted: [] });
    expect(set.look()).toMatchObject({ created: [], deleted: [] });
    set.ready();
    expect(set.look().deleted).toEqual([old.name]);
  });

  test("get one also where they are what their nodes should run", () => {
    const set = running({ ...held, ...surging }, nodes(2));
    for (const pod of set.pods) set.change(pod, { metadata: { labels: { ...mark, hold: null } } });
    const first = set.look();
    expect(first).toMatchObject({ created: [expect.anything()], deleted: [] });
    set.ready();
    expect(set.look()).toMatchObject({ created: [], deleted: [expect.anything()] });
    expect(set.settle().pods).toMatchObject([{ isLeaving: false }, { isLeaving: false }]);
    expect(marked(set)).toEqual([]);
  });

  test("go but for one where several of a node serve, and that one gets a successor", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    set.edit(image("2"));
    set.look();
    set.ready();
    for (const pod of set.pods) set.change(pod, { metadata: { labels: { ...mark, hold: null } } });
    expect(set.look()).toMatchObject({ created: [], deleted: [expect.anything()] });
    expect(set.look()).toMatchObject({ created: [expect.anything()], deleted: [] });
    expect(set.settle().pods).toHaveLength(1);
  });

  test("get none before they are gone where they serve nobody", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [pod = never()] = set.ready(false).pods;
    set.change(pod, { metadata: { labels: { ...mark, hold: null } } });
    expect(set.look()).toMatchObject({ created: [], deleted: [pod.name] });
  });

  test("have nobody make room for them where pods go one after the other", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [old = never()] = set.pods;
    set.edit(image("2"));
    const [next = ""] = set.look().created;
    set.change(old, { metadata: { labels: mark } });
    set.edit({ ...image("3"), ...rolling({ maxSurge: 0, maxUnavailable: 1 }) });
    set.look();
    expect(set.pods.map(({ name }) => name)).toEqual([old.name, next].sort());
    expect(marked(set).map(({ uid }) => uid)).toEqual([old.uid]);
  });

  test("do not wait in a surge for one that nobody wants any more and that does not serve: it makes room", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [old = never()] = set.pods;
    set.edit(image("2"));
    const [bad] = set.look().created;
    set.ready(false);
    set.look();
    set.ready(true, ({ uid }) => uid === old.uid);
    letGo(set, marked(set)[0] ?? never());
    set.edit(image("1.0"));
    for (const pod of set.pods) if (pod.name === bad) letGo(set, pod);
    expect(set.look().deleted).toEqual([bad]);
    const [next = ""] = set.look().created;
    expect(next).not.toBe(old.name);
    set.ready();
    expect(set.look().deleted).toEqual([old.name]);
    expect(set.settle().pods.map(({ name }) => name)).toEqual([next]);
  });

  test("are looked at again when their successor in a surge will have been ready for long enough", () => {
    const set = running({ ...held, ...surging, minReadySeconds: 60 }, nodes(1));
    set.nowMs += 100_000;
    set.edit(image("2"));
    set.look();
    const [old = never()] = set.pods;
    set.change(old, { metadata: { labels: { ...mark, hold: null } } });
    set.ready();
    const readyMs = set.nowMs;
    const { deleted, plan } = set.look();
    expect([deleted, plan.lookAgainAtMs]).toEqual([[], readyMs + 61_000]);
    set.nowMs = readyMs + 61_000;
    expect(set.look().deleted).toEqual([old.name]);
  });

  test("are people's also while they are too young to count as available", () => {
    const set = running({ ...held, ...rolling({ maxUnavailable: 1 }), minReadySeconds: 60 }, nodes(3));
    set.nowMs += 100_000;
    set.ready(false).ready();
    for (const pod of set.pods) set.change(pod, { metadata: { labels: { ...mark, hold: null } } });
    expect(set.look().deleted).toEqual([]);
    set.nowMs += 60_000;
    expect(set.look().deleted).toHaveLength(1);
  });

  test("cost nothing more while they are too young, and no more than may be are away", () => {
    const set = running({ ...held, ...rolling({ maxUnavailable: 1 }), minReadySeconds: 60 }, nodes(3));
    set.nowMs += 100_000;
    const [pod = never()] = set.pods;
    set.ready(false, ({ uid }) => uid === pod.uid).ready();
    set.change(pod, { metadata: { labels: { ...mark, hold: null } } });
    expect(set.look().deleted).toEqual([pod.name]);
  });

  test("go at once where pods are updated when somebody deletes them", () => {
    const set = woken(rolling({ maxUnavailable: 1 }));
    set.edit({ updateStrategy: { type: "OnDelete", rollingUpdate: null } });
    for (const pod of marked(set)) letGo(set, pod);
    expect(set.look().deleted).toHaveLength(3);
  });

  test("wait for no slot where nothing is to be done about them yet", () => {
    const set = woken(rolling({ maxUnavailable: 1 }));
    // These pods were made without the gate by which they would leave the service.
    set.edit({ lifecycle: { preDelete: { labelsHandler: { hold: "yes" }, markPodNotReady: true } } });
    const [first, ...others] = marked(set).toSorted((a, b) => (a.node < b.node ? -1 : 1));
    expect(first?.node).toBe("n0");
    for (const pod of others) letGo(set, pod);
    expect(set.look().deleted).toHaveLength(1);
  });

  test("stay where nothing could come after them", () => {
    const set = running({ ...held, ...rolling({ maxUnavailable: 1 }) }, nodes(1, { a: "1" }));
    const patch = { spec: { containers: [{ name: "nobody", args: [] }] } };
    set.edit({ patches: [{ selector: { matchLabels: { a: "1" } }, patch }] });
    for (const pod of set.pods) set.change(pod, { metadata: { labels: { ...mark, hold: null } } });
    expect(set.look()).toMatchObject({ deleted: [], plan: { held: [{ node: "n0", reason: "PatchRejected" }] } });
  });

  test("get a successor in a surge although a selector leaves the node out, and wait while it is paused", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [old = never()] = set.pods;
    set.change(old, { metadata: { labels: { ...mark, hold: null } } });
    const selector = { matchLabels: { canary: "yes" } };
    set.edit({ ...image("2"), ...rolling({ maxSurge: 1, maxUnavailable: 0, selector, paused: true }) });
    expect(set.look()).toMatchObject({ created: [], deleted: [], plan: { held: [{ reason: "PausedByUser" }] } });
    set.edit(rolling({ paused: false }));
    expect(set.look().created).toHaveLength(1);
    expect(set.ready().look().deleted).toEqual([old.name]);
  });

  test("hide no trouble of their successors", () => {
    const set = running({ ...held, ...surging }, nodes(1));
    const [old = never()] = set.pods;
    set.change(old, { metadata: { labels: { ...mark, hold: null } } });
    set.edit(image("2"));
    const fail = () => {
      for (const pod of set.pods.filter(({ uid }) => uid !== old.uid)) {
        set.change(pod, { metadata: { labels: { hold: null } }, status: { phase: "Failed", reason: "Evicted" } });
      }
    };
    set.look();
    fail();
    set.look();
    fail();
    set.nowMs -= 1_000;
    expect(set.look().plan.held).toMatchObject([{ node: "n0", reason: "FailedDaemonPod" }]);
  });

  test("leave no room for others where the scaling is partitioned", () => {
    const spec = { ...held, scaleStrategy: { partitionedScaling: true }, ...rolling({ partition: 1 }) };
    const set = new SetOnPaper(spec, nodes(3));
    set.look();
    set.ready();
    expect(set.pods).toHaveLength(2);
    set.change(set.pods[0] ?? never(), { metadata: { labels: mark } });
    expect(set.look().created).toEqual([]);
  });
});
