import { describe, expect, test } from "vitest";
import { type Berth, type BerthPod, DAMPING_MS, type Family, type FamilyWorkload, type Wish } from "./berth.ts";
import { type Fitting, fitNodes } from "./fitting.ts";

const NOW = 1_000_000;
const there: FamilyWorkload = { exists: true, isOpen: false, wait: undefined };
const wants = (key: string): Wish => ({ kind: "workload", key });
const aPod = (key: string, pod: Partial<BerthPod<string>> = {}): BerthPod<string> => ({
  ...{ pod: `pod of ${key}`, key, isCurrent: true, isLeaving: false, availableFromMs: 0 },
  ...pod,
});
const aBerth = (node: string, berth: Partial<Berth<string>> = {}): Berth<string> => ({
  ...{
    node,
    wish: wants("new"),
    wishSinceMs: 0,
    boundTo: undefined,
    pods: [],
    areSomeUnseen: false,
    isNodeReady: true,
  },
  ...berth,
});
const count = (limit: number) => ({ kind: "count" as const, count: limit });
const aFamily = (family: Partial<Family> = {}): Family => ({
  workloads: new Map([
    ["old", there],
    ["new", there],
  ]),
  nodeCount: 10,
  strategy: { maxUnavailable: count(1), maxParallel: count(10), isPaused: false },
  ...family,
});
const running = (node: string, key: string, berth: Partial<Berth<string>> = {}) =>
  aBerth(node, { boundTo: key, pods: [aPod(key)], ...berth });

/** What is done, in words: the rest of the fitting is looked at where it matters. */
const acts = ({ binds, unbinds, deletes }: Fitting<string>) => [
  ...binds.map(({ node, key }) => `bind ${node} to ${key}`),
  ...unbinds.map(({ node }) => `unbind ${node}`),
  ...deletes.map(({ node, pod }) => `delete ${pod} on ${node}`),
];
const holds = ({ held, starting }: Fitting<string>) =>
  [...held, ...starting].map(({ node, reason }) => `${node} ${reason}`);

type Row = {
  readonly name: string;
  readonly berth: Partial<Berth<string>>;
  readonly does: readonly string[];
  readonly says?: string;
};

describe("one node", () => {
  const rows: readonly Row[] = [
    { name: "is bound at once when it has nothing", berth: {}, does: ["bind a to new"] },
    {
      name: "is bound although its facts are young, since nothing can be lost",
      berth: { wishSinceMs: NOW },
      does: ["bind a to new"],
    },
    {
      name: "is left in peace when it serves what it should",
      berth: { boundTo: "new", pods: [aPod("new")] },
      does: [],
    },
    {
      name: "stays while what it is bound to counts a pod that is not seen: the watch may be deaf",
      berth: { boundTo: "old", areSomeUnseen: true },
      does: [],
      says: "a Progressing",
    },
    {
      name: "is not ridded of what it cannot run while a pod of it may be there unseen",
      berth: { boundTo: "old", areSomeUnseen: true, wish: { kind: "rid" } },
      does: [],
      says: "a Progressing",
    },
    {
      name: "moves although others of its workload are not seen, once its own pod is",
      berth: { boundTo: "old", pods: [aPod("old")], areSomeUnseen: true },
      does: ["unbind a"],
    },
    {
      name: "is unbound first when it should run something else",
      berth: { boundTo: "old", pods: [aPod("old")] },
      does: ["unbind a"],
    },
    { name: "is not bound while the old pod is there", berth: { pods: [aPod("old")] }, does: [], says: "a HandOver" },
    {
      name: "is not bound while the old pod is leaving",
      berth: { pods: [aPod("old", { isLeaving: true })] },
      does: [],
      says: "a HandOver",
    },
    {
      name: "is not bound while the caller sees an obstacle",
      berth: { obstacle: "another driver is on it" },
      does: [],
      says: "a HandOver",
    },
    {
      name: "is bound again when somebody took the label of a pod that is right",
      berth: { pods: [aPod("new")] },
      does: ["bind a to new"],
    },
    { name: "waits for its pod", berth: { boundTo: "new" }, does: [], says: "a Progressing" },
    {
      name: "waits for its pod to be ready",
      berth: { boundTo: "new", pods: [aPod("new", { availableFromMs: undefined })] },
      does: [],
      says: "a Progressing",
    },
    {
      name: "gets a new pod when its own is outdated",
      berth: { boundTo: "new", pods: [aPod("new", { isCurrent: false })] },
      does: ["delete pod of new on a"],
    },
    {
      name: "does not have a leaving pod deleted again",
      berth: { boundTo: "new", pods: [aPod("new", { isCurrent: false, isLeaving: true })] },
      does: [],
      says: "a Progressing",
    },
    {
      name: "is unbound when it should have nothing",
      berth: { wish: { kind: "nothing" }, boundTo: "old", pods: [aPod("old")] },
      does: ["unbind a"],
    },
    {
      name: "is unbound when what it is bound to cannot work there",
      berth: { wish: { kind: "rid" }, boundTo: "old", pods: [aPod("old")] },
      does: ["unbind a"],
    },
    { name: "is rid of nothing when it has nothing", berth: { wish: { kind: "rid" } }, does: [] },
    {
      name: "is left alone when it should have nothing and has nothing",
      berth: { wish: { kind: "nothing" } },
      does: [],
    },
    { name: "keeps what it has", berth: { wish: { kind: "same" }, boundTo: "old", pods: [aPod("old")] }, does: [] },
    { name: "keeps nothing, if it has nothing", berth: { wish: { kind: "same" } }, does: [] },
    {
      name: "keeps its workload, whose update it gets",
      berth: { wish: { kind: "same" }, boundTo: "old", pods: [aPod("old", { isCurrent: false })] },
      does: ["delete pod of old on a"],
    },
    {
      name: "is not touched at all when a taint keeps pods away",
      berth: { wish: { kind: "untouched" }, boundTo: "old", pods: [aPod("old", { isCurrent: false })] },
      does: [],
    },
    {
      name: "is bound anew at once when its label points to nothing",
      berth: { boundTo: "gone" },
      does: ["bind a to new"],
    },
    {
      name: "loses a label that points to nothing when it cannot be bound yet",
      berth: { boundTo: "gone", pods: [aPod("gone")] },
      does: ["unbind a"],
    },
    {
      name: "loses a label that points to nothing also when it should keep what it has",
      berth: { wish: { kind: "same" }, boundTo: "gone" },
      does: ["unbind a"],
    },
  ];
  test.each(rows)("$name", ({ berth, does, says }) => {
    const fitting = fitNodes([aBerth("a", berth)], aFamily(), NOW);
    expect(acts(fitting)).toEqual(does);
    expect(holds(fitting)).toEqual(says === undefined ? [] : [says]);
  });
});

