// S4: every write that depends on what was seen says which object it means, so that an old picture never changes a successor: a patch by UID
// or version, a replacement by version, an apply to a node by UID. Applies of our own fields need none. Deletes have a rule of their own.

import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import type { HttpRequest } from "../../src/kube/transport.ts";
import { metaOf, textAt } from "../api-server/api-object.ts";
import { bodyText, readJson } from "../api-server/request/json-body.ts";
import type { RequestRule } from "../simulator/commit.ts";

/** Events are nobody's successor, and Leases are fenced by their own protocol. */
const exempt = /\/(events|leases)(\/|\?|$)/;
const ofNode = /\/nodes\//;

/** Requests that change something and name no UID and no version. */
export function writesAreFenced(...roles: readonly string[]): RequestRule {
  return {
    name: "S4 Fence",
    roles,
    check: ({ request }) => {
      const { method, path, headers } = request;
      if ((method !== "PATCH" && method !== "PUT") || exempt.test(path)) return undefined;
      const isApply = Object.values(headers).some((value) => value.includes("apply-patch"));
      if (isApply && !ofNode.test(path)) return /[?&]force=true/.test(path) ? `apply to ${path} by force` : undefined;
      const meta = metaOf(bodyOf(request));
      return textAt(meta, "uid") !== "" || textAt(meta, "resourceVersion") !== ""
        ? undefined
        : `${method} ${path} names neither a UID nor a version`;
    },
  };
}

function bodyOf({ body }: HttpRequest): JsonObject {
  const text = body === undefined ? "" : bodyText(body);
  const read = text === "" ? undefined : readJson(text);
  return read?.ok && isJsonObject(read.value) ? read.value : {};
}
