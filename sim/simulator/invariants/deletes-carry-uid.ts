// S4, the part that can be seen from outside: who deletes says which object, so that an old picture never ends a successor.
import { isJsonObject } from "../../../src/core/json/json.ts";
import type { HttpRequest } from "../../../src/kube/transport.ts";
import { objectAt, textAt } from "../../api-server/api-object.ts";
import { bodyText, readJson } from "../../api-server/request/json-body.ts";
import type { RequestRule } from "../commit.ts";

/** Every delete that processes of these roles send names the UID that it means. */
export function deletesCarryUid(...roles: readonly string[]): RequestRule {
  return {
    name: "DeletesCarryUid",
    roles,
    check: ({ request }) => {
      if (request.method !== "DELETE" || uidOf(request) !== "") return undefined;
      return `DELETE ${request.path} without a UID`;
    },
  };
}

function uidOf({ body }: HttpRequest): string {
  const text = body === undefined ? "" : bodyText(body);
  const read = text === "" ? undefined : readJson(text);
  const options = read?.ok && isJsonObject(read.value) ? read.value : {};
  return textAt(objectAt(options, "preconditions"), "uid");
}
