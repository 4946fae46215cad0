// Lists: the objects of a resource at one version, in the order of their keys, whole or in pages that all show the same version.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import { badRequest, expired } from "../faults/status.ts";
import type { Replica } from "../replica.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { behind, printPosition, readPosition } from "../request/continue-token.ts";
import { type ListQuery, readListQuery } from "../request/list-query.ts";
import { readSelectors, type Selects } from "../request/selectors.ts";
import type { Endpoint } from "../resource-table.ts";
import type { Answer, ServerParts, Target } from "../server-parts.ts";
import type { Change, Store } from "../store/store.ts";

const encoder = new TextEncoder();
const tooOldPosition =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** Part of a collection at one version. */
export type Page = {
  readonly revision: number;
  readonly changes: readonly Change[];
  /** The key behind which the next page begins; undefined on the last. */
  readonly lastKey: string | undefined;
};

/** Answers a list. */
export async function listObjects(
  { store }: ServerParts,
  replica: Replica,
  target: Target,
  request: ApiRequest,
): Promise<Answer> {
  const selects = readSelectors(request.query, target.endpoint.type);
  const query = readListQuery(request.query);
  const from = await startOf(store, replica, target, query);
  const page = readPage(store, target, { ...from, limit: query.limit, selects });
  return { status: 200, body: await printList(page, target) };
}

type Start = { readonly revision: number; readonly from: string };

/** The version that a list shows, and the key that it begins with. */
async function startOf(store: Store, replica: Replica, target: Target, query: ListQuery): Promise<Start> {
  const from = prefixOf(target);
  if (query.continueFrom !== "") return continued(store, query, from);
  if (query.revision === undefined) return { revision: store.revision, from };
  await replica.sees(query.revision);
  if (query.match !== "Exact") return { revision: replica.seen, from };
  if (query.revision < store.compactedTo) throw expired("The resourceVersion for the provided list is too old.");
  return { revision: query.revision, from };
}

function continued(store: Store, query: ListQuery, prefix: string): Start {
  if (query.revision !== undefined && query.revision !== 0)
    throw badRequest("specifying resource version is not allowed when using continue");
  const position = readPosition(query.continueFrom);
  const from = `${prefix}${position.start}`;
  if (position.revision === -1) return { revision: store.revision, from };
  if (position.revision < store.compactedTo)
    throw expired(tooOldPosition, printPosition({ revision: -1, start: position.start }));
  return { revision: position.revision, from };
}

/** The keys of a namespace begin with its name. */
export function prefixOf({ namespace }: Target): string {
  return namespace === "" ? "" : `${namespace}/`;
}

/** Reads a page; a limit of 0 is none. */
export function readPage(
  store: Store,
  target: Target,
  where: Start & { readonly limit: number; readonly selects: Selects | undefined },
): Page {
  const { revision, from, limit, selects } = where;
  const changes: Change[] = [];
  for (const change of store.list(target.endpoint.table, { revision, prefix: prefixOf(target), from })) {
    if (selects !== undefined && !selects(change.object)) continue;
    // One more than asked for shows that there is a next page; how many more is not counted, which the API allows.
    if (limit > 0 && changes.length === limit) return { revision, changes, lastKey: changes.at(-1)?.key };
    changes.push(change);
  }
  return { revision, changes, lastKey: undefined };
}

/** The list as text, around the texts of its items. */
export async function printList(page: Page, target: Target): Promise<Uint8Array> {
  const { endpoint } = target;
  const items = await Promise.all(page.changes.map(({ object }) => endpoint.convert(object, endpoint.apiVersion)));
  const { kind, listKind = `${kind}List`, isCustom } = endpoint.type;
  const next = page.lastKey === undefined ? undefined : positionBehind(page.lastKey, page.revision, target);
  const metadata = {
    ...(next === undefined ? (isCustom ? { continue: "" } : {}) : { continue: next }),
    resourceVersion: `${page.revision}`,
  };
  const opening = `{"kind":"${listKind}","apiVersion":"${endpoint.apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`;
  return encoder.encode(`${opening}${items.map((item) => itemText(item, endpoint)).join(",")}]}`);
}

function positionBehind(key: string, revision: number, target: Target): string {
  return printPosition({ revision, start: behind(key.slice(prefixOf(target).length)) });
}

/** Items of built-in kinds do not repeat their type. */
function itemText(object: JsonObject, { type, apiVersion }: Endpoint): string {
  const text = printJson(object);
  const opening = `{"kind":"${type.kind}","apiVersion":"${apiVersion}",`;
  return !type.isCustom && text.startsWith(opening) ? `{${text.slice(opening.length)}` : text;
}
