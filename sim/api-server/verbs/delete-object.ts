// Deletes: preconditions, grace periods of pods, finalizers, and the finalizers that stand for a propagation policy. An object
// that something holds is only marked; it goes when the last hold does (see update-object.ts).
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt, valueAtPath, withFields, withMeta } from "../api-object.ts";
import { invalidValue, unsupportedValue } from "../faults/field-error.ts";
import { badRequest, conflict, forbidden, invalidOptions, success } from "../faults/status.ts";
import { timeText } from "../identity.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { bodyText, readJson } from "../request/json-body.ts";
import { notOfType } from "../request/sent-object.ts";
import { readDryRun } from "../request/write-options.ts";
import { isSameJson } from "../same-json.ts";
import { type Answer, jsonAnswer, type ServerParts, type Target } from "../server-parts.ts";
import type { Change } from "../store/store.ts";
import { answerWith, commitObject, commitRemoval } from "./commit-object.ts";
import { currentOf, namespaceHolds } from "./update-object.ts";

/** The store's name for custom resource definitions. */
export const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

/** A delete without conditions or wishes. */
export const plainDelete: DeleteOptions = {
  ...{ uid: "", resourceVersion: "", graceSeconds: undefined, policy: "", isDryRun: false, warn: () => undefined },
};

/** Holds a definition until its objects are gone. */
const CLEAN_UP = "customresourcecleanup.apiextensions.k8s.io";
const JOBS = "jobs.batch";
const EVENTS = "events";
const podsPreserved =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";
const immortal = new Set(["default", "kube-system", "kube-public"]);
const policies = ["Foreground", "Background", "Orphan", "nil"];

export type DeleteOptions = {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly graceSeconds: number | undefined;
  readonly policy: string;
  readonly isDryRun: boolean;
  /** Takes what there is to say beside the answer. */
  readonly warn: (text: string) => void;
};

/** Reads delete options from the body, and from the query for those who have none. */
export function readDeleteOptions({ body, query, warnings }: ApiRequest): DeleteOptions {
  const text = bodyText(body);
  const read = text === "" ? ({ ok: true, value: {} } as const) : readJson(text);
  if (!read.ok) throw badRequest(`couldn't get version/kind; json parse error: ${read.because}`);
  const sent = read.value ?? {};
  if (!isJsonObject(sent)) throw badRequest(notOfType(sent));
  const grace = query.get("gracePeriodSeconds");
  if (grace !== null && !/^-?[0-9]+$/.test(grace))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  const queried: JsonObject = {
    dryRun: query.getAll("dryRun"),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
  };
  return { ...parseDeleteOptions({ ...queried, ...sent }), warn: (text) => warnings.push(text) };
}

/** Checks delete options, as they come in the body of a delete or inside an eviction. */
export function parseDeleteOptions(sent: JsonObject): DeleteOptions {
  const policy = textAt(sent, "propagationPolicy") || (sent.orphanDependents === true ? "Orphan" : "");
  if (policy !== "" && !policies.slice(0, 3).includes(policy))
    throw invalidOptions("DeleteOptions", [unsupportedValue("propagationPolicy", policy, policies)]);
  const both = "orphanDependents and deletionPropagation cannot be both set";
  if (textAt(sent, "propagationPolicy") !== "" && sent.orphanDependents !== undefined)
    throw invalidOptions("DeleteOptions", [invalidValue("propagationPolicy", policy, both)]);
  const { uid = "", resourceVersion = "" } = objectAt(sent, "preconditions");
  return {
    ...{ uid: String(uid), resourceVersion: String(resourceVersion), policy },
    graceSeconds: numberAt(sent, "gracePeriodSeconds"),
    isDryRun: readDryRun(listAt(sent, "dryRun"), "DeleteOptions"),
    warn: () => undefined,
  };
}

