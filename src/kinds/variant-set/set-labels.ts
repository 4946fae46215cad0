// The labels that a set writes to nodes: the one that binds them, and where that does not tell whose it is, one that does. From these a
// set that is gone is known by its name, so that its labels can be taken away.

import type { Labels } from "../../core/labels/label-requirement.ts";
import { labelSafe } from "../../core/labels/label-safe.ts";
import type { ObjectName } from "../kind.ts";

const OWN_PREFIX = "variant.farrier.dev/";
const TRACE_END = ".trace.variant.farrier.dev/set";
/** The part of a label key before the slash holds so many characters; the name of a set must leave room for the rest. */
const KEY_PREFIX_MAX = 253;
const NAMESPACE_MAX = 63;
export const SET_NAME_MAX = KEY_PREFIX_MAX - NAMESPACE_MAX - 1 - TRACE_END.length + "/set".length;

/** The label that binds nodes to a set which names none: valid and its own for every name. */
export function ownNodeLabel({ namespace, name }: ObjectName): string {
  return `${OWN_PREFIX}${labelSafe(`${namespace}.${name}`)}`;
}

/** The label that tells whose the binding is; undefined where the binding label itself does. */
export function traceLabel(set: ObjectName & { readonly nodeLabel: string }): string | undefined {
  const isTold = set.nodeLabel === `${OWN_PREFIX}${set.namespace}.${set.name}`;
  return isTold ? undefined : `${set.name}.${set.namespace}${TRACE_END}`;
}

/** The keys of all labels that a set may write to a node. */
export function nodeLabelKeys(set: ObjectName & { readonly nodeLabel: string }): readonly string[] {
  const trace = traceLabel(set);
  return trace === undefined ? [set.nodeLabel] : [set.nodeLabel, trace];
}

/** The labels of a node that is bound to a cell; none when it is bound to nothing. */
export function bindingLabels(set: ObjectName & { readonly nodeLabel: string }, key: string | undefined): Labels {
  if (key === undefined) return {};
  const trace = traceLabel(set);
  return trace === undefined ? { [set.nodeLabel]: key } : { [set.nodeLabel]: key, [trace]: "true" };
}

/** The key of the cell that a set has bound a node to; a label of the same key that another one wrote there binds nothing. */
export function bindingOn(labels: Labels, set: ObjectName & { readonly nodeLabel: string }): string | undefined {
  const isOurs = nodeLabelKeys(set).every((key) => Object.hasOwn(labels, key));
  return isOurs ? labels[set.nodeLabel] : undefined;
}

/** The sets that a node's labels speak of, each once. */
export function setsOn(labels: Labels): readonly ObjectName[] {
  const found = new Map<string, ObjectName>();
  for (const key of Object.keys(labels)) {
    const name = setOf(key);
    if (name !== undefined) found.set(`${name.namespace}/${name.name}`, name);
  }
  return [...found.values()];
}

/** A namespace has no dots, so it is what stands before the first of them, or after the last. */
function setOf(key: string): ObjectName | undefined {
  if (key.startsWith(OWN_PREFIX)) {
    const [namespace = "", ...rest] = key.slice(OWN_PREFIX.length).split(".");
    const name = rest.join(".");
    // One that was shortened tells nothing; another label does.
    return name !== "" && ownNodeLabel({ namespace, name }) === key ? { namespace, name } : undefined;
  }
  if (!key.endsWith(TRACE_END)) return undefined;
  const parts = key.slice(0, -TRACE_END.length).split(".");
  const namespace = parts.pop() ?? "";
  return parts.length === 0 ? undefined : { namespace, name: parts.join(".") };
}
