// Nodes as they might be: another kernel on some of them, other labels. What the operator would do about it is the forecast's business.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { matchLabels } from "../../core/labels/label-selector.ts";
import { parseLabelSelector } from "../../core/labels/label-selector-text.ts";
import { CommandError } from "../command-error.ts";
import { problemLines } from "./source.ts";

export type WhatIf = {
  /** Whether the node is meant. */
  readonly concerns: (node: JsonObject) => boolean;
  readonly change: (node: JsonObject) => JsonObject;
};

/** Nodes that match a selector in kubectl's words report another kernel. */
export function anotherKernel(kernel: string, selectorText: string): WhatIf {
  const parsed = parseLabelSelector(selectorText, "--nodes");
  if (!parsed.ok) throw new CommandError(problemLines(parsed.problems).join("\n"));
  return {
    concerns: (node) => matchLabels(parsed.value, objectIdentity(node).labels),
    change: (node) => {
      const status = isJsonObject(node.status) ? node.status : {};
      const nodeInfo = isJsonObject(status.nodeInfo) ? status.nodeInfo : {};
      return { ...node, status: { ...status, nodeInfo: { ...nodeInfo, kernelVersion: kernel } } };
    },
  };
}

/** One node has these labels: `disk=large` sets one, `disk-` takes one away. */
export function otherLabels(node: string, changes: readonly string[]): WhatIf {
  const name = node.replace(/^nodes?\//, "");
  const edits = changes.map((text): readonly [string, string | undefined] => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
    if (text.endsWith("-") && text.length > 1) return [text.slice(0, -1), undefined];
    throw new CommandError(`--label: "${text}" is neither key=value nor key-`);
  });
  return {
    concerns: (object) => objectIdentity(object).name === name,
    change: (object) => {
      const metadata = isJsonObject(object.metadata) ? object.metadata : {};
      const labels = new Map(Object.entries(objectIdentity(object).labels));
      for (const [key, value] of edits)
        if (value === undefined) labels.delete(key);
        else labels.set(key, value);
      return { ...object, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
    },
  };
}

/** The objects with the change, and how many nodes it is for. */
export function imagine(
  objects: readonly JsonObject[],
  whatIf: WhatIf,
): { readonly objects: readonly JsonObject[]; readonly nodes: number } {
  let nodes = 0;
  const changed = objects.map((object) => {
    if (object.kind !== "Node" || !whatIf.concerns(object)) return object;
    nodes += 1;
    return whatIf.change(object);
  });
  return { objects: changed, nodes };
}