/** Says, once per request, what a delete of jobs leaves behind. */
export function warnOfOrphans({ endpoint }: Target, { policy, warn }: DeleteOptions): void {
  if (endpoint.table === JOBS && policy === "") warn(podsPreserved);
}

/** Deletes an object, or marks it, and answers as its kind does. */
export async function deleteObject(parts: ServerParts, target: Target, options: DeleteOptions): Promise<Answer> {
  const { endpoint } = target;
  const current = currentOf(parts, target);
  requirePreconditions(current.object, target, options);
  if (endpoint.table === "namespaces") {
    requireMortal(target);
    if (isEmptied(current.object)) return answerWith(target, 200, { change: current });
  }
  const old = await endpoint.convert(current.object, endpoint.apiVersion);
  const request = { target, operation: "DELETE", object: undefined, oldObject: old } as const;
  await parts.admission.validate({ ...request, isDryRun: options.isDryRun, warn: options.warn });
  const latest = currentOf(parts, target);
  requirePreconditions(latest.object, target, options);
  const ended = endObject(parts, target, latest, options);
  if (ended.isGone && !endpoint.type.returnsDeleted) return jsonAnswer(200, goneStatus(ended.change, target));
  return answerWith(target, 200, options.isDryRun ? { dryRun: ended.change.object } : ended);
}

function requireMortal({ endpoint: { type }, name }: Target): void {
  if (immortal.has(name)) throw forbidden(type, name, "this namespace may not be deleted");
}

/** True while a namespace that goes away is held by what is in it: there is nothing to do then but to wait. */
function isEmptied(namespace: JsonObject): boolean {
  return metaOf(namespace).deletionTimestamp !== undefined && namespaceHolds(namespace).length > 0;
}

function goneStatus({ object }: Change, { endpoint: { type }, name }: Target): JsonObject {
  const group = type.group === "" ? {} : { group: type.group };
  return success(200, { name, ...group, kind: type.plural, uid: textAt(metaOf(object), "uid") });
}

/** Refuses when the object is not the one, or not in the state, that the caller means. */
export function requirePreconditions(
  object: JsonObject,
  { endpoint: { type }, name }: Target,
  options: DeleteOptions,
): void {
  const { uid, resourceVersion } = metaOf(object);
  if (options.uid !== "" && options.uid !== uid) {
    const because = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(type.group, type.kind, name, because);
  }
  if (options.resourceVersion !== "" && options.resourceVersion !== resourceVersion) {
    const because = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(type.group, type.kind, name, because);
  }
}

type Ended = { readonly change: Change; readonly isGone: boolean };

/** Brings an object to its end, or marks it for a coming one; nobody is asked. */
export function endObject(parts: ServerParts, target: Target, current: Change, options: DeleteOptions): Ended {
  const isPod = target.endpoint.table === "pods";
  if (isPod && isPending(current.object, options)) return { change: current, isGone: false };
  const finalizers = finalizersFor(current.object, options.policy, target.endpoint.table);
  const graceSeconds = isPod ? podGrace(current.object, options.graceSeconds) : 0;
  const isHeld =
    finalizers.length > 0 || (target.endpoint.table === "namespaces" && namespaceHolds(current.object).length > 0);
  // Only pods are told that they end before they do; what nothing holds goes without a mark.
  if (!isHeld && !isPod) return goneAt(parts, target, current, options);
  const marked = mark(parts, current.object, {
    graceSeconds,
    finalizers,
    isNamespace: target.endpoint.table === "namespaces",
  });
  const change = keep(parts, target, current, marked, options);
  return !isHeld && graceSeconds === 0 ? goneAt(parts, target, change, options) : { change, isGone: false };
}

function keep(
  parts: ServerParts,
  target: Target,
  current: Change,
  marked: JsonObject,
  { isDryRun }: DeleteOptions,
): Change {
  if (marked === current.object) return current;
  return isDryRun ? { ...current, object: marked } : commitObject(parts, target, marked);
}

