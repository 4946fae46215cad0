// Creates: what the client sent becomes an object with an identity, passes admission and the rules of its kind, and is stored
// unless its name is taken.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, textAt, withFields, withMeta } from "../api-object.ts";
import { metaFaults } from "../faults/object-meta.ts";
import { alreadyExists, failure, forbidden, invalid, notFound } from "../faults/status.ts";
import { newName, newUid } from "../identity.ts";
import type { WriteOptions } from "../request/write-options.ts";
import { withSharedParts } from "../same-json.ts";
import type { AdmissionRequest, ServerParts, Target } from "../server-parts.ts";
import { commitObject, placeOf, type Written } from "./commit-object.ts";

/** How often a generated name may be taken before that is said. */
const NAME_TRIES_MAX = 8;

export type Creation = {
  readonly object: JsonObject;
  readonly options: WriteOptions;
  /** An apply brings its managed fields along. */
  readonly isApplied?: boolean;
};

/** Creates an object, or refuses to. */
export async function createObject(parts: ServerParts, place: Target, creation: Creation): Promise<Written> {
  const { endpoint } = place;
  const { options } = creation;
  if (place.namespace !== "") requireNamespace(parts, place, creation.object);
  const sent = systemFields(parts, creation.object);
  const target = { ...place, name: textAt(metaOf(sent), "name") };
  const owned = creation.isApplied === true ? sent : tracked(parts, target, sent, options);
  const request: AdmissionRequest = {
    ...{ target, operation: "CREATE", object: owned, oldObject: undefined },
    isDryRun: options.isDryRun,
    warn: (text) => options.warnings.push(text),
  };
  const admitted = await parts.admission.mutate(owned, request);
  const sibling = endpoint.siblings.of(admitted);
  const prepared = prepareNew(admitted, target, sibling);
  const inMeta = metaFaults(prepared, endpoint.type);
  const { validate, checksMetaLast } = endpoint.type.rules;
  const ofKind = validate?.(prepared, inMeta, sibling) ?? [];
  const errors = checksMetaLast === true && ofKind.length > 0 ? ofKind : [...inMeta, ...ofKind];
  const { group, kind } = endpoint.type;
  if (errors.length > 0) throw invalid(group, kind, target.name, errors);
  await parts.admission.validate({ ...request, object: prepared });
  const stored = await endpoint.convert(prepared, endpoint.storedVersion);
  return settle(parts, target, stored, { ...creation, prepared });
}

function settle(
  parts: ServerParts,
  target: Target,
  stored: JsonObject,
  { options, object: sent, isApplied = false, prepared }: Creation & { readonly prepared: JsonObject },
): Written {
  if (!isApplied && textAt(metaOf(sent), "resourceVersion") !== "")
    throw failure("resourceVersion should not be set on objects to be created");
  const isGenerated = textAt(metaOf(sent), "name") === "";
  let free = target;
  for (let tries = 1; parts.store.get(target.endpoint.table, placeOf(free).key) !== undefined; tries++) {
    if (!isGenerated || tries >= NAME_TRIES_MAX) throw taken(parts, free);
    free = { ...target, name: newName(textAt(metaOf(sent), "generateName"), parts.rand) };
  }
  if (options.isDryRun) return { dryRun: prepared };
  const named = free === target ? stored : withMeta(stored, { name: free.name });
  const change = commitObject(parts, free, named);
  if (target.endpoint.apiVersion === target.endpoint.storedVersion) target.endpoint.siblings.keep(change.object);
  return { change };
}

function taken(parts: ServerParts, target: Target): Error {
  const { table, key } = placeOf(target);
  const there = parts.store.get(table, key);
  const isBeingDeleted = there !== undefined && metaOf(there.object).deletionTimestamp !== undefined;
  return alreadyExists(target.endpoint.type, target.name, isBeingDeleted);
}

function tracked(parts: ServerParts, target: Target, object: JsonObject, { manager }: WriteOptions): JsonObject {
  const { ownership, now } = parts;
  const { subresource, endpoint } = target;
  const write = { type: endpoint.type, live: undefined, manager, subresource, now: now() };
  return ownership.track(object, write);
}

/** Identity and time are the server's to give, whatever the client sent. */
function systemFields({ now, rand }: ServerParts, object: JsonObject): JsonObject {
  const meta = metaOf(object);
  const prefix = textAt(meta, "generateName");
  const name = textAt(meta, "name") || (prefix === "" ? undefined : newName(prefix, rand));
  return withMeta(object, {
    ...{ name, uid: newUid(rand), creationTimestamp: now(), resourceVersion: undefined },
    ...{ deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined, selfLink: undefined },
    ...{ generation: undefined },
  });
}

/** The object as it will be stored; what it repeats of its sibling it shares. */
function prepareNew(object: JsonObject, { endpoint: { type } }: Target, sibling: JsonObject | undefined): JsonObject {
  const counted = type.countsGenerations ? withMeta(object, { generation: 1 }) : object;
  // The kinds of the server itself know what their status is before anybody has set it; a custom one is empty.
  const isolated =
    type.isCustom && type.subresources.includes("status") ? withFields(counted, { status: undefined }) : counted;
  const prepared = type.rules.prepareCreate?.(isolated) ?? isolated;
  return sibling === undefined ? prepared : withSharedParts(prepared, sibling);
}

/** Nothing is created where no namespace is, or in one that is going. */
function requireNamespace({ store }: ServerParts, { endpoint, namespace }: Target, object: JsonObject): void {
  const there = store.get("namespaces", namespace);
  if (there === undefined) throw notFound({ group: "", plural: "namespaces", kind: "Namespace" }, namespace);
  if (metaOf(there.object).deletionTimestamp === undefined) return;
  const name = textAt(metaOf(object), "name");
  const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  const cause = { reason: "NamespaceTerminating", message, field: "metadata.namespace" };
  throw forbidden(endpoint.type, name, because, [cause]);
}
