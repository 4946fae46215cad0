// The verbs that change something. Each knows when doing it twice is harmless; only then may a lost answer be asked for again.
// Guarantees: whole objects are sent only to create them or to replace what we made ourselves; everything else is a patch,
// so fields, numbers and key order that we do not know survive.

import {
  collectionPath,
  type Key,
  type KubeObject,
  keyOf,
  objectPath,
  type Resource,
  resourceName,
  type Stored,
} from "../resource.ts";
import { MemberCutter } from "../wire/member-cutter.ts";
import { ApiError } from "./api-error.ts";
import type {
  ApiCall,
  Client,
  DeleteOptions,
  Patch,
  SubresourceOptions,
  UnreadAnswers,
  WriteOptions,
} from "./client.ts";
import { isFields, parseObject } from "./object-answer.ts";
import { requestLine } from "./request-line.ts";

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;
const applyType = "application/apply-patch+yaml";
/** Who reads no more than the metadata of an answer is spared the rest; a server that cannot leave it out sends all. */
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

type Write = Pick<ApiCall, "verb" | "method" | "path" | "body" | "contentType" | "repeatable" | "accept">;

/** The writing verbs over one way to call. */
export function writeVerbs(
  call: Client["call"],
  fieldManager: string,
  unread: UnreadAnswers = new Map(),
): Pick<Client, "create" | "update" | "apply" | "patch" | "remove"> {
  const cutters = new Map([...unread].map(([name, { written }]) => [name, new MemberCutter(written)]));
  const write = async <T extends KubeObject>(resource: Resource<T>, what: Write, options: SubresourceOptions) => {
    const answer = await call({
      ...what,
      resource: withSubresource(resource, options.subresource),
      repeatable: options.repeatable ?? what.repeatable,
      repeatWithinMs: options.repeatWithinMs,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
    });
    return parseObject<T>(requestLine(what.method, what.path), answer, cutters.get(resourceName(resource)));
  };
  const queryOf = (options: WriteOptions) => ({
    fieldManager: options.fieldManager ?? fieldManager,
    dryRun: options.dryRun ? "All" : undefined,
    fieldValidation: options.fieldValidation,
  });

  return {
    async create(resource, object, options = {}) {
      const path = collectionPath(resource, namespaceOf(resource, object), queryOf(options));
      // Where the name is ours, a second create meets AlreadyExists; where the server makes one up, it makes a twin.
      const repeatable = object.metadata.name !== undefined && object.metadata.name !== "";
      const how = { verb: "create", method: "POST", path, body: object, repeatable } as const;
      if (unread.get(resourceName(resource))?.created !== "metadata") return write(resource, how, options);
      const { metadata } = await write(resource, { ...how, accept: METADATA_ONLY }, options);
      return { ...object, metadata };
    },
    async update(resource, object, options = {}) {
      const path = objectPath(resource, keyOf(object), options.subresource, queryOf(options));
      assertVersioned(resource, object);
      return write(resource, { verb: "update", method: "PUT", path, body: object, repeatable: true }, options);
    },
    async apply(resource, object, options = {}) {
      const query = { ...queryOf(options), force: options.force };
      const path = objectPath(resource, keyOf(object), options.subresource, query);
      const how = { method: "PATCH", contentType: applyType, repeatable: true } as const;
      return write(resource, { verb: "apply", path, body: object, ...how }, options);
    },
    async patch(resource, key, patch, options = {}) {
      const path = objectPath(resource, key, options.subresource, queryOf(options));
      const how = { method: "PATCH", contentType: patchTypes[patch.type], repeatable: namesVersion(patch) } as const;
      return write(resource, { verb: "patch", path, body: patch.body, ...how }, options);
    },
    remove: (resource, key, options = {}) => remove(call, resource, key, options),
  };
}

async function remove(call: Client["call"], resource: Resource, key: Key, options: DeleteOptions): Promise<boolean> {
  const { uid, resourceVersion } = options;
  const isFenced = uid !== undefined || resourceVersion !== undefined;
  try {
    await call({
      verb: "delete",
      resource: resourceName(resource),
      method: "DELETE",
      path: objectPath(resource, key),
      accept: METADATA_ONLY,
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: isFenced ? { uid, resourceVersion } : undefined,
        propagationPolicy: options.propagation,
        gracePeriodSeconds: options.gracePeriodSeconds,
        dryRun: options.dryRun ? ["All"] : undefined,
      },
      repeatable: isFenced,
      repeatWithinMs: options.repeatWithinMs,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
    });
    return true;
  } catch (error) {
    // When the first answer was lost, "not found" to the second is the trace of our own delete.
    if (error instanceof ApiError && error.status === 404) return error.mayBeEcho;
    throw error;
  }
}

function withSubresource(resource: Resource, subresource: string | undefined): string {
  return subresource === undefined ? resourceName(resource) : `${resourceName(resource)}/${subresource}`;
}

function namespaceOf(resource: Resource, object: KubeObject): string | undefined {
  const { name, namespace } = object.metadata;
  if (resource.namespaced === (namespace !== undefined)) return namespace;
  const fault = resource.namespaced ? "needs a namespace" : "cannot have a namespace";
  throw new Error(`${resourceName(resource)} "${name}" ${fault}`);
}

function assertVersioned(resource: Resource, object: Stored<KubeObject>): void {
  if (object.metadata.resourceVersion) return;
  const what = `${resourceName(resource)} "${keyOf(object)}"`;
  throw new Error(`${what} has no resourceVersion to replace; read it first, or patch it`);
}

/** A patch that names the version it is for fails with a conflict when it comes a second time. */
function namesVersion(patch: Patch): boolean {
  if (patch.type === "json") {
    return patch.body.some((step) => step.op === "test" && step.path === "/metadata/resourceVersion");
  }
  const { metadata } = patch.body;
  return isFields(metadata) && typeof metadata.resourceVersion === "string";
}
