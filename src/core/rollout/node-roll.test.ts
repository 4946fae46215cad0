import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type NodeFacts, parseNodeFacts } from "../node/node-facts.ts";
import { createNodeRoll } from "./node-roll.ts";

const aNode = (name: string, pool = "") => parseNodeFacts({ metadata: { name, labels: { pool } } });
/** Nodes of no pool have no class. */
const poolOf = ({ labels }: NodeFacts) => (labels.pool === "" ? undefined : labels.pool);
const rollOf = (...lists: readonly (readonly NodeFacts[])[]) => {
  const roll = createNodeRoll<string>();
  return lists.map((nodes) => {
    const { counts, open } = roll.follow(nodes, { classOf: poolOf });
    return { counts: Object.fromEntries([...counts].sort()), open: open.map(({ name }) => name) };
  });
};

describe("a roll", () => {
  const [a, b, c] = [aNode("a", "x"), aNode("b"), aNode("c", "x")];

  test("counts the nodes of each class, and names those without one in their order", () => {
    expect(rollOf([a, b, c])).toEqual([{ counts: { x: 2 }, open: ["b"] }]);
  });

  test("follows a node that changes, one that comes and one that goes", () => {
    const lists = [[a, b, c], [a, b, aNode("c", "y")], [aNode("0"), a, b, c], [a, c], []];
    expect(rollOf(...lists)).toEqual([
      { counts: { x: 2 }, open: ["b"] },
      { counts: { x: 1, y: 1 }, open: ["b"] },
      { counts: { x: 2 }, open: ["0", "b"] },
      { counts: { x: 2 }, open: [] },
      { counts: {}, open: [] },
    ]);
  });

  test("asks for the class of a node once, and again only where it changed, is touched or has none", () => {
    const roll = createNodeRoll<string>();
    const asked: string[] = [];
    const classOf = (node: NodeFacts) => {
      asked.push(node.name);
      return poolOf(node);
    };
    const follow = (nodes: readonly NodeFacts[], touched: readonly string[] = []) => {
      asked.length = 0;
      roll.follow(nodes, { classOf, touched });
      return asked.join();
    };
    const [a2, d] = [aNode("a", "x"), aNode("d", "x")];
    expect([follow([a, b, c]), follow([a, b, c]), follow([a2, b, c]), follow([a2, b, c, d])]).toEqual([
      ...["a,b,c", "b", "a,b", "b,d"],
    ]);
    expect(follow([a2, b, c, d], ["c", "not-there"])).toBe("b,c");
  });

  test("begins anew after a question that threw", () => {
    const roll = createNodeRoll<string>();
    roll.follow([a, c], { classOf: poolOf });
    const fails = () => {
      throw new Error("our mistake");
    };
    expect(() => roll.follow([a, b, c], { classOf: fails })).toThrow("our mistake");
    const { counts, open } = roll.follow([a, b, c], { classOf: poolOf });
    expect([counts.get("x"), open]).toEqual([2, [b]]);
  });
});

test("whatever happens to a fleet, its roll says what a new one would say", () => {
  const pools = fc.constantFrom("", "x", "y");
  const change = fc.record({ name: fc.constantFrom("a", "b", "c", "d", "e"), pool: pools, isGone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 20 }), (story) => {
      const fleet = new Map<string, NodeFacts>();
      const lists = story.map((changes) => {
        for (const { name, pool, isGone } of changes) {
          if (isGone) fleet.delete(name);
          else fleet.set(name, aNode(name, pool));
        }
        return [...fleet.keys()].sort().flatMap((name) => fleet.get(name) ?? []);
      });
      expect(rollOf(...lists)).toEqual(lists.flatMap((nodes) => rollOf(nodes)));
    }),
    { numRuns: 300 },
  );
});
