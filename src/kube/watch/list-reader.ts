// Reads a list of a feed page by page into a draft. All pages come from one snapshot of the server, by quorum: no version is
// asked for, so a server that lags behind cannot answer from its own old picture.

import { apiVersionOf, type Query, resourceName } from "../resource.ts";
import { decodeEnvelope, type Envelope, isBroken } from "../wire/codec.ts";
import { ListSplitter } from "../wire/list-splitter.ts";
import { isTooLong, type Piece } from "../wire/piece-buffer.ts";
import { AttemptFault } from "./attempt-end.ts";
import { type Feed, openFeed } from "./feed.ts";
import type { ListDraft } from "./list-draft.ts";

/** Adds a whole list to the draft and gives its version. Without `pageSize` all comes in one page. */
export async function readList<V>(
  feed: Feed<V>,
  draft: ListDraft<V>,
  pageSize: number | undefined,
  signal: AbortSignal,
): Promise<string> {
  let before: Envelope | undefined;
  for (let page = 0; page < feed.limits.pagesMax; page++) {
    const query = { limit: pageSize, continue: before?.continueFrom };
    const envelope = await readPage(feed, draft, query, signal);
    if (before !== undefined && envelope.resourceVersion !== before.resourceVersion) {
      const versions = `${before.resourceVersion} and ${envelope.resourceVersion}`;
      throw new AttemptFault("Expired", `pages of one list come from different versions, ${versions}`);
    }
    if (envelope.continueFrom === undefined) return envelope.resourceVersion;
    before = envelope;
  }
  throw new AttemptFault("Garbled", `the list has no end after ${feed.limits.pagesMax} pages`);
}

async function readPage<V>(feed: Feed<V>, draft: ListDraft<V>, query: Query, signal: AbortSignal): Promise<Envelope> {
  const stream = await openFeed(feed, { query, totalMs: feed.limits.pageMs, signal });
  try {
    const splitter = new ListSplitter(feed.limits.objectBytesMax);
    for (let chunk = await stream.next(); chunk !== undefined; chunk = stream.ready() ?? (await stream.next())) {
      feed.heard();
      for (const item of splitter.push(chunk)) addItem(feed, draft, item);
      if (splitter.problem !== undefined) break;
    }
    const rest = splitter.finish();
    const envelope = rest === undefined ? { broken: splitter.problem ?? "no list" } : decodeEnvelope(rest);
    if (isBroken(envelope))
      throw new AttemptFault("Garbled", `list of ${resourceName(feed.resource)}: ${envelope.broken}`);
    return envelope;
  } finally {
    stream.close();
  }
}

function addItem<V>(feed: Feed<V>, draft: ListDraft<V>, item: Piece): void {
  const type = { apiVersion: apiVersionOf(feed.resource), kind: feed.resource.kind };
  const wire = isTooLong(item)
    ? { broken: `an object of ${item.tooLongBytes} bytes is longer than ${feed.limits.objectBytesMax}` }
    : feed.codec.decodeItem(item, type);
  if (isBroken(wire)) feed.unreadable(wire.broken);
  else draft.add(wire);
}
