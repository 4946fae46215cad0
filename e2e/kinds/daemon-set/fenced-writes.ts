// S4: a write that depends on what was seen says which object it means, by UID or version, so that an old picture never changes a
// successor. Deletes have a rule of their own.
import { metaOf, textAt } from "../../../sim/api-server/api-object.ts";
import { bodyText, readJson } from "../../../sim/api-server/json-body.ts";
import type { RequestRule } from "../../../sim/simulator/commit.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import type { HttpRequest } from "../../../src/kube/transport.ts";

/** Events are nobody's successor, and Leases are fenced by their own protocol. */
const exempt = /\/(events|leases)(\/|\?|$)/;

/** Changes that processes of these roles send name a UID or a version. */
export function writesAreFenced(...roles: readonly string[]): RequestRule {
  return {
    name: "S4 Fence",
    roles,
    check: ({ request }) => {
      const { method, path } = request;
      if ((method !== "PATCH" && method !== "PUT") || exempt.test(path)) return undefined;
      const { uid, resourceVersion } = namesIn(request);
      return uid === "" && resourceVersion === "" ? `${method} ${path} names neither a UID nor a version` : undefined;
    },
  };
}

function namesIn(request: HttpRequest) {
  const meta = metaOf(bodyOf(request));
  return { uid: textAt(meta, "uid"), resourceVersion: textAt(meta, "resourceVersion") };
}

function bodyOf({ body }: HttpRequest): JsonObject {
  const text = body === undefined ? "" : bodyText(body);
  const read = text === "" ? undefined : readJson(text);
  return read?.ok && isJsonObject(read.value) ? read.value : {};
}
