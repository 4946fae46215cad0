// How a model says what it does: as Kubernetes Events, where somebody wants to read them. Histories do without: each event is a write.
import type { Happening } from "../../src/runtime/log/event-series.ts";
import type { ObjectView } from "./object-view.ts";
import type { Done } from "./write.ts";

/** Takes what is to be told; returns at once. */
export type Tell = (happening: Happening) => void;

export const tellNobody: Tell = () => undefined;

/** What a workload's controller says of a pod that it has made or removed; undefined for anything else. */
export function podHappening(
  owner: Pick<ObjectView, "name" | "namespace" | "uid">,
  type: { readonly apiVersion: string; readonly kind: string },
  done: Done,
): Happening | undefined {
  const { name, namespace, uid } = owner;
  const about = { apiVersion: type.apiVersion, kind: type.kind, name, namespace, uid };
  switch (done.did) {
    case "create":
      return {
        about,
        type: "Normal",
        reason: "SuccessfulCreate",
        message: `Created pod: ${done.object.metadata.name}`,
      };
    case "delete":
      return { about, type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${nameIn(done.key)}` };
    default:
      return undefined;
  }
}

/** Something about a pod. */
export function aboutPod(
  { name, namespace, uid }: Pick<ObjectView, "name" | "namespace" | "uid">,
  said: Pick<Happening, "type" | "reason" | "message">,
): Happening {
  return { about: { apiVersion: "v1", kind: "Pod", name, namespace, uid }, ...said };
}

function nameIn(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
