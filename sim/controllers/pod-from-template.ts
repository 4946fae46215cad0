// A pod made from a template for its controller, as Kubernetes' workload controllers make it.
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import type { OwnerReference } from "../../src/kube/resource.ts";
import { listAt, objectAt } from "../api-server/api-object.ts";
import { type ApiObject, PODS } from "./api-resources.ts";
import type { ObjectView } from "./object-view.ts";
import type { Write } from "./write.ts";

export type PodWish = {
  readonly owner: OwnerReference;
  readonly parent: Pick<ObjectView, "name" | "namespace">;
  readonly template: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Fields of the pod's spec beside those of the template. */
  readonly spec?: Readonly<Record<string, Json>>;
};

/** The write that makes a pod under a name of the server's choice. */
export function createPod({ owner, parent, template, labels = {}, finalizers = [], spec = {} }: PodWish): Write {
  const meta = objectAt(template, "metadata");
  const held = [...textsIn(listAt(meta, "finalizers")), ...finalizers];
  const object: ApiObject = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: "", generateName: `${parent.name}-`, namespace: parent.namespace },
      labels: { ...textMap(meta.labels), ...labels },
      annotations: textMap(meta.annotations),
      ...(held.length === 0 ? {} : { finalizers: held }),
      ownerReferences: [owner],
    },
    spec: { ...objectAt(template, "spec"), ...spec },
  };
  return { do: "create", resource: PODS, object };
}

function textMap(value: Json | undefined): Readonly<Record<string, string>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function textsIn(values: readonly Json[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}
