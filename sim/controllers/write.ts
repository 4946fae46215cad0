// What a controller decides to do, as values, and the one place where it is done.
//
// Guarantees: every delete names the UID that was decided on; what is gone already counts as done; all writes are tried that
// can be, and the first failure is thrown at the end.
import { hasCause, isConflict, isNotFound } from "../../src/kube/client/api-error.ts";
import type { Client, DeleteOptions, Patch } from "../../src/kube/client/client.ts";
import type { Key, Resource, Stored } from "../../src/kube/resource.ts";
import type { ApiObject } from "./api-resources.ts";

export type Write =
  | { readonly do: "create"; readonly resource: Resource<ApiObject>; readonly object: ApiObject }
  | {
      readonly do: "patch";
      readonly resource: Resource;
      readonly key: Key;
      readonly patch: Patch;
      readonly subresource?: string;
    }
  | {
      readonly do: "delete";
      readonly resource: Resource;
      readonly key: Key;
      readonly uid: string;
      readonly options?: Omit<DeleteOptions, "uid" | "signal">;
    };

export type Done =
  | { readonly did: "create"; readonly object: Stored<ApiObject> }
  | { readonly did: "patch"; readonly key: Key; readonly version: string }
  | { readonly did: "delete"; readonly key: Key; readonly uid: string }
  | { readonly did: "nothing" };

/** Creates begin with one and double as long as they succeed, so that a quota refuses one of them and not hundreds. */
const FIRST_BATCH = 1;
const BATCH_MAX = 250;

/** Told about each write as soon as it is done, also when a later one fails. */
export type OnDone = (done: Done) => void;

/** Performs all writes: creates in growing batches, everything else at once. */
export async function performWrites(
  client: Client,
  writes: readonly Write[],
  signal: AbortSignal,
  onDone: OnDone = () => undefined,
): Promise<void> {
  const creates = writes.filter((write) => write.do === "create");
  const others = writes.filter((write) => write.do !== "create");
  const failures: unknown[] = [];
  const attempt = async (write: Write) => {
    try {
      signal.throwIfAborted();
      onDone(await performWrite(client, write, signal));
    } catch (error) {
      failures.push(error);
    }
  };
  for (let [at, size] = [0, FIRST_BATCH]; at < creates.length && failures.length === 0; size *= 2) {
    const batch = creates.slice(at, at + Math.min(size, BATCH_MAX));
    await Promise.all(batch.map(attempt));
    at += batch.length;
  }
  await Promise.all(others.map(attempt));
  if (failures.length > 0) throw failures[0];
}

async function performWrite(client: Client, write: Write, signal: AbortSignal): Promise<Done> {
  switch (write.do) {
    case "create":
      return create(client, write, signal);
    case "patch": {
      const { resource, key, patch, subresource } = write;
      const options = { signal, ...(subresource === undefined ? {} : { subresource }) };
      const patched = await client.patch(resource, key, patch, options).catch(ignoreMissing);
      return patched === undefined
        ? { did: "nothing" }
        : { did: "patch", key, version: patched.metadata.resourceVersion };
    }
    case "delete": {
      const { resource, key, uid, options = {} } = write;
      const isThere = await client.remove(resource, key, { ...options, uid, signal }).catch(ignoreGone);
      return isThere === true ? { did: "delete", key, uid } : { did: "nothing" };
    }
  }
}

async function create(client: Client, write: Write & { do: "create" }, signal: AbortSignal): Promise<Done> {
  try {
    return { did: "create", object: await client.create(write.resource, write.object, { signal }) };
  } catch (error) {
    // Nothing can be made any more where everything is about to go.
    if (hasCause(error, "NamespaceTerminating")) return { did: "nothing" };
    throw error;
  }
}

/** A conflict is no such end: the picture was old, and the next look decides anew. */
function ignoreMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** An object that is gone, or has a successor of the same name, needs no change. */
function ignoreGone(error: unknown): undefined {
  if (isNotFound(error) || isConflict(error)) return undefined;
  throw error;
}

/** Whether a patch concerns the very object that was looked at: a successor of the same name refuses it. */
export function onlyOf(object: { readonly uid: string }, body: Readonly<Record<string, unknown>>): Patch {
  const { metadata, ...rest } = body;
  const more = typeof metadata === "object" && metadata !== null ? metadata : {};
  return { type: "merge", body: { ...rest, metadata: { uid: object.uid, ...more } } };
}
