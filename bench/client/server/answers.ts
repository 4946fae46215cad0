// What the server of the benchmark says, as bytes made once: serving must cost so little that the client is what is measured.
import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { aNode } from "../node-object.ts";
import { podEvent } from "../pod-events.ts";
import { aPod } from "../pod-object.ts";
import { NODES, POD_EVENTS } from "../workloads.ts";

export type Page = { readonly from: number; readonly limit: number };

export type Answers = {
  /** A pod, as the answer to each PATCH. */
  readonly pod: Uint8Array;
  /** The whole list of nodes, plain and as gzip. */
  readonly nodes: Uint8Array;
  readonly nodesGzipped: Uint8Array;
  nodesPage(page: Page): Uint8Array;
  /** A streamed list of nodes: one line per node, then the bookmark that says that these were all. */
  readonly nodeLines: readonly Uint8Array[];
  readonly noPods: Uint8Array;
  /** The bookmark alone: a streamed list of no pods. */
  readonly noPodLines: readonly Uint8Array[];
  readonly podLines: readonly Uint8Array[];
};

/** As API servers compress: fast rather than small. */
const GZIP_LEVEL = 1;
const LIST_VERSION = "2000000";
const utf8 = new TextEncoder();

/** Makes all answers; takes about a second and 200 MB. */
export function makeAnswers(): Answers {
  const nodes = Array.from({ length: NODES }, (_, index) => JSON.stringify(aNode(index)));
  const whole = utf8.encode(nodesPage(nodes, { from: 0, limit: NODES }));
  return {
    pod: utf8.encode(JSON.stringify(aPod(1, { resourceVersion: Number(LIST_VERSION), isReady: true }))),
    nodes: whole,
    nodesGzipped: gzipSync(whole, { level: GZIP_LEVEL }),
    nodesPage: (page) => utf8.encode(nodesPage(nodes, page)),
    nodeLines: [...nodes.map((node) => line("ADDED", node)), listEnd("Node")],
    noPods: utf8.encode(printList("PodList", [], {})),
    noPodLines: [listEnd("Pod")],
    podLines: Array.from({ length: POD_EVENTS }, (_, index) => podLine(index)),
  };
}

function nodesPage(nodes: readonly string[], { from, limit }: Page): string {
  const end = from + limit;
  const items = nodes.slice(from, end);
  return printList("NodeList", items, end < nodes.length ? { continue: String(end) } : {});
}

function printList(kind: string, items: readonly string[], position: JsonObject): string {
  const metadata = JSON.stringify({ resourceVersion: LIST_VERSION, ...position });
  return `{"kind":"${kind}","apiVersion":"v1","metadata":${metadata},"items":[${items.join(",")}]}`;
}

function podLine(index: number): Uint8Array {
  const { type, pod } = podEvent(index);
  const resourceVersion = Number(LIST_VERSION) + 1 + index;
  return line(type, JSON.stringify(aPod(pod, { resourceVersion, isReady: type !== "ADDED" })));
}

function listEnd(kind: string): Uint8Array {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = { resourceVersion: LIST_VERSION, creationTimestamp: null, annotations };
  return line("BOOKMARK", JSON.stringify({ kind, apiVersion: "v1", metadata }));
}

function line(type: string, object: string): Uint8Array {
  return utf8.encode(`{"type":"${type}","object":${object}}\n`);
}
