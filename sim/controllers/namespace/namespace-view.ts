// A namespace as the controllers see it: whether it ends, and what still holds it.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { Stored } from "../../../src/kube/resource.ts";
import { listAt } from "../../api-server/api-object.ts";
import type { ApiObject } from "../api-resources.ts";
import { type ObjectView, parseObjectView } from "../object-view.ts";

export type NamespaceView = ObjectView & {
  /** It stays as long as this list is not empty. */
  readonly holds: readonly string[];
  readonly conditions: readonly JsonObject[];
};

/** Reads a namespace. */
export function parseNamespace(namespace: Stored<ApiObject>): NamespaceView {
  const { spec = {}, status = {} } = namespace;
  return {
    ...parseObjectView(namespace),
    holds: listAt(spec, "finalizers").filter((hold) => typeof hold === "string"),
    conditions: listAt(status, "conditions").filter(isJsonObject),
  };
}
