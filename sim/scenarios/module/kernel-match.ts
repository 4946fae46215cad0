// S5: a node is bound only to a driver of the kernel that it runs. A process that was held up may know an older kernel of the node; so
// one that the node ran a moment ago will do, and the end of a history tells whether it was put right.

import type { JsonObject } from "../../../src/core/json/json.ts";
import { EXACT_KERNEL, FIT, moduleOfBinding } from "../../../src/kinds/module/module-labels.ts";
import { metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Commit, Invariant } from "../../simulator/commit.ts";
import { SETS } from "../small-daemon-sets.ts";
import { kernelOf, nameOf } from "./module-wishes.ts";

/** As long as a process can be held up, and a message after it. */
const LATE_MS = 150_000;

/** The invariant for one history: it remembers when nodes ran which kernel. */
export function kernelMatch(isOurs: (commit: Commit) => boolean, nowMs: () => number): Invariant {
  const ran = new Map<string, number>();
  // Also of DaemonSets that are gone: between the DaemonSet and the label somebody may delete it.
  const kernels = new Map<string, string>();
  return {
    name: "S5 KernelMatch",
    check(commit) {
      const { table, before, after } = commit;
      if (table === SETS && after !== undefined) kernels.set(textAt(labelsOf(after), FIT), exactKernel(after));
      if (table !== "nodes" || after === undefined) return undefined;
      if (before !== undefined) ran.set(`${nameOf(after)} ${kernelOf(before)}`, nowMs());
      if (!isOurs(commit)) return undefined;
      for (const [key, value] of Object.entries(labelsOf(after))) {
        if (moduleOfBinding(key) === undefined || labelsOf(before ?? {})[key] === value) continue;
        const kernel = kernels.get(String(value));
        if (kernel === undefined) return `${nameOf(after)} is bound to ${String(value)}, which has never been there`;
        const lastMs = kernel === kernelOf(after) ? nowMs() : ran.get(`${nameOf(after)} ${kernel}`);
        if (lastMs === undefined || nowMs() - lastMs > LATE_MS)
          return `${nameOf(after)} runs ${kernelOf(after)} and is bound to a driver for ${kernel}`;
      }
      return undefined;
    },
  };
}

function exactKernel(set: JsonObject): string {
  return textAt(objectAt(metaOf(set), "annotations"), EXACT_KERNEL);
}

function labelsOf(object: JsonObject): JsonObject {
  return objectAt(metaOf(object), "labels");
}
