// From the bytes of the API to values: watch lines to events, list items to objects, the rest of a list page to its position.
// Nothing here throws for what a server sent: bad bytes are a value with a reason.
//
// This folder reads bytes of the API without building what nobody needs. Beside this file:
//   line-splitter.ts, list-splitter.ts, piece-buffer.ts  cuts streams into events and items
//   member-cutter.ts, json-bytes.ts                      drops members before parsing
//   json-text.ts                                         JSON to values and back, all digits kept

import { type Key, type KubeObject, namedKey, type Stored } from "../resource.ts";
import { isSame, isSpace, skipSpace } from "./json-bytes.ts";
import { parseJson, parseRounding } from "./json-text.ts";
import { MemberCutter } from "./member-cutter.ts";

/** Servers store objects nested 10,000 deep; code that clones, merges or prints one recurses and dies far earlier. */
export const OBJECT_DEPTH_MAX = 500;

/** An object that has come whole: who it is, which state of it, and the object itself. */
export type WireObject<T extends KubeObject = KubeObject> = {
  readonly key: Key;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly object: Stored<T>;
  /** Why the object is not whole: what lies deeper than code that recurses can bear was left out. */
  readonly cut: string | undefined;
};

export type Broken = { readonly broken: string };

export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED"; readonly wire: WireObject }
  /** Of what is gone only the identity can be trusted to be there. */
  | { readonly type: "DELETED"; readonly wire: WireObject }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | ({ readonly type: "ERROR" } & ServerStatus)
  | ({ readonly type: "BROKEN" } & Broken);

/** Why the server ends a watch. */
export type ServerStatus = {
  /** As in HTTP; 500 when the server gave none. */
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
};

/** A list page without its items. */
export type Envelope = { readonly resourceVersion: string; readonly continueFrom: string | undefined };

type Parsed = { readonly value: unknown; readonly isCut: boolean };
type Members = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Nobody looks at what is gone. */
const UNREAD_OF_DELETED = ["spec", "status", "data", "metadata.annotations", "metadata.labels"];
/** How servers begin such a line; one that begins otherwise is read as any other. */
const DELETED_START = new TextEncoder().encode('{"type":"DELETED"');
/** Without these there is no telling which object it is. */
const READ_HERE: ReadonlySet<string> = new Set([
  "metadata",
  ...["name", "namespace", "uid", "resourceVersion"].map((name) => `metadata.${name}`),
]);
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";
/** Longer is a mistake of the sender. */
const RETRY_AFTER_MAX_S = 3_600;
const LESS_THAN = 0x3c;
/** What a survey of a parsed value finds, from harmless to worst. The parser has rounded a long number. */
const FIT = 0;
const LONG_NUMBER = 1;
const TOO_DEEP = 2;
/** Stands where something was nested too deep. */
const LEFT_OUT = "(nested too deep)";
/** So much of a name is repeated in a message. */
const QUOTED_LENGTH_MAX = 100;

/** Reads the objects of one resource. */
export class ObjectCodec {
  readonly #cutter: MemberCutter;
  /** Made for the first one that goes: most caches of a short life see none. */
  #cutterOfDeleted: MemberCutter | undefined;

  /** Members that nobody will read, as paths ("status.images"), are left out before parsing. Throws on one that we read. */
  constructor(unread: readonly string[] = []) {
    const needed = unread.find((path) => READ_HERE.has(path));
    if (needed !== undefined) throw new Error(`"${needed}" cannot be left unread: it is read to know the object`);
    this.#cutter = new MemberCutter(unread);
  }

