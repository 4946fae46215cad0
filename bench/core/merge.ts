// Strategic merges: over all vectors, and on one template with few and many patches; plain and traced. All times are per
// patch. Go's paths read and write text; ours works on values, with an extra row for what text would cost it.
import { readFile } from "node:fs/promises";
import { isSameJson } from "../../e2e/oracle/same-json.ts";
import { isJsonObject, type Json } from "../../src/core/json/json.ts";
import { strategicMerge, strategicMergeTraced } from "../../src/core/strategic-merge/strategic-merge.ts";
import { atMost } from "../bar.ts";
import type { WorkComparison, Yardstick } from "../compare.ts";
import { inProcess, type Work } from "../measure.ts";
import type { Go } from "./go-yardstick.ts";
import { patches, podTemplate } from "./pod-template.ts";
import { loadTypedTemplateCheck } from "./typed-template.ts";

type Merge = { readonly original: Json; readonly patches: readonly Json[] };

const thrice = atMost(1 / 3);
const tenfold = atMost(1 / 10);
const PATCH_COUNTS = [1, 3, 10];

/** Every comparison about merging; throws where Go's result of a merge to be timed is not ours. */
export async function mergeComparisons(go: Go): Promise<readonly WorkComparison[]> {
  const vectors = await mergeableVectors();
  const stacks = PATCH_COUNTS.map((count): Merge => ({ original: podTemplate, patches: patches.slice(0, count) }));
  for (const merge of [...vectors, ...stacks]) await requireSameResult(merge, go);
  const isTyped = await loadTypedTemplateCheck();
  const typed = vectors.filter(({ original, patches }) => isTyped(original) && isTyped(mergeAll(original, patches)));
  return [
    {
      name: "per patch: merge, all vectors",
      unit: "µs",
      subject: plain(vectors),
      yardsticks: [{ name: "Go, bytes", bar: thrice, work: goMerge(go, "mergeBytes", vectors) }, viaText(vectors)],
    },
    {
      name: `per patch: merge, ${typed.length} vectors that are pod templates`,
      unit: "µs",
      subject: plain(typed),
      yardsticks: [{ name: "Go, typed template (KEP)", work: goMerge(go, "mergeTyped", typed) }, viaText(typed)],
    },
    ...stacks.flatMap((stack) => stackComparisons(stack, go)),
  ];
}

function stackComparisons(stack: Merge, go: Go): readonly WorkComparison[] {
  const what = `2 KB template, ${stack.patches.length} ${stack.patches.length === 1 ? "patch" : "patches"}`;
  return [
    {
      name: `per patch: merge, ${what}`,
      unit: "µs",
      subject: plain([stack]),
      yardsticks: [
        { name: "Go, typed template (KEP)", bar: tenfold, work: goMerge(go, "mergeTyped", [stack]) },
        { name: "Go, bytes", bar: thrice, work: goMerge(go, "mergeBytes", [stack]) },
        viaText([stack]),
      ],
    },
    {
      name: `per patch: traced merge, ${what}`,
      unit: "µs",
      subject: traced(stack),
      yardsticks: [{ name: "plain merge", bar: atMost(1.5), work: plain([stack]) }],
    },
  ];
}

function plain(merges: readonly Merge[]): Work {
  return inProcess("strategicMerge", mergeCount(merges), () => {
    let fields = 0;
    for (const { original, patches } of merges) fields += Object.keys(mergeAll(original, patches)).length;
    return fields;
  });
}

/** Our merge with the decoding and encoding that both of Go's paths do for every patch: for information, without a bar. */
function viaText(merges: readonly Merge[]): Yardstick {
  const texts = merges.map(({ original, patches }) => ({
    original: JSON.stringify(original),
    patches: patches.map((patch) => JSON.stringify(patch)),
  }));
  const work = inProcess("JSON.parse, strategicMerge, JSON.stringify", mergeCount(merges), () => {
    let chars = 0;
    for (const { original, patches } of texts) {
      let merged = original;
      for (const patch of patches) merged = JSON.stringify(strategicMerge(JSON.parse(merged), JSON.parse(patch)));
      chars += merged.length;
    }
    return chars;
  });
  return { name: "ours with JSON.parse and JSON.stringify", work };
}

function mergeAll(original: Json, patches: readonly Json[]): Json & object {
  let merged = strategicMerge(original, patches[0] ?? null);
  for (let at = 1; at < patches.length; at++) merged = strategicMerge(merged, patches[at] ?? null);
  return merged;
}

function traced({ original, patches }: Merge): Work {
  const layers = patches.map((patch, index) => ({ name: `patches[${index}]`, patch }));
  return inProcess(
    "strategicMergeTraced",
    layers.length,
    () => strategicMergeTraced(original, layers).provenance.length,
  );
}

function goMerge(go: Go, work: "mergeBytes" | "mergeTyped", merges: readonly Merge[]): ReturnType<Go["work"]> {
  return go.work({ work, operations: mergeCount(merges), input: { merges: [...merges] } });
}

function mergeCount(merges: readonly Merge[]): number {
  return merges.reduce((sum, { patches }) => sum + patches.length, 0);
}

/** The vectors that end in a result; a refusal is not what anybody waits for. */
async function mergeableVectors(): Promise<readonly Merge[]> {
  const file = new URL("../../src/core/strategic-merge/vectors/smp-vectors.json", import.meta.url);
  const vectors: unknown = JSON.parse(await readFile(file, "utf8"));
  if (!Array.isArray(vectors)) throw new Error("smp-vectors.json is not a list");
  return vectors.flatMap((vector: unknown) =>
    isJsonObject(vector) && vector.expected !== undefined
      ? [{ original: vector.original ?? null, patches: [vector.patch ?? null] }]
      : [],
  );
}

async function requireSameResult(merge: Merge, go: Go): Promise<void> {
  const answer = await go.answer({ concept: "smp", case: merge });
  if (answer === undefined) return;
  const ours = { outcomes: [{ result: mergeAll(merge.original, merge.patches) }] };
  if (!isSameJson(answer, ours)) throw new Error(`Go and we merge ${JSON.stringify(merge)} differently`);
}
