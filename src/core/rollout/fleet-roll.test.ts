import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseNodeFacts } from "../node/node-facts.ts";
import { parseDaemonPod } from "../pod/daemon-pod.ts";
import { createPodIndex, type PodGroup } from "../pod/pods-by-node.ts";
import { createFleetRoll, type FleetSight } from "./fleet-roll.ts";

const aNode = (name: string) => parseNodeFacts({ metadata: { name } });
const aPod = (name: string, nodeName: string) => parseDaemonPod({ metadata: { name }, spec: { nodeName } });
const nodes = ["n1", "n2", "n3"].map(aNode);

/** Nodes with exactly one pod rest in its group. */
const sightOf = (groups: readonly PodGroup[], picture = ""): FleetSight<string> => ({
  ...{ nodes, groups, picture },
  classOf: ({ name }, pods) => {
    const [only, ...others] = pods.get(name) ?? [];
    return others.length === 0 ? only?.key : undefined;
  },
});

const seenBy = (follow: ReturnType<typeof createFleetRoll<string>>, sight: FleetSight<string>) => {
  const { counts, open, podsByNode } = follow(sight);
  const pods = [...podsByNode].map(([node, there]) => [node, there.map(({ key, pod }) => `${key}/${pod.name}`)]);
  return { counts: [...counts].sort(), open: open.map(({ name }) => name), pods: Object.fromEntries(pods) };
};

describe("the roll of a fleet", () => {
  const [p1, p2, p3] = [aPod("p1", "n1"), aPod("p2", "n2"), aPod("p3", "n2")];

  test("follows pods: a node whose pods change is looked at again", () => {
    const follow = createFleetRoll<string>();
    expect(seenBy(follow, sightOf([{ key: "x", pods: [p1, p2] }]))).toMatchObject({ counts: [["x", 2]], open: ["n3"] });
    const groups = [
      { key: "x", pods: [p1, p2] },
      { key: "y", pods: [p3] },
    ];
    expect(seenBy(follow, sightOf(groups))).toEqual({
      ...{ counts: [["x", 1]], open: ["n2", "n3"] },
      pods: { n1: ["x/p1"], n2: ["x/p2", "y/p3"] },
    });
    expect(seenBy(follow, sightOf([{ key: "y", pods: [p3] }]))).toMatchObject({
      counts: [["y", 1]],
      pods: { n2: ["y/p3"] },
    });
  });

  test("looks at every node when the picture is another", () => {
    const follow = createFleetRoll<string>();
    const groups = [{ key: "x", pods: [p1] }];
    const restless = { ...sightOf(groups), classOf: () => undefined };
    follow(sightOf(groups, "old"));
    expect(follow({ ...restless, picture: "old" }).counts.size).toBe(1);
    expect(follow({ ...restless, picture: "new" }).counts.size).toBe(0);
  });
});

const pods = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("p1", "p2", "p3", "p4"), node: fc.constantFrom("n1", "n2", "n3") }),
  {
    ...{ selector: ({ name }) => name, maxLength: 4 },
  },
);
const groupLists = fc.array(fc.dictionary(fc.constantFrom("x", "y", "z"), pods, { maxKeys: 3 }), { maxLength: 12 });

test("whatever happens to pods, the roll says what a new one would say, and nobody else's pods changed", () => {
  fc.assert(
    fc.property(groupLists, (story) => {
      const follow = createFleetRoll<string>();
      const index = createPodIndex();
      const known = new Map<string, ReturnType<typeof aPod>>();
      let before: object = {};
      for (const lists of story) {
        const groups = Object.entries(lists).map(([key, list]) => ({
          key,
          pods: list.map(({ name, node }) => {
            const id = `${key} ${name} ${node}`;
            const pod = known.get(id) ?? aPod(`${key}-${name}`, node);
            known.set(id, pod);
            return pod;
          }),
        }));
        expect(seenBy(follow, sightOf(groups))).toEqual(seenBy(createFleetRoll(), sightOf(groups)));
        const { byNode, touched } = index.follow(groups);
        const now = Object.fromEntries([...byNode].filter(([node]) => !touched.has(node)));
        expect(before).toMatchObject(now);
        before = Object.fromEntries(byNode);
      }
    }),
    { numRuns: 200 },
  );
});
