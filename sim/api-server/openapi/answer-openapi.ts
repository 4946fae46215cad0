// What the server publishes of its schemas, for `kubectl explain` and for the checks of `kubectl apply`: an index of documents,
// one per group and version, each under a hash of its content so that clients can keep it. Documents are made when they are asked
// for. Of version 2, one document for all, kubectl asks only what version 3 did not answer: it is there, and empty.
import { createHash } from "node:crypto";
import { printJson } from "../../../src/kube/wire/json-text.ts";
import type { Endpoint, ResourceTable } from "../resource-table.ts";
import type { Definitions } from "../schema.ts";
import { type Answer, jsonAnswer } from "../server-parts.ts";
import { groupDocument } from "./group-document.ts";

const ROOT = "/openapi/v3";
const HASH_CHARS = 32;
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The first field, a text of three bytes: the version of the format. */
const emptyDocument = Uint8Array.of(0x0a, 3, ...new TextEncoder().encode("2.0"));
/** The hash in the address makes a document good for ever. */
const keepForever = "public, max-age=31536000, immutable";

/** Answers a path below `/openapi`; undefined for any other. */
export function answerOpenApi(path: string, resources: ResourceTable): Answer | undefined {
  if (path === "/openapi/v2") return { status: 200, headers: { "content-type": protobuf }, body: emptyDocument };
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
  const groups = groupsOf(resources);
  const shared = definitionsOf(groups);
  if (path === ROOT) return index(groups, shared);
  const endpoints = groups.get(path.slice(ROOT.length + 1));
  if (endpoints === undefined) return undefined;
  const document = groupDocument(endpoints, shared);
  return jsonAnswer(200, document, { etag: `"${hashOf(document)}"`, "cache-control": keepForever, vary: "Accept" });
}

type Groups = ReadonlyMap<string, readonly Endpoint[]>;

/** The endpoints by the path of their group: "api/v1", "apis/apps/v1". */
function groupsOf(resources: ResourceTable): Groups {
  return Map.groupBy(resources.all(), ({ type, apiVersion }) =>
    type.group === "" ? `api/${apiVersion}` : `apis/${apiVersion}`,
  );
}

/** What built-in kinds have in common with custom ones is defined with the former. */
function definitionsOf(groups: Groups): Definitions {
  const [any] = groups.get("api/v1") ?? [];
  return any?.type.definitions ?? {};
}

function index(groups: Groups, shared: Definitions): Answer {
  const paths = [...groups].map(([path, endpoints]) => {
    const hash = hashOf(groupDocument(endpoints, shared));
    return [path, { serverRelativeURL: `${ROOT}/${path}?hash=${hash}` }] as const;
  });
  return jsonAnswer(200, { paths: Object.fromEntries(paths) });
}

function hashOf(document: object): string {
  return createHash("sha256").update(printJson(document)).digest("hex").slice(0, HASH_CHARS).toUpperCase();
}
