// The namespaces that a cluster has before anybody asks.

import { newUid } from "./identity.ts";
import type { ServerParts } from "./server-parts.ts";
import { commitObject } from "./verbs/commit-object.ts";

const names = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Stores the namespaces that every cluster begins with, if the server knows namespaces at all. */
export function seedNamespaces(parts: ServerParts): void {
  const endpoint = parts.resources.find("", "v1", "namespaces");
  if (endpoint === undefined) return;
  const { prepareCreate = (object) => object } = endpoint.type.rules;
  for (const name of names) {
    const metadata = { name, uid: newUid(parts.rand), creationTimestamp: parts.now() };
    const object = prepareCreate({ kind: "Namespace", apiVersion: "v1", metadata });
    commitObject(parts, { endpoint, namespace: "", name, subresource: "" }, object);
  }
}
