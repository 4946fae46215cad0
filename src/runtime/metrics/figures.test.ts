import { expect, test } from "vitest";
import { addCounter, addGauge, addHistogram } from "./figures.ts";
import { createMetrics } from "./metrics.ts";

const lines = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.registry.getSingleMetricAsString(name)).split("\n").filter((line) => !line.startsWith("#"));

test("a gauge says what is so at the time of the scrape", async () => {
  const metrics = createMetrics("p");
  let all = [["a", 1]] as readonly (readonly [string, number])[];
  addGauge(metrics, { name: "depths", help: "Depths.", label: "well" }, () => all);
  expect(await lines(metrics, "depths")).toEqual(['depths{well="a"} 1']);
  all = [["b", 0]];
  expect(await lines(metrics, "depths")).toEqual(['depths{well="b"} 0']);
});

test("a counter adds up by its labels", async () => {
  const metrics = createMetrics("p");
  const tell = addCounter(metrics, { name: "drops_total", help: "Drops.", labels: ["well"] });
  tell({ well: "a" }, 2);
  tell({ well: "a" }, 3);
  tell({ well: "b" }, 1);
  expect(await lines(metrics, "drops_total")).toEqual(['drops_total{well="a"} 5', 'drops_total{well="b"} 1']);
});

test("a histogram sorts what it is told into its buckets", async () => {
  const metrics = createMetrics("p");
  const figure = { name: "took_seconds", help: "Time.", labels: ["well"], buckets: [0.1, 1] } as const;
  const tell = addHistogram(metrics, figure);
  tell({ well: "a" }, 0.5);
  expect(await lines(metrics, "took_seconds")).toContain('took_seconds_bucket{le="1",well="a"} 1');
});
