// What an API object is to a client that knows no kind: an address (group, version, plural, namespace, name) and metadata.
// Every verb, watch and cache builds on these types; what else an object holds is the caller's type.

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** The part of metadata that we read or write; a stored object may hold more. */
export type ObjectMeta = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
};

export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
};

/** An object as the server answers it: it has an identity and a version. */
export type Stored<T extends KubeObject> = T & {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
};

/** Where objects of one type live. `T` is the shape the caller expects there; nothing checks it but the caller's parser. */
export type Resource<T extends KubeObject = KubeObject> = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: it only carries `T` from the descriptor to the answer. */
  readonly shape?: T;
};

/** "namespace/name", or "name" where there is no namespace. */
export type Key = string;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

type Place = { readonly namespace?: string; readonly name?: string; readonly subresource?: string };

/** The key of an object: equal keys in one resource are the same name, not necessarily the same object (see its UID). */
export function keyOf(object: { readonly metadata: { readonly name: string; readonly namespace?: string } }): Key {
  return namedKey(object.metadata.name, object.metadata.namespace);
}

/** Joins a name and, where there is one, its namespace to a key. */
export function namedKey(name: string, namespace?: string): Key {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Splits a key into its name and namespace. */
export function splitKey(key: Key): { readonly name: string; readonly namespace?: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** "apps/v1", or "v1" for the core group. */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** "daemonsets.apps", or "pods" for the core group: how people and metrics call a resource. */
export function resourceName(resource: Pick<Resource, "group" | "plural">): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** The path of a collection: all namespaces unless one is named. */
export function collectionPath(resource: Resource, namespace?: string, query: Query = {}): string {
  return pathOf(resource, namespace === undefined ? {} : { namespace }, query);
}

/** The path of one object or one of its subresources; throws when the key does not fit the resource's scope. */
export function objectPath(resource: Resource, key: Key, subresource?: string, query: Query = {}): string {
  const { name, namespace } = splitKey(key);
  if (resource.namespaced === (namespace === undefined)) {
    const wanted = resource.namespaced ? '"namespace/name"' : '"name"';
    throw new Error(`key ${JSON.stringify(key)} does not fit ${resourceName(resource)}; give ${wanted}`);
  }
  return pathOf(
    resource,
    { name, ...(namespace === undefined ? {} : { namespace }), ...(subresource === undefined ? {} : { subresource }) },
    query,
  );
}

function pathOf(resource: Resource, place: Place, query: Query): string {
  const root = resource.group === "" ? "/api" : `/apis${pathSegment(resource.group)}`;
  const inNamespace = place.namespace === undefined ? "" : `/namespaces${pathSegment(place.namespace)}`;
  const object = `${pathSegment(place.name)}${pathSegment(place.subresource)}`;
  return `${root}${pathSegment(resource.version)}${inNamespace}${pathSegment(resource.plural)}${object}${printQuery(query)}`;
}

/** A segment behind its slash, if there is one. Empty and dotted ones would address something else once a proxy has tidied the path up. */
function pathSegment(segment: string | undefined): string {
  if (segment === undefined) return "";
  if (segment === "" || segment === "." || segment === "..") {
    throw new Error(`${JSON.stringify(segment)} cannot be part of an API path; check the name and namespace`);
  }
  return `/${encodeURIComponent(segment)}`;
}

function printQuery(query: Query): string {
  let printed = "";
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    printed += `${printed === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;
  }
  return printed;
}
