// What patches cost per pod: rendering for a class of nodes once, sharing it with every further node, and the slowest of a thousand pods.
import { storedObject } from "../../src/controllers/view/cluster-caches.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import { createFactsParser } from "../../src/core/node/node-facts.ts";
import { parseDaemonSet } from "../../src/kinds/daemon-set/api/parse.ts";
import type { AdvancedDaemonSet } from "../../src/kinds/daemon-set/api/spec.ts";
import { matchOf } from "../../src/kinds/daemon-set/match-patches.ts";
import { podBody } from "../../src/kinds/daemon-set/pods/pod-body.ts";
import { podName } from "../../src/kinds/daemon-set/pods/pod-name.ts";
import { type Rendered, renderPods } from "../../src/kinds/daemon-set/render.ts";
import { createRenderer, createResolver } from "../../src/kinds/daemon-set/resolve.ts";
import { atMost } from "../bar.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { compareWorks, type WorkComparison } from "../compare.ts";
import { fleet } from "../core/fleet.ts";
import { type Figure, figureOf } from "../figure.ts";
import { inProcess } from "../measure.ts";
import { advancedSet } from "./set-objects.ts";
import { tenPatches } from "./ten-patches.ts";

const PODS = 1_000;
const ADDED_MS_MAX = 1;
const P99 = 0.99;
/** Quick works need more turns than stories do. */
const ROUNDS_MIN = 15;
/** A rendering goes through so much code that it is optimised only after a second; the warm-up is ten rounds. */
const ROUND_MS_MIN = 100;

/** The figures of rendering; nothing of it needs a cluster. */
export async function renderingFigures(context: BenchmarkContext): Promise<readonly Figure[]> {
  const options = {
    rounds: Math.max(ROUNDS_MIN, context.rounds),
    roundMs: Math.max(ROUND_MS_MIN, context.roundMs),
  };
  context.progress("measuring renderings");
  const figures: Figure[] = [];
  for (const comparison of comparisons()) figures.push(...(await compareWorks(comparison, options)));
  return [...figures, slowestFigure(options.rounds)];
}

function comparisons(): readonly WorkComparison[] {
  const set = parsed(advancedSet("1").spec);
  const few = firstOf(set);
  const many = firstOf(parsed({ ...advancedSet("1").spec, patches: tenPatches() }));
  const nodes = patchedNodes();
  // As after an edit of the set: nothing is remembered, and the first renderings of the few classes are shared by all nodes.
  const shared = inProcess("shared", nodes.length, () => {
    const resolver = createResolver(set, { arePatchesEnabled: true });
    let length = 0;
    for (const node of nodes) length += rendered(resolver.place(node).rendering).hash.length;
    return length;
  });
  const name = "JSON.stringify of the pod";
  return [
    {
      ...{ name: "rendering, first of a class, three patches", unit: "µs", subject: few.first },
      yardsticks: [{ name, bar: atMost(5), work: few.stringify }],
    },
    {
      ...{ name: "rendering, first of a class, ten patches of 1 KB", unit: "µs", subject: many.first },
      yardsticks: [{ name, bar: atMost(5), work: many.stringify }],
    },
    {
      ...{ name: "rendering, shared by a class", unit: "µs", subject: shared },
      yardsticks: [{ name, bar: atMost(0.1), work: few.stringify }],
    },
  ];
}

/** The first rendering with all patches of a set, as in the operator: the template without patches is rendered before any class is. */
function firstOf(set: AdvancedDaemonSet) {
  const { ground } = createRenderer(set, []);
  const match = matchOf(set.patches);
  const body = bodyOf(rendered(renderPods(ground, match)), "node-0001");
  return {
    first: inProcess("first", 1, () => rendered(renderPods(ground, match)).hash.length),
    stringify: inProcess("stringify", 1, () => JSON.stringify(body).length),
  };
}

/** The 99th percentile of what ten patches of 1 KB add to the making of a pod's body, the first renderings included. */
function slowestFigure(rounds: number): Figure {
  const plain = { ...advancedSet("1").spec, patches: [] };
  const patched = { ...advancedSet("1").spec, patches: tenPatches() };
  const taken = Array.from({ length: rounds }, () => slowest(parsed(patched)) - slowest(parsed(plain)));
  return figureOf({
    ...{ name: "ten patches of 1 KB: added per pod, p99", unit: "ms", yardstick: "limit", bar: atMost(1) },
    rounds: taken.map((value) => ({ value, yardstick: ADDED_MS_MAX })),
  });
}

function slowest(set: AdvancedDaemonSet): number {
  const resolver = createResolver(set, { arePatchesEnabled: true });
  const times = patchedNodes().map((node) => {
    const startMs = performance.now();
    bodyOf(rendered(resolver.place(node).rendering), node.name);
    return performance.now() - startMs;
  });
  return times.sort((a, b) => a - b)[Math.floor(times.length * P99)] ?? Number.NaN;
}

function patchedNodes() {
  const parse = createFactsParser();
  return Array.from({ length: PODS }, (_, at) => parse(fleet[at % fleet.length] ?? {}));
}

const IDENTITY = { name: "agent", namespace: "default", uid: "5f0c8a3e-8a37-4b0c-9d3c-2f6d1f2a7b11" };
const STORED = storedObject({ metadata: IDENTITY });

function bodyOf(one: Rendered, node: string): JsonObject {
  const berth = { set: STORED, node, hash: one.hash, last: undefined, isSurging: false, holderUid: () => undefined };
  const order = { set: STORED, name: podName(berth), node, rendered: one };
  return { ...podBody({ ...order, revision: "5d4f8c7b9", binding: "scheduler" }) };
}

function rendered(rendering: ReturnType<typeof renderPods>): Rendered {
  if (!rendering.ok) throw new Error(JSON.stringify(rendering.problems));
  return rendering.value;
}

function parsed(spec: JsonObject | undefined): AdvancedDaemonSet {
  const answer = parseDaemonSet({ metadata: { name: "agent", namespace: "default" }, spec: spec ?? {} });
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value;
}