describe("damping", () => {
  const young = { wishSinceMs: NOW - DAMPING_MS + 1 };
  test.each([
    { name: "a bound node that wants something else", wish: wants("new") },
    { name: "a bound node that wants nothing", wish: { kind: "nothing" } as const },
    { name: "a bound node that must be rid of it", wish: { kind: "rid" } as const },
  ])("$name is held until the wish has lasted", ({ wish }) => {
    const fitting = fitNodes([running("a", "old", { ...young, wish })], aFamily(), NOW);
    expect(acts(fitting)).toEqual([]);
    expect(holds(fitting)).toEqual(["a Settling"]);
    expect(fitting.lookAgainAtMs).toBe(NOW + 1);
    expect(acts(fitNodes([running("a", "old", { ...young, wish })], aFamily(), NOW + 1))).toEqual(["unbind a"]);
  });
});

describe("the budget", () => {
  const outdated = running("b", "new", { pods: [aPod("new", { isCurrent: false })] });
  test.each([
    { name: "a node that must be rid of what it has, while that settles,", wishSinceMs: NOW, does: [] },
    { name: "a node that is being rid of what it has", wishSinceMs: 0, does: ["unbind a"] },
  ])("is spent by $name since it is down already", ({ wishSinceMs, does }) => {
    const lame = running("a", "old", { wish: { kind: "rid" }, wishSinceMs });
    expect(acts(fitNodes([lame, outdated], aFamily(), NOW))).toEqual(does);
    const unasked = { ...lame, wish: { kind: "nothing" } as const };
    expect(acts(fitNodes([unasked, outdated], aFamily(), NOW))).toEqual([...does, "delete pod of new on b"]);
    const isSilent = { ...lame, isNodeReady: false };
    expect(acts(fitNodes([isSilent, outdated], aFamily(), NOW))).toEqual([...does, "delete pod of new on b"]);
  });

  test("is one for hand-overs and updates together", () => {
    const fitting = fitNodes([running("a", "old"), outdated, running("c", "old")], aFamily(), NOW);
    expect(acts(fitting)).toEqual(["unbind a"]);
    expect(holds(fitting)).toEqual(["b BudgetSpent", "c BudgetSpent"]);
  });

  test.each([
    { name: "a node in the middle of its hand-over", berth: aBerth("a", { pods: [aPod("old", { isLeaving: true })] }) },
    { name: "a node that was unbound and whose pod has not noticed", berth: aBerth("a", { pods: [aPod("old")] }) },
    {
      name: "a node whose new pod does not become ready",
      berth: running("a", "new", { pods: [aPod("new", { availableFromMs: undefined })] }),
    },
    { name: "a node that is bound in this very plan", berth: aBerth("a") },
  ])("$name spends it, so a failing rollout stops by itself", ({ berth }) => {
    expect(fitNodes([berth, running("b", "old")], aFamily(), NOW).unbinds).toEqual([]);
  });

  test.each([
    { name: "a node that is not ready", berth: aBerth("a", { boundTo: "new", isNodeReady: false }) },
    { name: "a node that waits for its image", berth: aBerth("a", { wish: wants("imageless") }) },
    { name: "a node that leaves", berth: running("a", "old", { wish: { kind: "nothing" } }) },
  ])("$name does not spend it", ({ berth }) => {
    const waiting = { ...there, wait: { reason: "WaitingForImage" as const, because: "not there" } };
    const family = aFamily({ workloads: new Map([...aFamily().workloads, ["imageless", waiting]]) });
    expect(acts(fitNodes([berth, running("b", "old")], family, NOW))).toContain("unbind b");
  });

  test("does not stop what serves nobody: such nodes are taken first and cost nothing", () => {
    const broken = (node: string) =>
      running(node, "new", { pods: [aPod("new", { isCurrent: false, availableFromMs: undefined })] });
    const fitting = fitNodes([running("a", "old"), broken("b"), broken("c")], aFamily(), NOW);
    expect(acts(fitting)).toEqual(["delete pod of new on b", "delete pod of new on c"]);
  });

  test("of a percentage is at least one node", () => {
    const strategy = {
      maxUnavailable: { kind: "percent" as const, percent: 0 },
      maxParallel: count(1),
      isPaused: false,
    };
    expect(acts(fitNodes([running("a", "old")], aFamily({ strategy }), NOW))).toEqual(["unbind a"]);
  });

  test("is spent by nobody while the object is paused, but new nodes and those half-way are fitted", () => {
    const strategy = { ...aFamily().strategy, isPaused: true };
    const fitting = fitNodes([running("a", "old"), aBerth("b")], aFamily({ strategy }), NOW);
    expect(acts(fitting)).toEqual(["bind b to new"]);
    expect(holds(fitting)).toEqual(["a PausedByUser"]);
  });
});

