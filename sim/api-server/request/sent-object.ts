// Reads an object from a request: from text to a value of the endpoint's kind, with the refusals and warnings that the real
// server has for what does not fit.
//
// This folder reads requests. Beside this file:
//   api-request.ts, write-options.ts, list-query.ts, continue-token.ts: path and query
//   json-body.ts, request-text.ts: the body: JSON, YAML, protobuf
//   selectors.ts, label-selector-fault.ts: selectors of lists and watches
//   field-ownership-port.ts: the seam to server-side apply
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, textAt, withFields, withMeta } from "../api-object.ts";
import { invalidValue } from "../faults/field-error.ts";
import { badRequest, invalid, type Refusal } from "../faults/status.ts";
import type { Endpoint } from "../resource-table.ts";
import { withSharedParts } from "../same-json.ts";
import type { Target } from "../server-parts.ts";
import { duplicateFields, goType, type ReadJson, readJson } from "./json-body.ts";
import type { WriteOptions } from "./write-options.ts";

const EXCERPT_BYTES = 30;

/**
 * The object that a create or replacement sends, checked against its kind; what is odd about it becomes a warning. What it
 * repeats of a stored object, which it replaces or is much like, it shares with that one.
 */
export function readSentObject(
  text: string,
  endpoint: Endpoint,
  options: WriteOptions,
  likeness: (sent: JsonObject) => JsonObject | undefined = () => undefined,
): JsonObject {
  const { fieldValidation: validation, warnings } = options;
  const { value, fields } = readAny(text, endpoint.type);
  const typed = withType(asObject(value, text, endpoint.type), endpoint);
  const duplicates = validation === "Ignore" ? [] : duplicateFields(text, fields);
  const stored = likeness(typed);
  const shared = stored === undefined ? typed : withSharedParts(typed, stored);
  const decoded = endpoint.type.rules.decode(shared, stored);
  if (!decoded.ok) throw badRequest(`${handledAs(endpoint)}: ${decoded.because}`);
  const faults = strictFaults(duplicates, decoded.unknown);
  if (validation === "Strict" && faults.length > 0)
    throw badRequest(`${handledAs(endpoint)}: strict decoding error: ${faults.join(", ")}`);
  if (validation === "Warn") warnings.push(...faults);
  return decoded.value;
}

/** What strict validation refuses and the default warns of. */
export function strictFaults(duplicates: readonly string[], unknown: readonly string[]): readonly string[] {
  return [
    ...duplicates.map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
}

/** The header that carries warnings to the client. */
export function warningHeader(warnings: readonly string[]): Readonly<Record<string, string>> {
  if (warnings.length === 0) return {};
  return { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(", ") };
}

function readAny(text: string, { kind, version }: Endpoint["type"]): Extract<ReadJson, { ok: true }> {
  const read = readJson(text);
  if (read.ok) return read;
  // The type is read leniently, so a number that is too large is found only when the whole object is.
  if (read.because.startsWith("json: "))
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${read.because}`);
  throw unrecognized(kind, `couldn't get version/kind; json parse error: ${read.because}`, text);
}

/** A value as a document whose type can be read: nothing is an empty one, but nothing says of which kind a custom resource is. */
function asObject(value: Json, text: string, { kind, isCustom }: Endpoint["type"]): JsonObject {
  const document = value ?? {};
  const because = isJsonObject(document) ? unreadableType(document) : notOfType(document);
  if (because !== undefined) throw unrecognized(kind, because, text);
  if (isJsonObject(document) && (!isCustom || textAt(document, "kind") !== "")) return document;
  throw unrecognized(kind, `Object 'Kind' is missing in '${text}'`, text);
}

function unreadableType(document: JsonObject): string | undefined {
  const odd = ["apiVersion", "kind"].find((key) => typeof (document[key] ?? "") !== "string");
  if (odd !== undefined)
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(document[odd] ?? null)} into Go struct field .${odd} of type string`;
  const version = textAt(document, "apiVersion");
  return version.split("/").length > 2 ? `unexpected GroupVersion string: ${version}` : undefined;
}

/** What Go's decoder says of a value that should have a version and a kind. */
export function notOfType(value: Json): string {
  const fields = String.raw`APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\""`;
  const because = `json: cannot unmarshal ${goType(value)} into Go value of type struct { ${fields} }`;
  return `couldn't get version/kind; json parse error: ${because}`;
}

