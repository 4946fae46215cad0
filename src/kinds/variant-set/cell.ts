// A cell is what one DaemonSet of a set is for: a variant, and where its images name the kernel, what they read of it. Nodes of one
// cell run the same pods and are bound to its DaemonSet by its key.

import type { Parsed } from "../../core/decision/problem.ts";
import { childName } from "../../core/hash/names.ts";
import { labelSafe } from "../../core/labels/label-safe.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { type ImageTemplate, kernelValues, renderImageTemplate } from "../../core/values/image-template.ts";
import { quoted } from "../../core/values/shown.ts";
import type { Variant, VariantSet } from "./api/spec.ts";

export type Cell = {
  /** The value of the label that binds a node to it. The image is no part of it: another image for the same nodes is an update. */
  readonly key: string;
  readonly variant: Variant;
  /** The name of its DaemonSet. */
  readonly name: string;
  /** By name of the container, with the variables filled in. */
  readonly images: ReadonlyMap<string, string>;
};

/** The cell of a node that gets a variant, or why there is none for its kernel. */
export function cellOf(set: VariantSet, variant: Variant, node: NodeFacts): Parsed<Cell> {
  const subject = { kernel: node.kernel, moduleName: set.name, moduleNamespace: set.namespace };
  const images = new Map<string, string>();
  const values: string[] = [];
  for (const [container, template] of sortedImages(variant)) {
    const image = renderImageTemplate(template, subject, `${variant.place}.images[${quoted(container)}]`);
    if (!image.ok) return image;
    images.set(container, image.value);
    values.push(...(kernelValues(template, subject) ?? []));
  }
  const key = labelSafe(values.length === 0 ? variant.name : JSON.stringify([variant.name, ...values]));
  return { ok: true, value: { key, variant, name: variant.daemonSetName ?? madeName(set, variant, key), images } };
}

/** The name of a DaemonSet to which nobody gave one: the same for ever, and no other cell's, however much of it is cut. */
export function madeName(set: VariantSet, variant: Variant, key = labelSafe(variant.name)): string {
  return childName(`${set.name}-${variant.name}`, [set.name, key], 63);
}

function sortedImages({ images }: Variant): readonly (readonly [string, ImageTemplate])[] {
  return [...images].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}
