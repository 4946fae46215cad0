// S7: what others have written stays as it is. On nodes the operator writes labels of its Modules and of kernels, on Modules their status,
// on DaemonSets and Jobs nothing that somebody else has put there.

import { canonicalJson } from "../../../src/core/json/canonical-json.ts";
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { KERNEL_VERSION, moduleOfBinding, moduleOfReady } from "../../../src/kinds/module/module-labels.ts";
import { metaOf, objectAt } from "../../api-server/api-object.ts";
import type { Commit } from "../../simulator/commit.ts";
import { nameOf } from "./module-wishes.ts";
import { MODULES } from "./simulated-module.ts";

/** What others write in the simulator begins with this. */
export const OTHERS = "sim/";

/** The first thing of others that a write of the operator has changed. */
export function foreignChange(commit: Commit): string | undefined {
  const { table, before, after } = commit;
  if (table === "nodes") return onNode(before, after);
  if (before === undefined || after === undefined) return undefined;
  if (table === MODULES) {
    const isSame = canonicalJson(withoutStatus(before)) === canonicalJson(withoutStatus(after));
    return isSame ? undefined : `more than the status of Module ${nameOf(after)} changed`;
  }
  const lost = Object.entries(objectAt(metaOf(before), "annotations")).find(
    ([key, value]) => key.startsWith(OTHERS) && objectAt(metaOf(after), "annotations")[key] !== value,
  );
  return lost === undefined ? undefined : `${table} ${nameOf(after)} lost annotation ${lost[0]}`;
}

function onNode(before: JsonObject | undefined, after: JsonObject | undefined): string | undefined {
  if (after === undefined) return "the operator deleted a node";
  if (before === undefined) return "the operator made a node";
  const [was, is] = [objectAt(metaOf(before), "labels"), objectAt(metaOf(after), "labels")];
  const foreign = [...new Set([...Object.keys(was), ...Object.keys(is)])].find(
    (key) => was[key] !== is[key] && key !== KERNEL_VERSION && !moduleOfBinding(key) && !moduleOfReady(key),
  );
  if (foreign !== undefined) return `it changed label ${foreign} of ${nameOf(after)}`;
  const isSame = canonicalJson(withoutLabels(before)) === canonicalJson(withoutLabels(after));
  return isSame ? undefined : `more than labels of ${nameOf(after)} changed`;
}

function withoutLabels(node: JsonObject): Json {
  const { labels: _labels, ...metadata } = plainMeta(node);
  return { ...node, metadata };
}

function withoutStatus(object: JsonObject): Json {
  const { status: _status, ...rest } = object;
  return { ...rest, metadata: plainMeta(object) };
}

/** What every write changes is nobody's. */
function plainMeta(object: JsonObject): JsonObject {
  const { managedFields: _managed, resourceVersion: _version, ...metadata } = metaOf(object);
  return metadata;
}
