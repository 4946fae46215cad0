// Who meets in one name and who does not, as tables of what two leaders see on one node.
import { describe, expect, test } from "vitest";
import { RENDERED_HASH } from "./pod-keys.ts";
import { type Berth, podName } from "./pod-name.ts";

const set = { name: "agent", uid: "set-uid" };
const aPod = (uid: string, hash: string | undefined) => ({
  ...{ uid, labels: hash === undefined ? {} : { [RENDERED_HASH]: hash } },
});
/** What a leader sees that wants the rendering "new"; side by side, unless it is said. */
const sight = (more: Partial<Berth> = {}): Berth => ({
  ...{ set, node: "w-1", hash: "new", last: undefined, isSurging: true, holderUid: () => undefined },
  ...more,
});
/** The same with pods that hold names, by the berths from which those came. */
const holding = (berth: Berth, ...holders: readonly (readonly [Berth, uid: string])[]): Berth => {
  const uids = new Map(holders.map(([named, uid]) => [podName(named), uid]));
  return { ...berth, holderUid: (name) => uids.get(name) };
};

const plain = sight();
const afterOld = sight({ last: aPod("p-0", "old") });
const afterNew = sight({ last: aPod("p-1", "new") });
const podByPod = { isSurging: false };

describe("two leaders meet in one name", () => {
  test.each<[string, Berth, Berth]>([
    ["when nothing is there", plain, sight()],
    ["when one has not seen that the old pod failed, beside which it surges", plain, afterOld],
    [
      "also when Kruise made that pod, which does not say what was rendered",
      plain,
      sight({ last: aPod("p-0", undefined) }),
    ],
    ["when both saw a pod of the new rendering fail", afterNew, sight({ last: aPod("p-1", "new") })],
    [
      "when one has not seen yet that the pod went after which the failed one came",
      afterNew,
      holding(afterNew, [plain, "p-first"]),
    ],
    [
      "when one saw that the pod failed which was updated in place and has the name, and the other did not",
      holding(plain, [plain, "p-0"]),
      holding(afterOld, [plain, "p-0"]),
    ],
    [
      "when one pod ended and they go on pod by pod, whatever each wants to make",
      sight({ ...podByPod, last: aPod("p-0", "old") }),
      sight({ ...podByPod, last: aPod("p-0", "old"), hash: "newest" }),
    ],
  ])("%s", (_when, one, other) => {
    expect(podName(one)).toBe(podName(other));
  });
});

describe("a name is another one", () => {
  const strays = holding(plain, [plain, "p-stray"]);
  test.each<[string, Berth, Berth]>([
    ["on another node", plain, sight({ node: "w-2" })],
    ["for another rendering", plain, sight({ hash: "newest" })],
    ["for a set that was made anew", plain, sight({ set: { ...set, uid: "other" } })],
    ["after a pod of the same rendering that ended", plain, afterNew],
    ["after each further one", afterNew, sight({ last: aPod("p-2", "new") })],
    ["pod by pod, after one of any rendering", plain, sight({ ...podByPod, last: aPod("p-0", "old") })],
    ["where a pod has it that was updated in place since", plain, holding(plain, [plain, "p-0"])],
    ["where one of them ended", plain, holding(afterOld, [plain, "p-0"])],
    ["where somebody took the labels from the pod that has it", plain, strays],
    ["where that happened to the next one, too", strays, holding(plain, [plain, "p-stray"], [strays, "p-stray-2"])],
  ])("%s", (_where, one, other) => {
    expect(podName(one)).not.toBe(podName(other));
  });
});

test("a name is short enough for a host, and is found although all seem to be taken", () => {
  const name = podName(sight({ set: { name: "a".repeat(100), uid: "set-uid" }, holderUid: (held) => held }));
  expect(name).toMatch(/^a+-[a-z0-9]{24}$/);
  expect(name).toHaveLength(63);
});
