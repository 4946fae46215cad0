import { expect, test } from "vitest";
import type { Review } from "../../kinds/kind.ts";
import { createMetrics } from "../../runtime/metrics/metrics.ts";
import { addPatchFigures } from "./patch-figures.ts";

const nothing: Review = { events: [], tallies: [], refused: [] };

function figures() {
  const metrics = createMetrics("p");
  const tell = addPatchFigures(metrics);
  const lines = async (name: string) =>
    (await metrics.registry.getSingleMetricAsString(`daemonset_patches_${name}`))
      .split("\n")
      .filter((line) => line.startsWith("daemonset_patches_"));
  return {
    lines,
    pass: (review: Partial<Review>, set = "nydus", tookMs = 2) => {
      tell({ name: { namespace: "infra", name: set }, review: { ...nothing, ...review }, tookMs });
    },
  };
}

test("pods with patches add up by set and by what was done to them", async () => {
  const { pass, lines } = figures();
  pass({ tallies: [{ of: "applied", result: "created", count: 3 }] });
  pass({
    tallies: [
      { of: "applied", result: "created", count: 1 },
      { of: "applied", result: "updated", count: 2 },
    ],
  });
  pass({ tallies: [{ of: "errors", result: "refused", count: 4 }] });
  expect(await lines("applied_total")).toEqual([
    'daemonset_patches_applied_total{namespace="infra",daemonset="nydus",result="created"} 4',
    'daemonset_patches_applied_total{namespace="infra",daemonset="nydus",result="updated"} 2',
  ]);
  expect(await lines("errors_total")).toEqual([
    'daemonset_patches_errors_total{namespace="infra",daemonset="nydus",result="refused"} 4',
  ]);
});

test("a node that stays refused is one error, and one that is refused again is another", async () => {
  const { pass, lines } = figures();
  pass({ refused: ["a"] });
  pass({ refused: ["a"] });
  pass({ refused: ["a", "b"] });
  const errors = async () => (await lines("errors_total")).map((line) => line.split(" ").at(-1));
  expect(await errors()).toEqual(["2"]);
  pass({ refused: [] });
  pass({ refused: ["a"] });
  expect(await errors()).toEqual(["3"]);
});

test("the time of decisions that had to do with patches is kept, and of no others", async () => {
  const { pass, lines } = figures();
  pass({});
  pass({ tallies: [{ of: "applied", result: "created", count: 1 }] }, "nydus", 0.4);
  const counted = await lines("duration_seconds");
  expect(counted).toContain(
    'daemonset_patches_duration_seconds_bucket{le="0.0005",namespace="infra",daemonset="nydus"} 1',
  );
  expect(counted).toContain('daemonset_patches_duration_seconds_count{namespace="infra",daemonset="nydus"} 1');
});

test("the fifty-first set and all after it share their series", async () => {
  const { pass, lines } = figures();
  for (let set = 0; set < 60; set++) pass({ tallies: [{ of: "applied", result: "created", count: 1 }] }, `set-${set}`);
  const counted = await lines("applied_total");
  expect(counted).toHaveLength(51);
  expect(counted).toContain('daemonset_patches_applied_total{namespace="other",daemonset="other",result="created"} 10');
});
