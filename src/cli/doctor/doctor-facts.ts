// What `doctor` reads of a cluster. A part that the server does not tell is undefined and named with its
// cause, so that it costs one finding and not the whole command.
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type Access, type AccessVerdict, reviewAccess } from "../../kube/client/access-review.ts";
import {
  type AnyResource,
  definitions,
  leases,
  mutatingConfigurations,
  validatingConfigurations,
} from "../../kube/client/built-in-resources.ts";
import type { Client } from "../../kube/client/client.ts";
import { readServerVersion, type ServerVersion } from "../../kube/client/discovery.ts";
import { readCluster } from "../input/cluster-objects.ts";

export type DoctorFacts = {
  /** Undefined where no server was asked. */
  readonly version: ServerVersion | undefined;
  readonly objects: readonly JsonObject[] | undefined;
  readonly definitions: readonly JsonObject[] | undefined;
  readonly leases: readonly JsonObject[] | undefined;
  /** Configurations of webhooks, of both sorts. */
  readonly webhooks: readonly JsonObject[] | undefined;
  readonly accesses: readonly (readonly [Access, AccessVerdict])[] | undefined;
  readonly unread: readonly Unread[];
};

export type Unread = { readonly what: string; readonly because: string };

const configurations: readonly AnyResource[] = [validatingConfigurations, mutatingConfigurations];

/** Reads all; rejects only when the server does not even say its version. */
export async function readDoctorFacts(client: Client, kinds: readonly Kind[]): Promise<DoctorFacts> {
  const version = await readServerVersion(client);
  const unread: Unread[] = [];
  const told = <T>(what: string, reading: Promise<T>): Promise<T | undefined> =>
    reading.catch((error: unknown) => {
      unread.push({ what, because: error instanceof Error ? error.message : String(error) });
      return undefined;
    });
  const webhooks = Promise.all(configurations.map((each) => listOf(client, each)));
  return {
    version,
    objects: await told("nodes and objects", readCluster(client, kinds)),
    definitions: await told("custom resource definitions", listOf(client, definitions)),
    leases: await told("Leases", listOf(client, leases)),
    webhooks: (await told("webhook configurations", webhooks))?.flat(),
    accesses: await told("your rights", reviewAll(client, neededAccesses(kinds))),
    unread,
  };
}

/** What a snapshot tells: nodes and objects, and nothing of the server or of the operator. */
export function snapshotFacts(objects: readonly JsonObject[]): DoctorFacts {
  const untold = {
    version: undefined,
    definitions: undefined,
    leases: undefined,
    webhooks: undefined,
    accesses: undefined,
  };
  return { ...untold, objects, unread: [] };
}

/** What the operator cannot do without, in the words of RBAC. */
function neededAccesses(kinds: readonly Kind[]): readonly Access[] {
  return [
    ...["watch", "patch"].map((verb) => ({ verb, group: "", resource: "nodes" })),
    ...["watch", "create", "patch", "delete"].map((verb) => ({ verb, group: "", resource: "pods" })),
    ...["watch", "create", "patch", "delete"].map((verb) => ({ verb, group: "apps", resource: "daemonsets" })),
    ...["watch", "create"].map((verb) => ({ verb, group: "apps", resource: "controllerrevisions" })),
    ...kinds.flatMap(({ group, plural: resource }) => [
      { verb: "watch", group, resource },
      { verb: "patch", group, resource, subresource: "status" },
    ]),
  ];
}

async function reviewAll(client: Client, accesses: readonly Access[]): Promise<DoctorFacts["accesses"]> {
  return Promise.all(accesses.map(async (access) => [access, await reviewAccess(client, access)] as const));
}

async function listOf(client: Client, resource: AnyResource): Promise<readonly JsonObject[]> {
  return (await client.list(resource)).items;
}
