// Two replicas of the counting operator as processes of their own, each a user of its own, and what the store tells of them.
import { join } from "node:path";
import type { Client } from "../../src/kube/client/client.ts";
import type { LeadershipLimits } from "../../src/runtime/lease/lease-leadership.ts";
import { leases } from "../../src/runtime/lease/lease-record.ts";
import type { AuditedRequest } from "../control-plane/audit.ts";
import type { Cluster } from "../control-plane/cluster.ts";
import { eventually } from "../control-plane/eventually.ts";
import { Part } from "../control-plane/part.ts";
import { type Supervised, superviseIn } from "../control-plane/supervised.ts";
import type { ServerAddress, User } from "../control-plane/users.ts";
import { aConfigMap, configMaps, makeNamespace } from "./config-maps.ts";
import { field } from "./etcd-gateway.ts";
import type { Observer } from "./observer.ts";
import { COUNTER, ECHO, type ReplicaOptions } from "./replica.ts";

/** One committed write of a replica: its place in the store's history, and who wrote it in which of its terms. */
export type Count = {
  readonly revision: number;
  /** The ConfigMap that was written. */
  readonly name: string;
  readonly count: number;
  readonly term: string;
  readonly replica: string;
};

export type World = {
  readonly cluster: Cluster;
  readonly observer: Observer;
  readonly client: Client;
  /** A folder for the replicas' logs. */
  readonly folder: string;
  /** What the replicas take for the API server, if not itself. */
  readonly via?: ServerAddress;
};

export const REPLICAS: readonly [User, User] = [
  { name: "replica-a", groups: ["system:masters"] },
  { name: "replica-b", groups: ["system:masters"] },
];

export const LEASE = "counting";
const LEADS_DEADLINE = { deadlineMs: 30_000 };

/** Starts two replicas in a new namespace; resolves when one of them counts. */
export async function startPair(world: World, namespace: string, limits: LeadershipLimits): Promise<ReplicaPair> {
  const { client } = world;
  await makeNamespace(client, namespace);
  for (const name of [COUNTER, ECHO]) await client.create(configMaps, aConfigMap(namespace, name));
  // A Lease that nobody ever held may be taken at once; whoever makes one waits as if somebody had held it.
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: LEASE, namespace } };
  await client.create(leases, lease);
  const pair = new ReplicaPair(world, namespace, limits);
  await Promise.all(pair.replicas.map((replica) => replica.start()));
  await pair.countsAfter(0, LEADS_DEADLINE.deadlineMs);
  return pair;
}

export class ReplicaPair {
  readonly replicas: readonly Part[];
  readonly #world: World;
  readonly #namespace: string;
  readonly #supervised: Supervised;

  constructor(world: World, namespace: string, limits: LeadershipLimits) {
    this.#world = world;
    this.#namespace = namespace;
    this.#supervised = superviseIn(world.folder);
    this.replicas = REPLICAS.map(({ name }) => {
      const kubeconfig = world.cluster.kubeconfigFile(name, world.via);
      const options: ReplicaOptions = { name, kubeconfig, namespace, lease: LEASE, limits };
      const logFile = join(world.folder, `${namespace}-${name}.log`);
      const args = [join(import.meta.dirname, "replica.ts"), JSON.stringify(options)];
      const spec = { name, command: process.execPath, args, ports: [], logFile };
      const part: Part = new Part(
        { ...spec, isReady: async () => part.log().includes("phase started") },
        this.#supervised,
      );
      return part;
    });
  }

  /** The replica that has counted last, and the other one. */
  roles(): { readonly leader: Part; readonly other: Part } {
    const [a, b] = this.replicas;
    if (a === undefined || b === undefined) throw new Error("a pair has two replicas");
    return this.counts().at(-1)?.replica === a.name ? { leader: a, other: b } : { leader: b, other: a };
  }

  /** Every count that was committed, in the order of the store. */
  counts(): readonly Count[] {
    return this.written().filter(({ name }) => name === COUNTER);
  }

  /** Everything that the replicas have written, counts and echoes, in the order of the store. */
  written(): readonly Count[] {
    const changes = this.#world.observer.changes("configmaps", this.#namespace);
    return changes.flatMap(({ revision, name, object }) => {
      const counted = field(object, "data");
      const term = field(counted, "term");
      if (typeof term !== "string") return [];
      return [{ revision, name, count: Number(field(counted, "count")), term, replica: term.split("#")[0] ?? "" }];
    });
  }

  /** Resolves with the first count after a revision, by a certain replica if one is named. */
  countsAfter(revision: number, deadlineMs: number, replica?: Part): Promise<Count> {
    const isIt = (count: Count) => count.revision > revision && (replica?.name ?? count.replica) === count.replica;
    const who = replica?.name ?? "somebody";
    return eventually(`${who} counts in ${this.#namespace}`, () => this.counts().find(isIt), { deadlineMs });
  }

  /** Resolves when so many more counts are there. */
  async countsMore(counts: number, deadlineMs: number): Promise<void> {
    const goal = this.counts().length + counts;
    const isThere = () => this.counts().length >= goal || undefined;
    await eventually(`${counts} more counts in ${this.#namespace}`, isThere, { deadlineMs });
  }

  /** Who held the Lease from which revision on. */
  holders(): readonly { readonly revision: number; readonly holder: string }[] {
    const changes = this.#world.observer.changes("leases", this.#namespace);
    return changes.map(({ revision, object }) => {
      const holder = field(field(object, "spec"), "holderIdentity");
      return { revision, holder: typeof holder === "string" ? (holder.split("_")[0] ?? "") : "" };
    });
  }

  /** What the API server was asked to write, refused or not, by one replica. */
  writesOf(replica: Part, resource: "configmaps" | "leases"): readonly AuditedRequest[] {
    const isIts = (write: AuditedRequest) => write.user === replica.name && write.namespace === this.#namespace;
    return this.#world.cluster.audit().filter((write) => isIts(write) && write.resource === resource);
  }

  /** Kills what still runs. */
  async stop(): Promise<void> {
    await this.#supervised.end();
  }
}

/** What two writers at once would leave behind: a term that goes on after another began, or a count that is not the next. */
export function overlapsIn(counts: readonly Count[]): readonly string[] {
  const ended = new Set<string>();
  return counts.flatMap((now, index) => {
    const before = counts[index - 1];
    if (before === undefined) return [];
    if (before.term !== now.term) ended.add(before.term);
    const faults: string[] = [];
    if (ended.has(now.term)) faults.push(`${now.term} counts to ${now.count} after ${before.term}`);
    if (now.count !== before.count + 1) faults.push(`${now.term} counts from ${before.count} to ${now.count}`);
    return faults;
  });
}
