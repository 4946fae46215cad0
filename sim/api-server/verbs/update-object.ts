// Changes of objects that are there: replacements, patches, applies and subresources all come down to a new state that must
// hold against the current one. What happened while a webhook was asked is noticed, and the change is made again on top of it.
//
// One file per verb. All changes of an object come through this file. Beside it:
//   create-object, delete-object, commit-object  creates, deletes, the last step of a write
//   patch-object, apply-object                   patches, and server-side apply
//   list-objects, watch-objects, watch-stream    reads
//   scale, pod-subresources, disruption-budgets  subresources
//   discovery                                    what the server serves
import type { Json, JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt, withFields, withMeta } from "../api-object.ts";
import { type FieldError, invalidValue } from "../faults/field-error.ts";
import { immutableFaults, metaUpdateFaults } from "../faults/object-meta.ts";
import { conflict, failure, invalid, notFound, outdated, type Refusal } from "../faults/status.ts";
import { withKeptTimes } from "../field-ownership/kept-times.ts";
import type { WriteOptions } from "../request/write-options.ts";
import type { ResourceType } from "../resource-type.ts";
import { isSameJson, withSharedParts } from "../same-json.ts";
import type { AdmissionRequest, ServerParts, Target } from "../server-parts.ts";
import type { Change } from "../store/store.ts";
import { commitObject, commitRemoval, placeOf, type Written } from "./commit-object.ts";

/** Where the real server stores kinds that once had another name. */
const oldNames: Readonly<Record<string, string>> = { nodes: "minions", services: "services/specs" };
/** How often others may write in between before the writer is told. */
const RETRIES_MAX = 5;

export type Update = {
  /** The new state, given the current one; both in the version of the request. It may refuse. */
  readonly revise: (current: JsonObject) => JsonObject;
  readonly options: WriteOptions;
  /** An apply brings its managed fields along; a binding has none. */
  readonly isTracked: boolean;
  /** What a replacement makes of an object that is not there, in kinds that allow it. */
  readonly create?: (object: JsonObject) => Promise<Written>;
};

/** Changes an object, or refuses to. */
export async function updateObject(parts: ServerParts, target: Target, update: Update): Promise<Written> {
  if (update.create !== undefined && target.endpoint.type.createsOnUpdate === true && !isThere(parts, target))
    return createInstead(target, update, update.create);
  for (let tries = 0; ; tries++) {
    const current = currentOf(parts, target);
    const written = await attempt(parts, target, current, update);
    if (written !== undefined) return written;
    if (tries >= RETRIES_MAX) throw outdated(target.endpoint.type, target.name);
  }
}

async function createInstead(
  target: Target,
  { revise, options }: Update,
  create: NonNullable<Update["create"]>,
): Promise<Written> {
  const sent = revise({});
  const written = await create(asNew(sent, target, options));
  // A rehearsal stores nothing, so nothing takes the place of the version that was sent.
  const { resourceVersion } = metaOf(sent);
  const isRehearsed = "dryRun" in written && resourceVersion !== undefined;
  return { ...(isRehearsed ? { dryRun: withMeta(written.dryRun, { resourceVersion }) } : written), isNew: true };
}

/** A replacement of nothing: its version must be one, though nothing has it, and it can mean no other object. */
function asNew(object: JsonObject, target: Target, { isDryRun }: WriteOptions): JsonObject {
  const meta = metaOf(object);
  const uid = textAt(meta, "uid");
  if (uid !== "") throw otherUid(target, uid, "", isDryRun);
  requireNumber(textAt(meta, "resourceVersion"));
  return withMeta(object, { resourceVersion: undefined });
}

