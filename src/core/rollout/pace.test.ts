import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Budget, pace, type Slot } from "./pace.ts";

const aSlot = (node: string, slot: Partial<Slot> = {}): Slot => ({
  node,
  isOutdated: true,
  isServing: true,
  isMoving: false,
  isNodeReady: true,
  ...slot,
});
const aBudget = (budget: Partial<Budget> = {}): Budget => ({
  counts: "unavailable",
  limit: 1,
  movingMax: Number.POSITIVE_INFINITY,
  isPaused: false,
  ...budget,
});
const done = { isOutdated: false };
const down = { isServing: false };
const fresh = { isServing: false, isFresh: true };
const moving = { isOutdated: false, isServing: false, isMoving: true };

describe("pace", () => {
  test("takes as many nodes as the budget has left, in the given order, and holds the rest", () => {
    expect(pace([aSlot("c"), aSlot("a"), aSlot("b")], aBudget({ limit: 2 }))).toEqual({
      moves: ["c", "a"],
      held: [
        {
          node: "b",
          reason: "BudgetSpent",
          because: "2 nodes are unavailable or about to be, and 2 may be at once",
        },
      ],
    });
  });

  test.each([
    { name: "a node that we have taken", slots: [aSlot("a", moving), aSlot("b")], moves: [] },
    { name: "a new pod that does not become ready", slots: [aSlot("a", { ...done, ...down }), aSlot("b")], moves: [] },
    { name: "a node that serves the new revision", slots: [aSlot("a", done), aSlot("b")], moves: ["b"] },
    {
      name: "a node that is not ready: it does not spend",
      slots: [aSlot("a", { ...moving, isNodeReady: false }), aSlot("b")],
      moves: ["b"],
    },
    {
      name: "outdated nodes that are down already: they cost nothing and go first",
      slots: [aSlot("a"), aSlot("b", down), aSlot("c", down)],
      moves: ["b", "c"],
    },
    {
      name: "nodes that are about to serve: they wait while more than may be are away",
      slots: [aSlot("a", fresh), aSlot("b", down), aSlot("c", fresh)],
      moves: ["b"],
    },
    {
      name: "a node that is about to serve and alone is away: to take it is nothing new",
      slots: [aSlot("a"), aSlot("b", fresh)],
      moves: ["b"],
    },
  ])("counts $name", ({ slots, moves }) => {
    expect(pace(slots, aBudget()).moves).toEqual(moves);
  });

  test("counts second pods, and not what is down, when it surges", () => {
    const slots = [aSlot("a", { isMoving: true }), aSlot("b", { ...done, ...down }), aSlot("c"), aSlot("d")];
    expect(pace(slots, aBudget({ counts: "surging", limit: 2 })).moves).toEqual(["c"]);
  });

  test("takes what resists last, also what is down, so that it keeps no turn from others", () => {
    const resisting = { isResisting: true };
    const slots = [aSlot("a", resisting), aSlot("b", { ...down, ...resisting }), aSlot("c"), aSlot("d", down)];
    expect(pace(slots, aBudget({ limit: 9 })).moves).toEqual(["d", "c", "a", "b"]);
    expect(pace([aSlot("a", resisting), aSlot("c")], aBudget()).moves).toEqual(["c"]);
    expect(pace([aSlot("a", resisting)], aBudget()).moves).toEqual(["a"]);
  });

  test("limits also the moves that cost nothing", () => {
    const slots = [aSlot("a", down), aSlot("b", down), aSlot("c", down)];
    const { moves, held } = pace(slots, aBudget({ movingMax: 2 }));
    expect(moves).toEqual(["a", "b"]);
    expect(held).toEqual([{ node: "c", reason: "BudgetSpent", because: "2 nodes are on the move, as many as may be" }]);
  });

  test("holds every outdated node while paused, and those that are not ready always", () => {
    const slots = [aSlot("a"), aSlot("b", done), aSlot("c", { isNodeReady: false, ...down })];
    const reasonsOf = (budget: Budget) => pace(slots, budget).held.map(({ node, reason }) => `${node} ${reason}`);
    expect(reasonsOf(aBudget({ isPaused: true }))).toEqual(["c PausedByUser", "a PausedByUser"]);
    expect(reasonsOf(aBudget())).toEqual(["c NodeNotReady"]);
  });
});

const slotsArbitrary = fc
  .array(
    fc.record({
      isOutdated: fc.boolean(),
      isServing: fc.boolean(),
      isMoving: fc.boolean(),
      isNodeReady: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((slots) => slots.map((slot, index) => ({ node: `n${index}`, ...slot })));
const budgetArbitrary = fc.record({
  counts: fc.constantFrom("unavailable" as const, "surging" as const),
  limit: fc.nat(6),
  movingMax: fc.nat(8),
  isPaused: fc.boolean(),
});

test("no choice makes more nodes spend than the limit, or more than were spending before", () => {
  fc.assert(
    fc.property(slotsArbitrary, budgetArbitrary, (slots, budget) => {
      const spends = ({ isServing, isMoving, isNodeReady }: Slot) =>
        isNodeReady && (budget.counts === "surging" ? isMoving : !isServing);
      const { moves } = pace(slots, budget);
      const before = slots.filter(spends).length;
      const costly = slots.filter((slot) => moves.includes(slot.node) && slot.isServing).length;
      expect(costly === 0 || before + costly <= budget.limit).toBe(true);
      const onTheMove = slots.filter((slot) => slot.isMoving).length + moves.length;
      expect(moves.length === 0 || onTheMove <= budget.movingMax).toBe(true);
    }),
  );
});

test("every outdated node at rest is either taken or held, once, and no other node is", () => {
  fc.assert(
    fc.property(slotsArbitrary, budgetArbitrary, (slots, budget) => {
      const { moves, held } = pace(slots, budget);
      const waiting = slots.filter((slot) => slot.isOutdated && !slot.isMoving).map((slot) => slot.node);
      expect([...moves, ...held.map((hold) => hold.node)].toSorted()).toEqual(waiting.toSorted());
    }),
  );
});

test("a rollout whose pods become ready reaches every ready node", () => {
  fc.assert(
    fc.property(slotsArbitrary, fc.integer({ min: 1, max: 4 }), (slots, limit) => {
      let now: readonly Slot[] = slots;
      for (let round = 0; round < 2 * slots.length + 1; round++) {
        const { moves } = pace(now, aBudget({ limit }));
        // What was taken, or is down on a ready node, serves by the next round.
        now = now.map((slot) =>
          moves.includes(slot.node)
            ? { ...slot, isOutdated: false, isServing: false, isMoving: true }
            : { ...slot, isServing: slot.isServing || slot.isMoving || !slot.isOutdated, isMoving: false },
        );
      }
      expect(now.filter((slot) => slot.isNodeReady && slot.isOutdated)).toEqual([]);
    }),
  );
});
