// The last step of a write: the object gets its version and goes into the store, unless it is too large for it.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { namedKey } from "../../../src/kube/resource.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { inServerOrder, withMeta } from "../api-object.ts";
import { failure } from "../faults/status.ts";
import type { Answer, ServerParts, Target } from "../server-parts.ts";
import { jsonAnswer } from "../server-parts.ts";
import { mapped } from "../store/event-bytes.ts";
import type { Change, Write } from "../store/store.ts";

/** What the real server's store takes in one request. */
const OBJECT_BYTES_MAX = 1.5 * 1024 * 1024;
/** Shorter texts cannot reach the limit whatever their characters; most objects need no count of bytes. */
const SURELY_SMALL_CHARS = OBJECT_BYTES_MAX / 3;

/** An object that was written, or that would have been. */
export type Written = ({ readonly change: Change } | { readonly dryRun: JsonObject }) & {
  /** True for a replacement that found nothing and created the object. */
  readonly isNew?: boolean;
};

/** Stores an object that is in the version of the store already. */
export function commitObject({ store }: ServerParts, target: Target, object: JsonObject): Change {
  const { endpoint } = target;
  const versioned = withMeta(object, { resourceVersion: `${store.nextRevision}` });
  const write = { ...placeOf(target), object: inServerOrder(versioned, endpoint.type.isCustom) };
  const text = printJson(write.object);
  if (text.length > SURELY_SMALL_CHARS && Buffer.byteLength(text) > OBJECT_BYTES_MAX)
    throw failure("etcdserver: request is too large");
  const change = store.put(write);
  if (endpoint.apiVersion === endpoint.storedVersion) endpoint.bytes.keep(change, text);
  return change;
}

/** Takes an object out of the store; what remains is its last state under the version of the deletion. */
export function commitRemoval({ store }: ServerParts, target: Target, last: JsonObject): Change {
  return store.remove({ ...placeOf(target), object: withMeta(last, { resourceVersion: `${store.nextRevision}` }) });
}

/** The object's place in the store. */
export function placeOf({ endpoint, namespace, name }: Target): Pick<Write, "table" | "key"> {
  return { table: endpoint.table, key: namedKey(name, namespace) };
}

/** The answer that shows an object as it is now, or as it would be. */
export function answerWith(
  target: Target,
  usual: number,
  written: Written,
  headers: Readonly<Record<string, string>> = {},
): Answer | Promise<Answer> {
  const status = written.isNew === true ? 201 : usual;
  if ("dryRun" in written)
    return jsonAnswer(status, inServerOrder(written.dryRun, target.endpoint.type.isCustom), headers);
  const { change } = written;
  const { apiVersion, storedVersion, bytes } = target.endpoint;
  const said = apiVersion === storedVersion ? { value: change.object } : {};
  return mapped(bytes.ofObject(change), (body) => ({ status, headers, body, ...said }));
}