function goneAt(parts: ServerParts, target: Target, current: Change, { isDryRun }: DeleteOptions): Ended {
  return { change: isDryRun ? current : commitRemoval(parts, target, current.object), isGone: true };
}

/** A pod that ends already goes on doing so, unless somebody hurries it or it has no time left. */
function isPending(pod: JsonObject, { graceSeconds }: DeleteOptions): boolean {
  const { deletionTimestamp } = metaOf(pod);
  const left = numberAt(metaOf(pod), "deletionGracePeriodSeconds") ?? 0;
  if (deletionTimestamp === undefined || left === 0) return false;
  return graceSeconds === undefined || (graceSeconds < 0 ? 1 : graceSeconds) >= left;
}

/** How long a pod may take: its own wish by default, nothing where no node runs it. */
function podGrace(pod: JsonObject, wanted: number | undefined): number {
  const spec = objectAt(pod, "spec");
  const asked = wanted !== undefined && wanted < 0 ? 1 : wanted;
  // One that is told to end already can only be hurried by who says so.
  const { deletionTimestamp } = metaOf(pod);
  if (deletionTimestamp !== undefined) return asked ?? numberAt(metaOf(pod), "deletionGracePeriodSeconds") ?? 0;
  const phase = valueAtPath(pod, "status.phase");
  if (textAt(spec, "nodeName") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  const graceSeconds = asked ?? numberAt(spec, "terminationGracePeriodSeconds") ?? 30;
  return graceSeconds < 0 ? 1 : graceSeconds;
}

/** The finalizers that remain or come with a policy; without one they stay as they are, but a Job leaves its pods behind. */
function finalizersFor(object: JsonObject, asked: string, table: string): readonly Json[] {
  const own = listAt(metaOf(object), "finalizers");
  // Nothing depends on an event.
  if (table === EVENTS) return own;
  const there = table !== DEFINITIONS || own.includes(CLEAN_UP) ? own : [...own, CLEAN_UP];
  const isDecided = own.includes(ORPHAN) || own.includes(FOREGROUND);
  const policy = asked === "" && table === JOBS && !isDecided ? "Orphan" : asked;
  if (policy === "") return there;
  const others = there.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (policy === "Background") return others;
  return [...others, policy === "Orphan" ? ORPHAN : FOREGROUND];
}

type Mark = { readonly graceSeconds: number; readonly finalizers: readonly Json[]; readonly isNamespace: boolean };

/** The object with the moment of its end; the same object when it is marked as early already. */
function mark({ clock }: ServerParts, object: JsonObject, { graceSeconds, finalizers, isNamespace }: Mark): JsonObject {
  const meta = metaOf(object);
  const held = finalizers.length === 0 ? undefined : finalizers;
  const hasSameHolds = isSameJson(finalizers, listAt(meta, "finalizers"));
  const grace = numberAt(meta, "deletionGracePeriodSeconds") ?? 0;
  if (meta.deletionTimestamp !== undefined) {
    if (graceSeconds >= grace && hasSameHolds) return object;
    const endMs = Date.parse(textAt(meta, "deletionTimestamp")) - Math.max(0, grace - graceSeconds) * 1000;
    const shortened = { deletionTimestamp: timeText(endMs), deletionGracePeriodSeconds: Math.min(grace, graceSeconds) };
    return withMeta(object, { ...shortened, finalizers: held });
  }
  const generation = numberAt(meta, "generation");
  const marked = withMeta(object, {
    deletionTimestamp: timeText(clock.wallMs() + graceSeconds * 1000),
    ...(isNamespace ? {} : { deletionGracePeriodSeconds: graceSeconds }),
    ...(generation === undefined ? {} : { generation: generation + 1 }),
    finalizers: held,
  });
  if (!isNamespace) return marked;
  return withFields(marked, { status: withFields(objectAt(marked, "status"), { phase: "Terminating" }) });
}