function unrecognized(kind: string, because: string, text: string): Refusal {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${because} (${excerpt(text)})`);
}

/** The beginning of a text: as it is if it may be an object, else byte by byte. */
function excerpt(text: string): string {
  if (text === "") return "<empty>";
  const bytes = Buffer.from(text);
  const shown = bytes.subarray(0, EXCERPT_BYTES).toString(text.startsWith("{") ? "utf8" : "hex");
  return bytes.length <= EXCERPT_BYTES ? shown : `${shown} ...`;
}

/** The object with its type filled in; refuses one of another type. */
function withType(value: JsonObject, { type, apiVersion }: Endpoint): JsonObject {
  const sentVersion = textAt(value, "apiVersion") || apiVersion;
  const sentKind = textAt(value, "kind") || type.kind;
  const unfit = typeFault(value, { type, apiVersion });
  if (unfit !== undefined)
    throw badRequest(
      `${sentKind} in version "${versionIn(sentVersion)}" cannot be handled as a ${type.kind}: ${unfit}`,
    );
  if (sentVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${sentVersion}) does not match the expected API version (${apiVersion})`,
    );
  requireKind(value, type);
  return withFields(value, { apiVersion, kind: type.kind });
}

function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** Why a document cannot be read as an object of a kind of the server itself; custom resources are all read alike. */
export function typeFault(value: JsonObject, { type, apiVersion }: Pick<Endpoint, "type" | "apiVersion">) {
  if (type.isCustom) return undefined;
  const sentVersion = textAt(value, "apiVersion") || apiVersion;
  const sentKind = textAt(value, "kind") || type.kind;
  if (!isRegistered(type, sentVersion, sentKind))
    return `no kind "${sentKind}" is registered for version "${sentVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  if (sentKind === type.kind) return undefined;
  return `converting (${type.version}.${sentKind}) to (${type.group || "core"}.${type.kind}): unknown conversion`;
}

/** Refuses a custom resource of another kind. */
export function requireKind(value: JsonObject, { group, kind, isCustom }: Endpoint["type"]): void {
  const sentKind = textAt(value, "kind") || kind;
  if (!isCustom || sentKind === kind) return;
  throw invalid(group, sentKind, textAt(metaOf(value), "name"), [invalidValue("kind", sentKind, `must be ${kind}`)]);
}

/** True for the kinds of the server itself, as far as their definitions are known. */
function isRegistered(
  { definitions, kind, version, group }: Endpoint["type"],
  sentVersion: string,
  sentKind: string,
): boolean {
  if (sentKind === kind && sentVersion === (group === "" ? version : `${group}/${version}`)) return true;
  const [name = "", from = ""] = sentVersion.split("/").reverse();
  const place = `.${from === "" ? "core" : from.split(".")[0]}.${name}.${sentKind}`;
  return Object.keys(definitions).some((definition) => definition.endsWith(place));
}

function handledAs({ type: { kind, version } }: Endpoint): string {
  return `${kind} in version "${version}" cannot be handled as a ${kind}`;
}

/** The object in the namespace of the path; refuses one that names another. */
export function inNamespace(object: JsonObject, { endpoint, namespace }: Target): JsonObject {
  const sent = textAt(metaOf(object), "namespace");
  if (sent !== "" && sent !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  return endpoint.type.namespaced ? withMeta(object, { namespace }) : object;
}

/** Refuses an object whose name is not the path's. */
export function underName(object: JsonObject, name: string): JsonObject {
  const sent = textAt(metaOf(object), "name");
  if (sent === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (sent !== name) throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
  return object;
}