function requireNumber(version: string): void {
  if (!/^\d*$/.test(version)) throw failure(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}

function isThere({ store }: ServerParts, target: Target): boolean {
  const { table, key } = placeOf(target);
  return store.get(table, key) !== undefined;
}

/** The state that a write meets; refuses when there is none. */
export function currentOf({ store }: ServerParts, target: Target): Change {
  const { table, key } = placeOf(target);
  const current = store.get(table, key);
  if (current === undefined) throw notFound(target.endpoint.type, target.name);
  return current;
}

/** One try; undefined when the object has changed meanwhile. */
async function attempt(
  parts: ServerParts,
  target: Target,
  current: Change,
  { revise, options, isTracked, create }: Update,
): Promise<Written | undefined> {
  const { endpoint } = target;
  const old = await endpoint.convert(current.object, endpoint.apiVersion);
  // A replacement was read from text: what it repeats is told from what it changes once, here, and not by every step below.
  const revised = withSharedParts(revise(old), old);
  const isReplacement = create !== undefined;
  if (isReplacement) requireUid(revised, old, target, options.isDryRun);
  requireVersion(revised, old, target);
  const carried = carryMeta(revised, old);
  const owned = isTracked ? track(parts, target, carried, old, options) : carried;
  const request: AdmissionRequest = {
    ...{ target, operation: "UPDATE", object: owned, oldObject: old },
    isDryRun: options.isDryRun,
    warn: (text) => options.warnings.push(text),
  };
  const next = prepareChange(await parts.admission.mutate(owned, request), old, target);
  const inMeta = [...immutableFaults(metaOf(revised), metaOf(old)), ...metaUpdateFaults(next, old, endpoint.type)];
  const errors = [...inMeta, ...kindFaults(next, old, target, inMeta)];
  const { group, kind } = endpoint.type;
  if (errors.length > 0) throw invalid(group, kind, target.name, errors);
  await parts.admission.validate({ ...request, object: next });
  const stored = await endpoint.convert(next, endpoint.storedVersion);
  const { table, key } = placeOf(target);
  if (parts.store.get(table, key) !== current) return undefined;
  if (options.isDryRun) return { dryRun: next };
  if (isReadyToGo(next, target)) {
    commitRemoval(parts, target, current.object);
    return { dryRun: next };
  }
  const settled = withKeptTimes(stored, current.object);
  return { change: isSameJson(settled, current.object) ? current : commitObject(parts, target, settled) };
}

function track(
  { ownership, now }: ServerParts,
  { endpoint, subresource }: Target,
  next: JsonObject,
  live: JsonObject,
  { manager }: WriteOptions,
): JsonObject {
  return ownership.track(next, { type: endpoint.type, live, manager, subresource, now: now() });
}

/** A replacement that names a UID is meant for that object; a patch that names another would change it, which nothing can. */
function requireUid(next: JsonObject, old: JsonObject, target: Target, isDryRun: boolean): void {
  const [uid, current] = [textAt(metaOf(next), "uid"), textAt(metaOf(old), "uid")];
  if (uid !== "" && uid !== current) throw otherUid(target, uid, current, isDryRun);
}

/** Optimistic concurrency: whoever names a version must name the current one. */
function requireVersion(next: JsonObject, old: JsonObject, target: Target): void {
  const { endpoint, name } = target;
  const { type } = endpoint;
  const [sent, current] = [metaOf(next), metaOf(old)];
  const version = textAt(sent, "resourceVersion");
  if (version === "" && !type.allowsUnconditionalUpdate) {
    const error = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid(type.group, type.plural, name, [error]);
  }
  requireNumber(version);
  if (version !== "" && version !== current.resourceVersion) throw outdated(type, name);
}

/** Who names a UID means the object that has it. */
function otherUid({ endpoint, namespace, name }: Target, wanted: string, found: string, isDryRun: boolean): Refusal {
  const { type } = endpoint;
  const folder = type.isCustom ? `${type.group}/${type.plural}` : (oldNames[type.plural] ?? type.plural);
  const place = [folder, namespace, name].filter(Boolean).join("/");
  const precondition = `UID in precondition: ${wanted}, UID in object meta: ${found}`;
  const because = `StorageError: invalid object, Code: 4, Key: ${isDryRun ? "" : "/registry"}/${place}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${precondition}`;
  return conflict(type.group, type.plural, name, because);
}

/** What no write can change. */
function carryMeta(next: JsonObject, old: JsonObject): JsonObject {
  const meta = metaOf(old);
  return withMeta(next, {
    ...{ uid: meta.uid, creationTimestamp: meta.creationTimestamp, resourceVersion: meta.resourceVersion },
    ...{ deletionTimestamp: meta.deletionTimestamp, deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds },
    ...{ generation: meta.generation, selfLink: undefined },
  });
}

function prepareChange(next: JsonObject, old: JsonObject, { endpoint: { type }, subresource }: Target): JsonObject {
  const { rules } = type;
  // Bindings and evictions set what nobody else may, and change nothing that the pod's author wants.
  if (subresource === "binding" || subresource === "eviction") return next;
  if (subresource === "status") {
    const meta = type.isCustom ? withMeta(old, { managedFields: metaOf(next).managedFields }).metadata : next.metadata;
    const isolated = withFields(old, { metadata: meta, status: next.status });
    return rules.prepareStatus?.(isolated, old) ?? isolated;
  }
  const isolated = isolate(next, old, type, subresource);
  const prepared = rules.prepareUpdate?.(isolated, old) ?? isolated;
  const generation = numberAt(metaOf(old), "generation");
  if (!type.countsGenerations || generation === undefined || !hasNewContent(prepared, old, type)) return prepared;
  return withMeta(prepared, { generation: generation + 1 });
}

/** What a write of the object itself cannot change: its status, and what holds a namespace. */
function isolate(next: JsonObject, old: JsonObject, type: ResourceType, subresource: string): JsonObject {
  const spec = type.kind === "Namespace" && subresource !== "finalize" ? { spec: old.spec } : {};
  const status = type.subresources.includes("status") ? { status: old.status } : {};
  return withFields(next, { ...spec, ...status });
}

/** True if anything but metadata differs; status counts only where it is no part of its own. */
function hasNewContent(next: JsonObject, old: JsonObject, { subresources, countsAnnotations }: ResourceType): boolean {
  if (countsAnnotations === true && !isSameJson(metaOf(next).annotations, metaOf(old).annotations)) return true;
  const isApart = (key: string) => key === "metadata" || (key === "status" && subresources.includes("status"));
  const differs = (key: string) => !isApart(key) && !isSameJson(next[key], old[key]);
  return Object.keys(next).some(differs) || Object.keys(old).some((key) => !Object.hasOwn(next, key) && differs(key));
}

function kindFaults(
  next: JsonObject,
  old: JsonObject,
  { endpoint, subresource }: Target,
  inMeta: readonly FieldError[],
): readonly FieldError[] {
  const { rules } = endpoint.type;
  if (subresource === "status") return rules.validateStatus?.(next, old) ?? [];
  const isFree = subresource === "binding" || subresource === "eviction" || subresource === "resize";
  return isFree ? [] : (rules.validateUpdate?.(next, old, inMeta) ?? []);
}

/** An object that is marked for deletion goes with the last thing that held it. */
function isReadyToGo(next: JsonObject, { endpoint }: Target): boolean {
  const meta = metaOf(next);
  if (meta.deletionTimestamp === undefined || listAt(meta, "finalizers").length > 0) return false;
  if ((numberAt(meta, "deletionGracePeriodSeconds") ?? 0) > 0) return false;
  return endpoint.table !== "namespaces" || namespaceHolds(next).length === 0;
}

/** What holds a namespace beside finalizers: its content, as long as `spec.finalizers` says so. */
export function namespaceHolds(namespace: JsonObject): readonly Json[] {
  return listAt(objectAt(namespace, "spec"), "finalizers");
}
