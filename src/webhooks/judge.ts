// What our webhooks say of an object that somebody writes: refused with every problem, or stored with warnings and defaults.
// Pure: the review in, the judgement out. What a webhook cannot see is judged again at reconcile.
//
// Guarantees: a write that leaves the spec as it is, or an object that is being deleted, is never refused: rules that came
// later must not lock anybody out of labels, finalizers and status.

import type { Problem } from "../core/decision/problem.ts";
import { canonicalJson } from "../core/json/canonical-json.ts";
import type { JsonObject } from "../core/json/json.ts";
import { quoted } from "../core/values/shown.ts";
import type { Kind } from "../kinds/kind.ts";
import type { AdmissionRequest, Judgement } from "./admission-review.ts";
import { apiVersionsOf } from "./api-versions.ts";
import { jsonPatch } from "./json-patch.ts";

const ALLOWED = { isAllowed: true, warnings: [] } as const satisfies Judgement;
/** What the API server would cut itself, together with the room for its own words. */
const MESSAGE_CHARS_MAX = 4_000;
/** Longer ones are cut by the API server once there are many. */
const WARNING_CHARS_MAX = 256;

/** Whether the object may be stored. */
export function judgeValidity(kind: Kind, request: AdmissionRequest): Judgement {
  const { object, before } = request;
  const misaddressed = misaddress(kind, request);
  if (misaddressed !== undefined) return misaddressed;
  if (object === undefined || isLeaving(object) || isSpecUntouched(object, before)) return ALLOWED;
  const { problems, warnings } = kind.admit(object, before);
  const shown = warnings.map((warning) => cut(warning, WARNING_CHARS_MAX));
  if (problems.length === 0) return { isAllowed: true, warnings: shown };
  const message = cut(problems.map(problemText).join("; "), MESSAGE_CHARS_MAX);
  return { isAllowed: false, warnings: shown, status: { code: 422, reason: "Invalid", message } };
}

/** The defaults that an object lacks, as a patch. */
export function judgeDefaults(kind: Kind, request: AdmissionRequest): Judgement {
  const { object } = request;
  const misaddressed = misaddress(kind, request);
  if (misaddressed !== undefined) return misaddressed;
  if (object === undefined || isLeaving(object)) return ALLOWED;
  const operations = jsonPatch(object, kind.withDefaults?.(object) ?? object);
  if (operations.length === 0) return ALLOWED;
  return { ...ALLOWED, patch: Buffer.from(canonicalJson(operations)).toString("base64") };
}

/** A configuration that sends other objects here is a mistake that should be seen, not guessed around. */
function misaddress(kind: Kind, { group, resource, object }: AdmissionRequest): Judgement | undefined {
  const wanted = `${kind.plural}.${kind.group}`;
  const got = `${resource}.${group}`;
  const message =
    got === wanted
      ? versionTrouble(kind, object)
      : `this path is for ${wanted}, not for ${quoted(got)}; correct the webhook configuration`;
  return message === undefined
    ? undefined
    : { isAllowed: false, warnings: [], status: { code: 400, reason: "BadRequest", message } };
}

function versionTrouble(kind: Kind, object: JsonObject | undefined): string | undefined {
  if (object === undefined) return undefined;
  const known = apiVersionsOf(kind);
  if (typeof object.apiVersion === "string" && known.includes(object.apiVersion)) return undefined;
  return `apiVersion ${quoted(String(object.apiVersion))} is not served here; use ${known.join(" or ")}`;
}

function isLeaving({ metadata }: JsonObject): boolean {
  return typeof metadata === "object" && metadata !== null && "deletionTimestamp" in metadata;
}

function isSpecUntouched(object: JsonObject, before: JsonObject | undefined): boolean {
  if (before === undefined || object.apiVersion !== before.apiVersion) return false;
  return canonicalJson(object.spec ?? null) === canonicalJson(before.spec ?? null);
}

function problemText({ path, message }: Problem): string {
  return `${path}: ${message}`;
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
