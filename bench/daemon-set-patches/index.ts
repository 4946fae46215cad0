// What ten patches of one KiB cost on a thousand nodes: the processor time of matching, and the memory of what is rendered and kept.
import type { JsonObject } from "../../src/core/json/json.ts";
import { createFactsParser, type NodeFacts } from "../../src/core/node/node-facts.ts";
import { mergeObject } from "../../src/core/strategic-merge/merge-patch.ts";
import { parseDaemonSet } from "../../src/kinds/daemon-set/api/parse.ts";
import type { AdvancedDaemonSet } from "../../src/kinds/daemon-set/api/spec.ts";
import { createPatchMatcher } from "../../src/kinds/daemon-set/match-patches.ts";
import { createResolver, type Resolver } from "../../src/kinds/daemon-set/resolve.ts";
import { atMost } from "../bar.ts";
import type { Benchmark } from "../benchmark.ts";
import { compareWorks, type WorkComparison } from "../compare.ts";
import { fleet } from "../core/fleet.ts";
import { podTemplate } from "../core/pod-template.ts";
import { type Figure, figureOf } from "../figure.ts";
import { inProcess } from "../measure.ts";
import { heapBytes } from "./heap-bytes.ts";

const NODES = 1_000;
const PATCHES = 10;
const PATCH_BYTES = 1_024;
/** Classes of nodes: sets of patches that occur together. Ten patches make 1,024 of them at most. */
const CLASSES = [1, 10, 1_000] as const;

export const daemonSetPatches: Benchmark = {
  name: "patches",
  summary: "matching and memory of ten patches of 1 KiB on 1,000 nodes",
  run: async (context) => {
    const figures: Figure[] = [];
    for (const comparison of matchingComparisons()) figures.push(...(await compareWorks(comparison, context)));
    for (const classes of CLASSES) {
      context.progress(`measuring the memory of ${classes} classes`);
      figures.push(memoryFigure(classes, context.rounds));
    }
    return figures;
  },
};

function matchingComparisons(): readonly WorkComparison[] {
  const { patches } = aSet();
  const objects = nodeObjects(CLASSES[2]);
  const nodes = parsedNodes(objects);
  const texts = objects.map((node) => JSON.stringify(node));
  const match = createPatchMatcher(patches);
  const count = (matcher: typeof match) => nodes.reduce((sum, { labels }) => sum + matcher(labels).patches.length, 0);
  const parse = inProcess("JSON.parse", NODES, () =>
    texts.reduce((sum, text) => sum + Object.keys(JSON.parse(text)).length, 0),
  );
  const yardstick = { name: "JSON.parse of the node" };
  return [
    {
      ...{ name: "per node: ten selectors, labels seen before", unit: "µs" },
      subject: inProcess("known", NODES, () => count(match)),
      yardsticks: [{ ...yardstick, bar: atMost(1 / 5), work: parse }],
    },
    {
      ...{ name: "per node: ten selectors, labels never seen", unit: "µs" },
      subject: inProcess("new", NODES, () => count(createPatchMatcher(patches))),
      yardsticks: [{ ...yardstick, bar: atMost(1), work: parse }],
    },
  ];
}

/** What a resolver keeps of a fleet, beside the facts of the nodes that are there anyway. */
function memoryFigure(classes: number, rounds: number): Figure {
  const set = aSet();
  const nodes = parsedNodes(nodeObjects(classes));
  const kept = () => keptBytes(() => placed(set, nodes)) / 1024;
  const plain = () => keptBytes(() => placed({ ...set, patches: [] }, nodes)) / 1024;
  return figureOf({
    name: `memory: ${NODES} nodes, ${PATCHES} patches, ${classes} ${classes === 1 ? "class" : "classes"}`,
    ...{ unit: "KiB", yardstick: "the same fleet without patches" },
    rounds: Array.from({ length: Math.min(rounds, 5) }, () => ({ value: kept(), yardstick: plain() })),
  });
}

function placed(set: AdvancedDaemonSet, nodes: readonly NodeFacts[]): Resolver {
  const resolver = createResolver(set, { arePatchesEnabled: true });
  for (const node of nodes) resolver.place(node);
  return resolver;
}

function keptBytes(make: () => unknown): number {
  const before = heapBytes();
  const made = make();
  const bytes = heapBytes() - before;
  // Named after the second count, so that it lives until then.
  return made === undefined ? 0 : bytes;
}

function aSet(): AdvancedDaemonSet {
  const selector = { matchLabels: { app: "csi-node-agent" } };
  const patches = Array.from({ length: PATCHES }, (_, at) => ({
    selector: { matchLabels: { [`bit-${at}`]: "1" } },
    patch: aPatch(at),
  }));
  const parsed = parseDaemonSet({
    ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet", metadata: { name: "agent", namespace: "default" } },
    spec: { selector, template: podTemplate, patches },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** Variables and an annotation that fills the rest. */
function aPatch(at: number): JsonObject {
  const env = Array.from({ length: 10 }, (_, place) => ({ name: `VAR_${at}_${place}`, value: `value-${place}` }));
  const patch = (fill: string) => ({
    metadata: { annotations: { [`fill-${at}`]: fill } },
    spec: { containers: [{ name: "agent", env }] },
  });
  return patch("x".repeat(PATCH_BYTES - JSON.stringify(patch("")).length));
}

/** Nodes whose labels, read as bits, choose one of so many sets of patches. */
function nodeObjects(classes: number): readonly JsonObject[] {
  return Array.from({ length: NODES }, (_, index) => {
    const bits = classes === 1 ? 2 ** PATCHES - 1 : index % classes;
    const labels = Object.fromEntries(
      Array.from({ length: PATCHES }, (_each, at) => [`bit-${at}`, String((bits >> at) & 1)]),
    );
    return mergeObject(fleet[index % fleet.length] ?? {}, {
      metadata: { name: `node-${index}`, uid: `uid-${index}`, labels },
    });
  });
}

function parsedNodes(objects: readonly JsonObject[]): readonly NodeFacts[] {
  const parse = createFactsParser();
  return objects.map((node) => parse(node));
}