test("a node that is tried once more says why it did not take it the last time", () => {
  const refusal = { reason: "LabelContested", because: "somebody holds it" } as const;
  const berths = [aBerth("a", { refusal }), running("b", "old", { refusal }), running("c", "new", { refusal })];
  const fitting = fitNodes(berths, aFamily({ strategy: { ...aFamily().strategy, maxUnavailable: count(2) } }), NOW);
  expect(acts(fitting)).toEqual(["bind a to new", "unbind b"]);
  expect(fitting.refused).toEqual([
    { node: "a", ...refusal },
    { node: "b", ...refusal },
  ]);
});

describe("workloads", () => {
  const waiting = { ...there, wait: { reason: "ImageMissing" as const, because: "the registry has none" } };
  test.each([
    { name: "one that waits for its image", workload: waiting, says: "ImageMissing" },
    { name: "one that does not exist", workload: { ...there, exists: false }, says: "WaitingForWorkload" },
  ])("$name is neither bound to nor handed over to", ({ workload, says }) => {
    const family = aFamily({ workloads: new Map([...aFamily().workloads, ["new", workload]]) });
    const fitting = fitNodes([aBerth("a"), running("b", "old")], family, NOW);
    expect(acts(fitting)).toEqual([]);
    expect(holds(fitting)).toEqual([`a ${says}`, `b ${says}`]);
  });

  test("one that is being adopted gets all nodes that run its pods, whatever they want, and nobody else is bound meanwhile", () => {
    const open = { ...there, isOpen: true };
    const family = aFamily({ workloads: new Map([...aFamily().workloads, ["old", open]]) });
    const fitting = fitNodes([aBerth("a", { pods: [aPod("old")] }), aBerth("b"), running("c", "old")], family, NOW);
    expect(acts(fitting)).toEqual(["bind a to old"]);
    expect(holds(fitting)).toEqual(["b WaitingForWorkload", "c WaitingForWorkload"]);
  });

  test("a pod that is ready and not yet for long enough names the instant to look again", () => {
    const pods = [aPod("new", { availableFromMs: NOW + 5 })];
    expect(fitNodes([running("a", "new", { pods })], aFamily(), NOW).lookAgainAtMs).toBe(NOW + 5);
  });
});
