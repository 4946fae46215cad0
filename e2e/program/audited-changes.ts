// What really happened between two moments, in the words of a plan: the operator's writes from the audit log, and the fate of the pods from
// what was there before and after.
import type { Client } from "../../src/kube/client/client.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import type { AuditedRequest } from "../control-plane/audit.ts";

/** `create DaemonSet driver-1a2b`, sorted; as a plan lists changes, each object once. */
export type Changes = readonly string[];

export type PodFates = {
  readonly gained: number;
  readonly replaced: number;
  readonly changedInPlace: number;
  readonly lost: number;
  readonly untouched: number;
};

type Pod = KubeObject & {
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly unknown[] };
};
export type PodsByNode = ReadonlyMap<string, { readonly uid: string; readonly spec: string }>;

const pods: Resource<Pod> = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const WATCHED: Readonly<Record<string, string>> = { daemonsets: "DaemonSet", jobs: "Job", nodes: "Node" };
const CREATED = 201;

/** What these writes of the operator did to DaemonSets, Jobs and nodes: by the first write of each, or by its deletion. */
export function changesIn(writes: readonly AuditedRequest[]): Changes {
  const seen = new Map<string, string>();
  for (const write of writes) {
    const kind = WATCHED[write.resource];
    const isRefused = write.code === 0 || write.code >= 300;
    // The advanced DaemonSet itself goes by the same plural; only what is said of it is written.
    if (kind === undefined || isRefused || write.subresource !== "" || write.apiGroup === "apps.kruise.io") continue;
    const id = `${kind} ${write.name}`;
    const verb = verbOf(write, kind);
    if (!seen.has(id) || (verb === "delete" && seen.get(id) === "change")) seen.set(id, verb);
  }
  return [...seen].map(([id, verb]) => `${verb} ${id}`).sort();
}

function verbOf({ verb, code }: AuditedRequest, kind: string): string {
  if (verb === "delete") return "delete";
  if (kind === "Node") return "label";
  if (kind === "Job") return "build";
  return verb === "create" || code === CREATED ? "create" : "change";
}

/** How many different pods the operator did this to. */
export function podsMetBy(writes: readonly AuditedRequest[], verb: "create" | "patch" | "delete"): number {
  const met = writes.filter((write) => write.resource === "pods" && write.verb === verb && write.code < 300);
  return new Set(met.map(({ name }) => name)).size;
}

/** The daemon pods of now, one for each node; those of Jobs are none. */
export async function podsNow(client: Client, prefix: string): Promise<PodsByNode> {
  const { items } = await client.list(pods, { namespace: "default" });
  const daemons = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind, name }) => kind === "DaemonSet" && name.startsWith(prefix)),
  );
  return new Map(
    daemons.map(({ metadata, spec }) => [
      spec?.nodeName ?? "",
      { uid: metadata.uid, spec: JSON.stringify(spec?.containers) },
    ]),
  );
}

/** What became of the pods from then to now. */
export function fatesOf(then: PodsByNode, now: PodsByNode): PodFates {
  const nodes = [...new Set([...then.keys(), ...now.keys()])];
  const count = (isSo: (before: string | undefined, after: string | undefined, isSame: boolean) => boolean) =>
    nodes.filter((node) => {
      const [before, after] = [then.get(node), now.get(node)];
      return isSo(before?.uid, after?.uid, before?.spec === after?.spec);
    }).length;
  return {
    gained: count((before, after) => before === undefined && after !== undefined),
    replaced: count((before, after) => before !== undefined && after !== undefined && before !== after),
    changedInPlace: count((before, after, isSame) => before !== undefined && before === after && !isSame),
    lost: count((before, after) => before !== undefined && after === undefined),
    untouched: count((before, after, isSame) => before !== undefined && before === after && isSame),
  };
}
