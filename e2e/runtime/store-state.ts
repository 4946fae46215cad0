// Which state of which object: what caches, API server and store are compared by. A state is the object's UID and version;
// two that agree in both are the same bytes.
import type { Cluster } from "../control-plane/cluster.ts";
import { call } from "../control-plane/https-call.ts";
import { field } from "./etcd-gateway.ts";
import type { Committed } from "./observer.ts";

/** By "namespace/name", "uid@version". */
export type States = ReadonlyMap<string, string>;

/** How one picture differs from the truth, by key. */
export type Differences = {
  readonly missing: readonly string[];
  readonly stale: readonly string[];
  readonly ghosts: readonly string[];
};

/** The state that an object with these is in. */
export function stateOf(uid: string, version: string | number): string {
  return `${uid}@${version}`;
}

/** Compares a picture with the truth; undefined when they are the same. */
export function differencesFrom(truth: States, held: States): Differences | undefined {
  const missing = [...truth.keys()].filter((key) => !held.has(key));
  const stale = [...held].filter(([key, state]) => truth.has(key) && truth.get(key) !== state).map(([key]) => key);
  const ghosts = [...held.keys()].filter((key) => !truth.has(key));
  return missing.length + stale.length + ghosts.length === 0 ? undefined : { missing, stale, ghosts };
}

/** The ConfigMaps of a namespace by a quorum read, on a connection of its own. */
export async function readConfigMaps(cluster: Cluster, namespace: string): Promise<States> {
  const { url, ca } = cluster.address;
  const path = `${url}/api/v1/namespaces/${namespace}/configmaps`;
  const answer = await call(path, { ca, token: cluster.token() });
  const items = field(JSON.parse(answer.text), "items");
  if (answer.status !== 200 || !Array.isArray(items)) throw new Error(`the list was answered with ${answer.status}`);
  return new Map(items.map((item) => [`${namespace}/${name(item)}`, stateOf(uid(item), version(item))]));
}

/** What the store held after each revision at which one of these objects changed. */
export function* statesAfterEach(changes: readonly Committed[]): Generator<readonly [revision: number, States]> {
  const states = new Map<string, string>();
  for (const { revision, namespace, name: own, object } of changes) {
    if (object === undefined) states.delete(`${namespace}/${own}`);
    else states.set(`${namespace}/${own}`, stateOf(uid(object), revision));
    yield [revision, new Map(states)];
  }
}

const uid = (object: unknown) => String(field(field(object, "metadata"), "uid"));
const name = (object: unknown) => String(field(field(object, "metadata"), "name"));
const version = (object: unknown) => String(field(field(object, "metadata"), "resourceVersion"));
