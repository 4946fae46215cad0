// What the status of an ending namespace says about its content, in the words of the real controller.
import { timestamp } from "../../../src/core/decision/conditions.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { type Resource, resourceName } from "../../../src/kube/resource.ts";
import type { ObjectView } from "../object-view.ts";

export type Remains = {
  readonly resource: Pick<Resource, "group" | "plural">;
  readonly objects: readonly Pick<ObjectView, "finalizers">[];
};

type Trouble = { readonly reason: string; readonly message: string };

const fine: Readonly<Record<string, Trouble>> = {
  NamespaceDeletionDiscoveryFailure: {
    ...{ reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    ...{ reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
  },
  NamespaceDeletionContentFailure: {
    ...{ reason: "ContentDeleted", message: "All content successfully deleted, may be waiting on finalization" },
  },
  NamespaceContentRemaining: { reason: "ContentRemoved", message: "All content successfully removed" },
  NamespaceFinalizersRemaining: {
    ...{ reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
  },
};

/** The five conditions; undefined when the stored ones say the same. */
export function decideConditions(
  stored: readonly JsonObject[],
  remains: readonly Remains[],
  failure: string | undefined,
  nowMs: number,
): readonly JsonObject[] | undefined {
  const troubles = troublesOf(remains, failure);
  const conditions = Object.entries(fine).map(([type, good]) => {
    const trouble = troubles.get(type);
    const status = trouble === undefined ? "False" : "True";
    const was = stored.find((each) => each.type === type);
    const since = was?.status === status ? was.lastTransitionTime : undefined;
    return { type, status, lastTransitionTime: since ?? timestamp(nowMs), ...(trouble ?? good) };
  });
  const isSaid = conditions.every(({ type, status, message }) =>
    stored.some((each) => each.type === type && each.status === status && each.message === message),
  );
  return isSaid ? undefined : conditions;
}

function troublesOf(remains: readonly Remains[], failure: string | undefined): ReadonlyMap<string, Trouble> {
  const troubles = new Map<string, Trouble>();
  if (failure !== undefined) {
    const message = `Failed to delete all resource types, 1 remaining: ${failure}`;
    troubles.set("NamespaceDeletionContentFailure", { reason: "ContentDeletionFailed", message });
  }
  const left = remains.filter(({ objects }) => objects.length > 0);
  if (left.length > 0) {
    const counts = left.map(({ resource, objects }) => `${nameOf(resource)} has ${objects.length} resource instances`);
    const message = `Some resources are remaining: ${counts.sort().join(", ")}`;
    troubles.set("NamespaceContentRemaining", { reason: "SomeResourcesRemain", message });
  }
  const holders = finalizersOf(left);
  if (holders.size > 0) {
    const counts = [...holders].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
    const message = `Some content in the namespace has finalizers remaining: ${counts.sort().join(", ")}`;
    troubles.set("NamespaceFinalizersRemaining", { reason: "SomeFinalizersRemain", message });
  }
  return troubles;
}

/** The real controller ends the names of the core group with a dot. */
function nameOf(resource: Remains["resource"]): string {
  return resource.group === "" ? `${resource.plural}.` : resourceName(resource);
}

function finalizersOf(remains: readonly Remains[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const finalizer of remains.flatMap(({ objects }) => objects.flatMap(({ finalizers }) => finalizers))) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  return counts;
}
