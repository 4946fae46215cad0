// Server-side apply, the fourth kind of patch: what a manager wants of an object, merged by field ownership and then written
// like any other change. It creates the object when there is none.
import { parse as parseYaml } from "yaml";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, textAt, withFields, withMeta } from "../api-object.ts";
import { badRequest, conflict } from "../faults/status.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { bodyText, readJson } from "../request/json-body.ts";
import { inNamespace, underName } from "../request/sent-object.ts";
import type { WriteOptions } from "../request/write-options.ts";
import type { Answer, ServerParts, Target } from "../server-parts.ts";
import { answerWith, placeOf } from "./commit-object.ts";
import { createObject } from "./create-object.ts";
import { updateObject } from "./update-object.ts";

/** Creates the object, or merges what this manager wants into it. */
export async function applyObject(
  parts: ServerParts,
  target: Target,
  request: ApiRequest,
  options: WriteOptions,
): Promise<Answer> {
  const { table, key } = placeOf(target);
  const isThere = parts.store.get(table, key) !== undefined;
  const sent = readApplied(bodyText(request.body), target);
  // An object that is there has its name already.
  const isNameless = textAt(metaOf(sent), "name") === "";
  const applied = underName(isThere && isNameless ? withMeta(sent, { name: target.name }) : sent, target.name);
  const merge = (live: JsonObject | undefined) =>
    readMerged(merged(parts, target, applied, live, options), target, live);
  if (isThere || target.subresource !== "") {
    const revise = (current: JsonObject) => withAppliedVersion(merge(current), applied);
    return answerWith(target, 200, await updateObject(parts, target, { revise, options, isTracked: false }));
  }
  refuseOtherUid(applied, target);
  const object = inNamespace(merge(undefined), target);
  return answerWith(target, 201, await createObject(parts, target, { object, options, isApplied: true }));
}

/** Who names a UID means an object that is there, and gets no other one in its place. */
function refuseOtherUid(applied: JsonObject, { endpoint: { type }, name }: Target): void {
  const uid = textAt(metaOf(applied), "uid");
  if (uid === "") return;
  const because = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(type.group, type.plural, name, because);
}

function merged(
  { ownership, now }: ServerParts,
  { endpoint: { type }, subresource }: Target,
  applied: JsonObject,
  live: JsonObject | undefined,
  { manager, isForced }: WriteOptions,
): JsonObject {
  return ownership.apply(applied, { type, live, manager, subresource, now: now(), force: isForced });
}

function readMerged(object: JsonObject, { endpoint: { type } }: Target, live: JsonObject | undefined): JsonObject {
  const { decode, decodeMerged = decode } = type.rules;
  const decoded = decodeMerged(object, live);
  if (!decoded.ok) throw badRequest(decoded.because);
  return decoded.value;
}

/** An apply that names a version or UID means that very state. */
function withAppliedVersion(object: JsonObject, applied: JsonObject): JsonObject {
  const { resourceVersion, uid } = metaOf(applied);
  const named = {
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(uid === undefined ? {} : { uid }),
  };
  return Object.keys(named).length === 0 ? object : withMeta(object, named);
}

function readApplied(text: string, { endpoint: { apiVersion, type } }: Target): JsonObject {
  const value = readYaml(text);
  if (!isJsonObject(value)) throw badRequest("error decoding YAML: the body is no object");
  if (metaOf(value).managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  const sentVersion = textAt(value, "apiVersion");
  if (sentVersion !== "" && sentVersion !== apiVersion)
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${sentVersion}, expected: ${apiVersion}`,
    );
  return withFields(value, { apiVersion, kind: type.kind });
}

function readYaml(text: string): unknown {
  const read = readJson(text);
  if (read.ok) return read.value;
  try {
    return parseYaml(text, { intAsBigInt: false });
  } catch {
    const because = "error converting YAML to JSON: yaml: line 1: did not find expected node content";
    throw badRequest(`error decoding YAML: ${because}`);
  }
}
