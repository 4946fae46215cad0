// Where a pod may run, as a table of placements and nodes.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { nodeView } from "../testing/views-fixture.ts";
import { decideBinding } from "./decide-binding.ts";

const plain = nodeView("plain", { labels: { disk: "small" } });
const large = nodeView("large", { labels: { disk: "large" } });
const gpu = nodeView("gpu", { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } });
const cordoned = nodeView("cordoned", { spec: { unschedulable: true } });
const soft = nodeView("soft", { spec: { taints: [{ key: "slow", effect: "PreferNoSchedule" }] } });

const tolerates = (key: string) => ({ tolerations: [{ key, operator: "Exists" }] });
const noMatch = "node(s) didn't match Pod's node affinity/selector";

test.each<[string, JsonObject, readonly (typeof plain)[], string]>([
  ["any node will do", {}, [plain], "plain"],
  ["the selector decides", { nodeSelector: { disk: "large" } }, [plain, large], "large"],
  ["a taint keeps it off", {}, [gpu], "0/1 nodes are available: 1 node(s) had untolerated taint {gpu: yes}."],
  ["a toleration lets it on", tolerates("gpu"), [gpu], "gpu"],
  ["a cordoned node takes none", {}, [cordoned], "0/1 nodes are available: 1 node(s) were unschedulable."],
  ["but daemons", tolerates("node.kubernetes.io/unschedulable"), [cordoned], "cordoned"],
  ["a preference is no ban", {}, [soft], "soft"],
  ["no node at all", {}, [], "no nodes available to schedule pods"],
  [
    "reasons are counted",
    { nodeSelector: { disk: "none" } },
    [plain, large, cordoned],
    `0/3 nodes are available: 1 node(s) were unschedulable, 2 ${noMatch}.`,
  ],
])("%s", (_, placement, nodes, expected) => {
  const binding = decideBinding(placement, { nodes, size: nodes.length, load: () => 0 });
  expect(binding.isFound ? binding.nodeName : binding.because).toBe(expected);
});

test("the node with the fewest pods is taken, and of equals the first by name", () => {
  const load = (name: string) => ({ plain: 2, large: 1, soft: 1 })[name] ?? 0;
  const binding = decideBinding({}, { nodes: [soft, plain, large], size: 3, load });
  expect(binding).toEqual({ isFound: true, nodeName: "large" });
});

test("a pod made for a node that is gone is held against all the others", () => {
  const binding = decideBinding({}, { nodes: [], size: 4, load: () => 0 });
  expect(binding).toEqual({ isFound: false, because: `0/4 nodes are available: 4 ${noMatch}.` });
});
