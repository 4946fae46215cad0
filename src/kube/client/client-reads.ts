// The verbs that only look: one object, one page, a whole list. All of them may be repeated freely.

import { collectionPath, type Key, type KubeObject, objectPath, type Resource, resourceName } from "../resource.ts";
import type { HttpAnswer } from "../transport.ts";
import { isGone, isNotFound } from "./api-error.ts";
import type { CallOptions, Client, ListOptions, ListPage, ObjectList, PageOptions } from "./client.ts";
import { parseList, parseObject } from "./object-answer.ts";
import { requestLine } from "./request-line.ts";

/** A list of a large cluster takes its time to be read and sent. */
export const LIST_TIMEOUT_MS = 120_000;
/** A page of 500 objects of the largest size would be more, but no cluster holds those. */
export const LIST_ANSWER_BYTES_MAX = 256 * 1024 * 1024;
export const PAGE_SIZE = 500;
export const PAGES_MAX = 10_000;
/** How often a list may start over because its position expired. */
export const LIST_RESTARTS_MAX = 3;

/** The reading verbs over one way to call. */
export function readVerbs(call: Client["call"]): Pick<Client, "get" | "getBytes" | "listPage" | "list"> {
  const read = (resource: Resource, key: Key, options: CallOptions) =>
    undefinedWhenMissing(
      call({
        verb: "get",
        resource: resourceName(resource),
        method: "GET",
        path: objectPath(resource, key),
        repeatable: true,
        signal: options.signal,
        timeoutMs: options.timeoutMs,
      }),
    );

  const listPage = async <T extends KubeObject>(resource: Resource<T>, options: PageOptions = {}) => {
    const path = collectionPath(resource, options.namespace, listQuery(options));
    const answer = await call({
      verb: "list",
      resource: resourceName(resource),
      method: "GET",
      path,
      repeatable: true,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? LIST_TIMEOUT_MS,
      answerBytesMax: LIST_ANSWER_BYTES_MAX,
    });
    return parseList(resource, requestLine("GET", path), answer);
  };

  return {
    async get<T extends KubeObject>(resource: Resource<T>, key: Key, options: CallOptions = {}) {
      const answer = await read(resource, key, options);
      return answer === undefined ? undefined : parseObject<T>(`GET ${objectPath(resource, key)}`, answer);
    },
    async getBytes(resource, key, options = {}) {
      const answer = await read(resource, key, options);
      return answer?.body;
    },
    listPage,
    list: (resource, options = {}) => listWhole((page) => listPage(resource, page), options),
  };
}

async function undefinedWhenMissing(answer: Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A position already fixes the version, so the server accepts only one of the two. */
function listQuery(options: PageOptions) {
  const isFirst = options.continueFrom === undefined;
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.pageSize ?? PAGE_SIZE,
    continue: options.continueFrom,
    resourceVersion: isFirst && options.resourceVersion !== "" ? options.resourceVersion : undefined,
    resourceVersionMatch: isFirst ? options.resourceVersionMatch : undefined,
  };
}

type ReadPage<T extends KubeObject> = (options: PageOptions) => Promise<ListPage<T>>;

async function listWhole<T extends KubeObject>(readPage: ReadPage<T>, options: ListOptions): Promise<ObjectList<T>> {
  for (let restarts = 0; ; restarts++) {
    const first = await readPage(options);
    try {
      return await readOn(readPage, options, first);
    } catch (error) {
      // Half a list from one moment and half from another would be a cluster that never was: start over.
      if (!isGone(error) || restarts >= LIST_RESTARTS_MAX) throw error;
    }
  }
}

async function readOn<T extends KubeObject>(
  readPage: ReadPage<T>,
  options: ListOptions,
  first: ListPage<T>,
): Promise<ObjectList<T>> {
  const items = [...first.items];
  let page = first;
  for (let pages = 1; page.continueFrom !== undefined; pages++) {
    const { continueFrom } = page;
    page = await readPage({ ...options, continueFrom });
    if (pages >= PAGES_MAX || page.continueFrom === continueFrom) {
      throw new Error(
        `a list did not end after ${pages + 1} pages of ${options.pageSize ?? PAGE_SIZE}; ask for larger ones`,
      );
    }
    for (const item of page.items) items.push(item);
  }
  return { items, resourceVersion: first.resourceVersion };
}
