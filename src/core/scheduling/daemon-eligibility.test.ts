import { describe, expect, test } from "vitest";
import { compileDaemonEligibility, explainDaemonEligibility, matchDaemonEligibility } from "./daemon-eligibility.ts";
import { parseTaints } from "./taints.ts";
import vectors from "./vectors/node-should-run-daemon-pod.json" with { type: "json" };

const gateOff = { comparisonOperators: false };
const gateOn = { comparisonOperators: true };

describe("the published vectors hold", () => {
  test.each(vectors)("$name", ({ podSpec, node, shouldRun, shouldContinueRunning }) => {
    const eligibility = compileDaemonEligibility(podSpec, gateOff);
    const spec: { taints?: unknown } = node.spec;
    const labels: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(node.metadata.labels));
    const subject = { name: node.metadata.name, labels, taints: parseTaints(spec.taints) };
    const answer = { shouldRun, shouldContinueRunning };
    expect(matchDaemonEligibility(eligibility, subject)).toMatchObject(answer);
    const explained = explainDaemonEligibility(eligibility, subject);
    expect(explained.eligibility).toMatchObject(answer);
    expect(explained.trail.at(-1)?.matched).toBe(shouldRun);
  });
});

const dedicated = parseTaints([{ key: "dedicated", value: "gpu", effect: "NoSchedule" }]);
const drained = parseTaints([{ key: "drain", effect: "NoExecute" }]);

describe("explainDaemonEligibility gives the reason of a no last", () => {
  test.each([
    [
      { nodeName: "w-2" },
      dedicated,
      { rule: "nodeName", matched: false, because: "the template is bound to node w-2, not w-1" },
    ],
    [
      { nodeSelector: { zone: "b" } },
      [],
      { rule: "nodeSelector", matched: false, because: 'label zone is "a", but zone=b is asked' },
    ],
    [
      {},
      dedicated,
      {
        rule: "tolerations",
        matched: false,
        because: "no toleration covers taint dedicated=gpu:NoSchedule of node w-1",
      },
    ],
    [
      {},
      [...dedicated, ...drained],
      { rule: "tolerations", matched: false, because: "no toleration covers taint drain:NoExecute of node w-1" },
    ],
    [{ nodeName: "w-1" }, [], { rule: "tolerations", matched: true, because: "node w-1 has no taints" }],
    [
      { tolerations: [{ operator: "Exists" }] },
      drained,
      { rule: "tolerations", matched: true, because: "all taints of node w-1 are tolerated" },
    ],
  ])("%j", (podSpec, taints, verdict) => {
    const { trail } = explainDaemonEligibility(compileDaemonEligibility(podSpec, gateOff), {
      name: "w-1",
      labels: { zone: "a" },
      taints,
    });
    expect(trail.at(-1)).toEqual(verdict);
  });
});

test("numeric tolerations count only where the cluster has them", () => {
  const podSpec = { tolerations: [{ key: "load", operator: "Lt", value: "10" }] };
  const node = { name: "w-1", labels: {}, taints: parseTaints([{ key: "load", value: "5", effect: "NoExecute" }]) };
  expect(matchDaemonEligibility(compileDaemonEligibility(podSpec, gateOff), node).shouldRun).toBe(false);
  expect(matchDaemonEligibility(compileDaemonEligibility(podSpec, gateOn), node).shouldRun).toBe(true);
});

test("a template nobody can read makes no node eligible and says why", () => {
  const eligibility = compileDaemonEligibility("not a spec", gateOff, "spec.template.spec");
  expect(eligibility.problems).toEqual([
    { path: "spec.template.spec", message: 'must be an object, not "not a spec"' },
  ]);
  expect(matchDaemonEligibility(eligibility, { name: "w-1", labels: {}, taints: [] }).shouldContinueRunning).toBe(
    false,
  );
});

test("wrong shapes beside the affinity are read as absent", () => {
  const eligibility = compileDaemonEligibility({ tolerations: {}, hostNetwork: "yes", nodeName: 5 }, gateOff);
  expect(matchDaemonEligibility(eligibility, { name: "w-1", labels: {}, taints: [] }).shouldRun).toBe(true);
});
