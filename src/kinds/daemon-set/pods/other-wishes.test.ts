// What another replica may still do for a wish that is not there any more: who waits for it, and who need not.
import { describe, expect, test } from "vitest";
import { targetOf } from "../../../core/decision/step.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { keyOf } from "../../forecast/paper-shelf.ts";
import { aNode, image, NOON_MS, nodes, rolling, running, type SetOnPaper } from "../testing/set-on-paper.ts";
import { ALONE_MS, SETTLING_MS } from "./other-wishes.ts";

const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });

/** A set on two nodes, of which the first has lost its pod. */
function bereft(spec: JsonObject = {}): SetOnPaper {
  const set = running(spec, nodes(2));
  loses(set, "n0");
  return set;
}

function loses(set: SetOnPaper, node: string): void {
  for (const pod of set.pods.filter((each) => each.node === node)) set.cluster.remove(set.cluster.pods, keyOf(pod));
}

describe("an empty node", () => {
  test("waits while another replica may act upon an older wish, says so, and gets its pod then", () => {
    const set = bereft();
    set.aloneSinceMs = set.nowMs - 1_000;
    const { plan, created } = set.look();
    expect(created).toEqual([]);
    expect(plan.held).toMatchObject([{ node: "n0", reason: "Settling" }]);
    expect(plan.lookAgainAtMs).toBe(set.aloneSinceMs + ALONE_MS);
    expect(set.explain("n0")).toMatchObject({ reason: "Settling" });
    set.nowMs = set.aloneSinceMs + ALONE_MS;
    expect(set.look().created).toHaveLength(1);
  });

  test.each<[string, (set: SetOnPaper) => number]>([
    ["nobody else ever wanted anything else", () => 0],
    ["that was long ago", ({ nowMs }) => nowMs - ALONE_MS],
    ["the clock was set back since", ({ nowMs }) => nowMs + 60_000],
  ])("gets its pod at once when %s", (_when, sinceMs) => {
    const set = bereft();
    set.aloneSinceMs = sinceMs(set);
    expect(set.look().created).toHaveLength(1);
  });

  test("is asked about by the labels that its patches read, and by no others", () => {
    const patch = { spec: { containers: [{ name: "agent", env: [{ name: "A", value: "b" }] }] } };
    const set = bereft({ patches: [{ selector: { matchLabels: { size: "large" } }, patch }] });
    const asked: (readonly string[])[] = [];
    Object.assign(set.cluster, {
      aloneSinceMs: (_set: unknown, _node: string, keys: readonly string[]) => asked.push(keys) && 0,
    });
    set.look();
    expect(asked).toContainEqual(["size"]);
  });

  test.each([
    ["pod by pod", {}],
    ["side by side", surging],
  ])(
    "waits behind a pod that ended, to which another replica may put one that is named otherwise: %s",
    (_how, spec) => {
      const set = running(spec, nodes(1));
      const [pod] = set.pods;
      if (pod !== undefined) set.change(pod, { status: { phase: "Failed", reason: "Evicted" } });
      set.aloneSinceMs = set.nowMs;
      expect(set.look().created).toEqual([]);
      set.nowMs = set.aloneSinceMs + ALONE_MS;
      expect(set.look().created).toHaveLength(1);
    },
  );
});

describe("a node with two pods", () => {
  test.each([
    ["of which the new one serves", surging],
    ["where there should be one", {}],
  ])("keeps both while another replica may be taking one upon an older wish: %s", (_about, strategy) => {
    const set = running(surging, nodes(1));
    set.edit(image("2"));
    set.look();
    set.kubelet();
    set.edit({ updateStrategy: null, ...strategy });
    set.aloneSinceMs = set.nowMs;
    const { plan, deleted } = set.look();
    expect([deleted, set.pods]).toMatchObject([[], { length: 2 }]);
    expect(plan).toMatchObject({
      held: [{ node: "n0", reason: "Settling" }],
      lookAgainAtMs: set.aloneSinceMs + ALONE_MS,
    });
    set.nowMs = set.aloneSinceMs + ALONE_MS;
    expect(set.look().deleted).toHaveLength(1);
  });

  // Of the set alone it is asked without a node.
  test.each([
    ["a pod of the node went since, which tells nothing of the other two", ""],
    ["the labels of the node changed, and nothing else", "n0"],
  ])("keeps both also when %s", (_when, changed) => {
    const set = running(surging, nodes(1));
    set.edit(image("2"));
    set.look();
    set.kubelet();
    const { nowMs } = set;
    Object.assign(set.cluster, { aloneSinceMs: (_set: unknown, node: string) => (node === changed ? nowMs : 0) });
    expect(set.look().deleted).toEqual([]);
    set.nowMs = nowMs + ALONE_MS;
    expect(set.look().deleted).toHaveLength(1);
  });
});

describe.each([
  ["pod by pod", rolling({ maxUnavailable: 1 })],
  ["side by side", surging],
  ["in place", rolling({ rollingUpdateType: "InPlaceIfPossible", maxUnavailable: 1 })],
])("an update %s", (_how, strategy) => {
  const writes = ({ plan }: ReturnType<SetOnPaper["look"]>) =>
    plan.steps.filter((step) => step.do !== "status" && targetOf(step).kind === "Pod").length;

  test("begins at once where the set was at rest: nobody has anything under way", () => {
    const set = running(strategy, nodes(2));
    set.edit(image("2"));
    set.aloneSinceMs = set.nowMs;
    expect(writes(set.look())).toBeGreaterThan(0);
  });

  test("waits where it interrupts another one, with which another replica may go on, and goes on then", () => {
    const set = running(strategy, nodes(2));
    set.edit({ ...image("2"), ...rolling({ paused: true }) });
    set.look();
    set.edit({ ...image("3"), ...rolling({ paused: false }) });
    set.aloneSinceMs = set.nowMs;
    const look = set.look();
    expect(writes(look)).toBe(0);
    expect(look.plan).toMatchObject({ held: [{ reason: "Settling" }, { reason: "Settling" }] });
    expect(look.plan.lookAgainAtMs).toBe(set.aloneSinceMs + ALONE_MS);
    set.nowMs = set.aloneSinceMs + ALONE_MS;
    expect(writes(set.look())).toBeGreaterThan(0);
  });

  test("waits where a node was relabelled a moment ago: another replica may be about to move it", () => {
    const set = running(strategy, nodes(2));
    set.edit(image("2"));
    set.aloneSinceMs = set.nowMs;
    set.relabelledMs.set("n1", set.nowMs - SETTLING_MS - 1_000);
    expect(writes(set.look())).toBe(0);
  });
});

test("old revisions stay while another replica may make pods of them, and so does one that was just made", () => {
  const set = running({ revisionHistoryLimit: 0 }, nodes(1));
  const names = () => set.cluster.ownedBy("set-uid", "ControllerRevision").map(({ name }) => name);
  set.edit(image("2"));
  set.aloneSinceMs = NOON_MS + 1_000_000;
  set.settle();
  set.nowMs = NOON_MS + 1_000_000;
  expect([names().length, set.decide().lookAgainAtMs]).toEqual([2, set.nowMs + ALONE_MS]);
  set.nowMs += ALONE_MS;
  set.settle();
  expect(names()).toHaveLength(1);
});

test("a node that joins gets its pod at once", () => {
  const set = running({}, nodes(1));
  set.cluster.join(aNode("late"));
  expect(set.look().created).toHaveLength(1);
});