  /** Reads one line of a watch. */
  decodeEvent(line: Uint8Array): WatchEvent {
    const isDeleted = isSame(line, 0, Math.min(line.length, DELETED_START.length), DELETED_START);
    if (isDeleted) this.#cutterOfDeleted ??= new MemberCutter(UNREAD_OF_DELETED);
    const cutter = (isDeleted ? this.#cutterOfDeleted : undefined) ?? this.#cutter;
    const event = readEvent(parse(line, (bytes) => cutter.textOfEvent(bytes), OBJECT_DEPTH_MAX + 1));
    if (event.type !== "BOOKMARK" && event.type !== "ERROR") return event;
    // These carry no object of the resource, so what nobody reads of one may be what they say.
    return readEvent(parse(line, (bytes) => utf8.decode(bytes), OBJECT_DEPTH_MAX + 1));
  }

  /** The same for an event that comes as a value; it may belong to somebody else and is left as it is. */
  takeEvent(value: unknown): WatchEvent {
    return readEvent({ value: withoutManagedFields(value), isCut: false });
  }

  /** Reads one item of a list; items of a list do not name their kind, so the caller's is filled in as in a watch event. */
  decodeItem(item: Uint8Array, type: { apiVersion: string; kind: string }): WireObject | Broken {
    const parsed = parse(item, (bytes) => this.#cutter.textOfItem(bytes), OBJECT_DEPTH_MAX);
    if (isBroken(parsed)) return parsed;
    return identify(isMembers(parsed.value) ? { ...type, ...parsed.value } : parsed.value, parsed.isCut);
  }
}

function readEvent(event: Parsed | Broken): WatchEvent {
  if (isBroken(event)) return { type: "BROKEN", broken: event.broken };
  if (!isMembers(event.value)) return { type: "BROKEN", broken: "the line is not an object" };
  const { type, object } = event.value;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED": {
      const wire = identify(object, event.isCut);
      return isBroken(wire) ? { type: "BROKEN", broken: `${type} event: ${wire.broken}` } : { type, wire };
    }
    case "BOOKMARK":
      return readBookmark(object);
    case "ERROR":
      return { type, ...readStatus(object) };
    default:
      return { type: "BROKEN", broken: `the event type ${quote(textOf(type))} is unknown` };
  }
}

/** Reads what is left of a list page when its items are taken out. */
export function decodeEnvelope(envelope: Uint8Array): Envelope | Broken {
  const parsed = parse(envelope, (bytes) => utf8.decode(bytes), OBJECT_DEPTH_MAX);
  if (isBroken(parsed)) return parsed;
  const page = parsed.value;
  if (!isMembers(page) || typeof page.kind !== "string" || !page.kind.endsWith("List")) {
    return { broken: "the answer is not a list" };
  }
  if (page.items !== null && !(Array.isArray(page.items) && page.items.length === 0)) {
    return { broken: "the list has no items of its own" };
  }
  const metadata = isMembers(page.metadata) ? page.metadata : {};
  const resourceVersion = textOf(metadata.resourceVersion);
  if (resourceVersion === "") return { broken: "the list has no metadata.resourceVersion" };
  const continueFrom = textOf(metadata.continue);
  return { resourceVersion, continueFrom: continueFrom === "" ? undefined : continueFrom };
}

/** True for what could not be read. */
export function isBroken(value: object): value is Broken {
  return "broken" in value;
}

/** True for a line that holds nothing, as some proxies send to keep a connection open. */
export function isBlank(line: Uint8Array): boolean {
  return line.length === 0 || (isSpace(line[0]) && skipSpace(line, 0) === line.length);
}

function parse(bytes: Uint8Array, textOf: (bytes: Uint8Array) => string, levels: number): Parsed | Broken {
  try {
    const text = textOf(bytes);
    const value = parseRounding(text);
    const found = isNested(value) ? survey(value, levels) : FIT;
    if (found === TOO_DEEP && isNested(value)) cutBelow(value, levels);
    return { value: found === LONG_NUMBER ? parseJson(text) : value, isCut: found === TOO_DEEP };
  } catch {
    // The bytes themselves are not quoted: they may be a Secret that was cut short.
    const what = bytes[skipSpace(bytes, 0)] === LESS_THAN ? "a web page" : "no JSON";
    return { broken: `${what} (${bytes.length} bytes)` };
  }
}

