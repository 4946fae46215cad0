// The page on csi-baremetal, executed on a cluster on paper: what stands in it is what happens.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { targetOf } from "../../core/decision/step.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { mergeObject } from "../../core/strategic-merge/merge-patch.ts";
import { forecast } from "../forecast/forecast.ts";
import { settlePaper } from "../forecast/paper-controllers.ts";
import { validateVariantSet } from "./api/validate.ts";
import { aNodeObject, NOON, PaperSet } from "./testing/paper-set.ts";

const page = readFileSync(new URL("../../../docs/how-to/csi-baremetal.md", import.meta.url), "utf8");
const [before = "", after = ""] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
const objectsIn = (yaml: string): readonly JsonObject[] => parseAllDocuments(yaml).map((document) => document.toJS());
const platform = (value: string) => ({ "nodes.csi-baremetal.dell.com/platform": value });
const nodes = [
  aNodeObject("a", { kernel: "4.18.0-193.el8.x86_64", labels: platform("default") }),
  aNodeObject("b", { kernel: "5.12.13-051213-generic", labels: platform("kernel-5.x") }),
  // The former operator took 5.3 for default, since its map said 5.4 in fact.
  aNodeObject("c", { kernel: "5.3.18-57-default", labels: platform("default") }),
];

function world(): PaperSet {
  const [set = {}] = objectsIn(after);
  const workloads = objectsIn(before).map((one, place) =>
    mergeObject(one, { metadata: { uid: `ds-${place}`, generation: 1 } }),
  );
  const stored = mergeObject(set, { metadata: { uid: "uid-set", generation: 1 } });
  const made = new PaperSet(nodes, stored, workloads);
  settlePaper(made.cluster, NOON);
  return made;
}

test("the set of the page is accepted without a warning", () => {
  expect(validateVariantSet(objectsIn(after)[0])).toEqual({ problems: [], warnings: [] });
});

test("the pods stay as they are, but for the node that should have the other variant", () => {
  const paper = world();
  const uids = () => Object.fromEntries(paper.cluster.pods.values().map(({ node, uid }) => [node, uid]));
  const was = uids();
  expect(Object.keys(was).sort()).toEqual(["a", "b", "c"]);
  let fewest = 3;
  paper.settle(() => {
    fewest = Math.min(fewest, paper.cluster.pods.values().length);
  });
  const now = uids();
  expect([now.a === was.a, now.b === was.b, now.c === was.c]).toEqual([true, true, false]);
  expect(fewest).toBe(2);
  expect(paper.bindings()).toEqual({ a: "default", b: "5.x", c: "5.x" });
  expect(paper.workloadNames()).toEqual(["csi-baremetal-node", "csi-baremetal-node-kernel-5.x"]);
  expect(paper.status).toMatchObject({
    nodes: { inScope: 3, fitted: 3 },
    variants: [
      { name: "5.x", deployed: true },
      { name: "default", deployed: true },
    ],
  });
});

test("labels come before the DaemonSet selects them, and the former selector goes", () => {
  const paper = world();
  const patches = paper.plan().steps.filter((step) => step.do === "patch");
  expect(patches.map(({ target, after: needs }) => [target.name, needs])).toEqual([
    ["csi-baremetal-node", ["apply v1 Node a", "apply v1 Node c"]],
    ["csi-baremetal-node-kernel-5.x", ["apply v1 Node b"]],
  ]);
  paper.settle();
  const selectors = paper.cluster.workloads.values().map(({ spec }) => Object(spec.template).spec.nodeSelector);
  expect(selectors).toEqual([{ "node-daemonset-image": "default" }, { "node-daemonset-image": "5.x" }]);
});

test("a forecast tells beforehand that one pod is replaced, and which", () => {
  const paper = world();
  const image = () => ({ is: "unasked" }) as const;
  const told = forecast({
    kind: paper.kind,
    objects: paper.cluster.objects(),
    object: paper.stored.object,
    image,
    nowMs: NOON,
  });
  expect([told.isSettled, told.held]).toEqual([true, []]);
  const written = told.writes.filter(({ step }) => step.do === "apply" && step.object.kind === "Node");
  const counts = Map.groupBy(written, ({ step }) => targetOf(step).name);
  expect([...counts].map(([name, writes]) => [name, writes.length]).sort()).toEqual([
    ["a", 1],
    ["b", 1],
    ["c", 3],
  ]);
});
