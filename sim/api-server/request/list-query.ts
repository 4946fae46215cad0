// What a list or watch asks for: from which version, how fresh, how much. Combinations that say nothing are refused, in the
// words of the real server.
import { type FieldError, forbiddenValue, unsupportedValue } from "../faults/field-error.ts";
import { badRequest, failure, invalidOptions } from "../faults/status.ts";

export type ListQuery = {
  readonly limit: number;
  readonly continueFrom: string;
  /** Undefined asks for the newest state. */
  readonly revision: number | undefined;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
};

export type WatchQuery = ListQuery & {
  readonly sendsInitialEvents: boolean;
  readonly wantsBookmarks: boolean;
};

const MATCH = "resourceVersionMatch";

/** True if a request for a collection is a watch. */
export function isWatch(query: URLSearchParams): boolean {
  return isTrue(query.get("watch"));
}

/** The version that a read of one object names; undefined asks for the newest state. */
export function readVersion(query: URLSearchParams): number | undefined {
  const version = query.get("resourceVersion") ?? "";
  const fault = versionFault(version);
  if (fault !== undefined) throw badRequest(`invalid resource version: ${fault}`);
  return version === "" ? undefined : Number(version);
}

export function readListQuery(query: URLSearchParams): ListQuery {
  const read = readShared(query);
  const errors = listFaults(query, read);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  return { ...read, revision: readVersion(query) };
}

export function readWatchQuery(query: URLSearchParams): WatchQuery {
  const read = readShared(query);
  const sendsInitialEvents = isTrue(query.get("sendInitialEvents"));
  const errors = watchFaults(query, read.match, sendsInitialEvents);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  const fault = versionFault(query.get("resourceVersion") ?? "");
  if (fault !== undefined) throw failure(fault);
  return { ...read, sendsInitialEvents, wantsBookmarks: isTrue(query.get("allowWatchBookmarks")) };
}

function readShared(query: URLSearchParams): ListQuery {
  const version = query.get("resourceVersion") ?? "";
  const match = query.get(MATCH) ?? "";
  if (match !== "" && match !== "Exact" && match !== "NotOlderThan")
    throw invalidOptions("ListOptions", [unsupportedValue(MATCH, match, ["Exact", "NotOlderThan", ""])]);
  return {
    limit: readNumber(query.get("limit")) ?? 0,
    continueFrom: query.get("continue") ?? "",
    revision: version === "" ? undefined : Number(version),
    match,
    timeoutSeconds: readNumber(query.get("timeoutSeconds")),
  };
}

function listFaults(query: URLSearchParams, { match, revision, continueFrom }: ListQuery): readonly FieldError[] {
  if (query.has("sendInitialEvents"))
    return [forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list")];
  if (match === "") return [];
  if (continueFrom !== "") return [forbiddenValue(MATCH, `${MATCH} is forbidden when continue is provided`)];
  if (revision === undefined)
    return [forbiddenValue(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`)];
  if (match === "Exact" && revision === 0)
    return [forbiddenValue(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`)];
  return [];
}

function watchFaults(query: URLSearchParams, match: string, sendsInitialEvents: boolean): readonly FieldError[] {
  if (query.has("sendInitialEvents"))
    return match === "NotOlderThan"
      ? []
      : [forbiddenValue(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`)];
  if (match !== "" && !sendsInitialEvents)
    return [forbiddenValue(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`)];
  return [];
}

function versionFault(version: string): string | undefined {
  if (/^[0-9]*$/.test(version)) return undefined;
  const shown = JSON.stringify(version);
  return `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`;
}

function readNumber(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^-?[0-9]+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** Whether a switch in a query is on, as Go's decoder of queries reads it: anything but `false` and `0`, nothing included. */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}