function identify(object: unknown, isCut: boolean): WireObject | Broken {
  if (!isMembers(object) || !isMembers(object.metadata)) return { broken: "the object has no metadata" };
  const { metadata } = object;
  const name = textOf(metadata.name);
  const uid = textOf(metadata.uid);
  const resourceVersion = textOf(metadata.resourceVersion);
  if (name === "") return { broken: "the object has no metadata.name" };
  const key = namedKey(name, textOf(metadata.namespace));
  if (uid === "") return { broken: `object ${quote(key)} has no metadata.uid` };
  if (resourceVersion === "") return { broken: `object ${quote(key)} has no metadata.resourceVersion` };
  // The cut before parsing is only a shortcut and may miss an oddly written one; what is handed on never depends on that.
  if ("managedFields" in metadata) delete (metadata as { managedFields?: unknown }).managedFields;
  const cut = isCut
    ? `object ${quote(key)} is nested deeper than ${OBJECT_DEPTH_MAX} levels, the rest is left out; flatten it`
    : undefined;
  // The identity was checked just now; what else the object holds is for the caller's projection to check.
  return { key, uid, resourceVersion, object: object as unknown as Stored<KubeObject>, cut };
}

function withoutManagedFields(event: unknown): unknown {
  if (!isMembers(event) || !isMembers(event.object) || !isMembers(event.object.metadata)) return event;
  const { managedFields: _, ...metadata } = event.object.metadata;
  return { ...event, object: { ...event.object, metadata } };
}

function readBookmark(object: unknown): WatchEvent {
  const metadata = isMembers(object) && isMembers(object.metadata) ? object.metadata : {};
  const annotations = isMembers(metadata.annotations) ? metadata.annotations : {};
  return {
    type: "BOOKMARK",
    resourceVersion: textOf(metadata.resourceVersion),
    endsInitialEvents: annotations[INITIAL_EVENTS_END] === "true",
  };
}

function readStatus(object: unknown): ServerStatus {
  const status = isMembers(object) ? object : {};
  const details = isMembers(status.details) ? status.details : {};
  const seconds = details.retryAfterSeconds;
  return {
    code: typeof status.code === "number" ? status.code : 500,
    reason: textOf(status.reason),
    message: textOf(status.message),
    retryAfterMs: typeof seconds === "number" && seconds > 0 ? Math.min(seconds, RETRY_AFTER_MAX_S) * 1_000 : undefined,
  };
}

/**
 * Looks at everything that was parsed, for what makes it unfit to be handed on as it is, and gives the worst of it. It
 * recurses at most `levels` deep. This walk costs a fifth of parsing; looking for long numbers in the text costs more.
 */
function survey(value: object, levels: number): number {
  if (levels === 0) return TOO_DEEP;
  let worst = FIT;
  if (Array.isArray(value)) {
    for (const each of value) {
      if (isNested(each)) worst = Math.max(worst, survey(each, levels - 1));
      else if (isLong(each)) worst = Math.max(worst, LONG_NUMBER);
    }
    return worst;
  }
  const members = value as Members;
  for (const name in members) {
    const each = members[name];
    if (isNested(each)) worst = Math.max(worst, survey(each, levels - 1));
    else if (isLong(each)) worst = Math.max(worst, LONG_NUMBER);
  }
  return worst;
}

/** Takes away, of a value that was parsed just now, what is nested deeper than that. */
function cutBelow(value: object, levels: number): void {
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const each = members[name];
    if (!isNested(each)) continue;
    if (levels > 1) cutBelow(each, levels - 1);
    else
      Object.defineProperty(members, name, { value: LEFT_OUT, writable: true, enumerable: true, configurable: true });
  }
}

function isLong(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isMembers(value: unknown): value is Members {
  return isNested(value) && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, QUOTED_LENGTH_MAX));
}
