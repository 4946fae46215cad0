import { expect, test } from "vitest";
import { aNode, nodes, SetOnPaper } from "../testing/set-on-paper.ts";

const scales = (set: SetOnPaper) =>
  set.decide().steps.flatMap((step) => (step.do === "patch" && step.subresource === "scale" ? [step.patch] : []));

test("a set without the field is never written to", () => {
  expect(scales(new SetOnPaper({}, nodes(3)))).toEqual([]);
});

test("a set with the field gets the number of nodes that should run a pod", () => {
  const tainted = aNode("tainted", {}, { spec: { taints: [{ key: "x", effect: "NoSchedule" }] } });
  const set = new SetOnPaper({ replicas: 0 }, [...nodes(3), tainted]);
  expect(scales(set)).toEqual([{ spec: { replicas: 3 } }]);
  set.edit({ replicas: 3 });
  expect(scales(set)).toEqual([]);
  set.cluster.put(aNode("n9"));
  expect(scales(set)).toEqual([{ spec: { replicas: 4 } }]);
});

test("the status waits for the number, which makes another version of the set", () => {
  const set = new SetOnPaper({ replicas: 7 }, nodes(1));
  expect(set.decide().steps.filter((step) => step.do === "status")).toEqual([]);
  set.edit({ replicas: 1 });
  expect(set.decide().steps.filter((step) => step.do === "status")).toHaveLength(1);
});
