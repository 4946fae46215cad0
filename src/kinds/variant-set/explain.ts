// What one node gets from a set, and why: the outcome that the status counts, the rules that led to it, and what is there.
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { Explanation } from "../kind.ts";
import type { Decided } from "./decide.ts";
import { explainFields } from "./explain-fields.ts";
import { outcomeOfNode, waitsOf } from "./node-outcome.ts";
import { bindingOn } from "./set-labels.ts";

/** Explains a node of the snapshot; undefined for any other. */
export function explainNode(decided: Decided, name: string): Explanation | undefined {
  const { observed, cells, fleet } = decided;
  const { known, snapshot } = observed;
  const facts = snapshot.nodes.find((node) => node.name === name);
  if (facts === undefined) return undefined;
  const resolved = known.resolve(facts);
  const { reason, because } = outcomeOfNode(resolved, waitsOf(decided).get(name));
  const pods = fleet.podsByNode.get(name) ?? [];
  const { cell, outcome } = resolved;
  const variantOf = (key: string) => cells.get(key)?.seen.cell?.variant.name ?? key;
  const { nodeLabel } = known.set;
  const boundTo = bindingOn(facts.labels, known.set);
  // Also one that another set wrote under the same key: it says why ours is not there.
  const label = Object.hasOwn(facts.labels, nodeLabel) ? facts.labels[nodeLabel] : undefined;
  const keeps = outcome.gets.kind === "same" && boundTo !== undefined ? variantOf(boundTo) : "";
  return {
    ...{ node: name, reason, because, trail: outcome.trail },
    gets: cell?.variant.name ?? keeps,
    runs: [...new Set(pods.map(({ key }) => variantOf(key)))].join(", "),
    facts: {
      ...(cell === undefined ? {} : { DaemonSet: cells.get(cell.key)?.seen.cell?.name ?? cell.name }),
      ...imageFacts(cell?.images),
      ...(label === undefined ? {} : { label: `${nodeLabel}=${label}` }),
      ...(pods.length === 0 ? {} : { pod: pods.map(({ pod }) => pod.name).join(", ") }),
    },
    ...(cell === undefined ? {} : explainFields(known.set, cell, cells.get(cell.key)?.seen.wanted?.body.spec)),
  };
}

function imageFacts(images: ReadonlyMap<string, string> | undefined): Labels {
  return Object.fromEntries([...(images ?? [])].map(([container, image]) => [`image of ${container}`, image]));
}
