// What Kruise's typed Go clients do to a set: they send every zero value, read and write whole objects, try again after a conflict,
// and know a pod by its owner and by labels. In both versions, as the published suite uses them.

import {
  type AnyObject,
  GROUP,
  olderSets,
  pods,
  type SetObject,
  sets,
} from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { isConflict } from "../../../src/kube/client/api-error.ts";
import type { Client } from "../../../src/kube/client/client.ts";
import type { Stored } from "../../../src/kube/resource.ts";

export type Version = "v1beta1" | "v1alpha1";
export type StoredPod = Stored<AnyObject>;

export const WEBSERVER = "registry.example.com/e2e-test-images/httpd:2.4.38-1";
export const NEW_WEBSERVER = "registry.example.com/e2e-test-images/httpd:2.4.39-1";

const NAMESPACE = "default";
const NAME_LABEL = "daemonset-name";
const CONFLICTS_MAX = 10;

/** The set of the published suite, with everything that Go writes though nobody meant it. */
export function aTypedSet(version: Version, name: string, spec: JsonObject = {}, podSpec: JsonObject = {}): SetObject {
  const labels = { [NAME_LABEL]: name };
  const container = { name: "busybox", image: WEBSERVER, command: ["/bin/sh", "-c", "sleep 10000000"], resources: {} };
  const hash = version === "v1beta1" ? { updateRevision: "" } : { daemonSetHash: "" };
  return JSON.parse(
    JSON.stringify({
      ...{ apiVersion: `${GROUP}/${version}`, kind: "DaemonSet" },
      metadata: { name, namespace: NAMESPACE, creationTimestamp: null },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { creationTimestamp: null, labels },
          spec: {
            ...{ containers: [container], hostNetwork: true, tolerations: [{ operator: "Exists" }] },
            ...{ terminationGracePeriodSeconds: 3, ...podSpec },
          },
        },
        ...{ updateStrategy: {}, burstReplicas: 50, ...spec },
      },
      status: {
        ...{ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
        ...{ updatedNumberScheduled: 0, ...hash },
      },
    }),
  );
}

/** The verbs of the suite on one set. */
export function typedClient(client: Client, version: Version, name: string) {
  const resource = version === "v1beta1" ? sets : olderSets;
  const key = `${NAMESPACE}/${name}`;
  const get = async (): Promise<Stored<SetObject>> => {
    const set = await client.get(resource, key);
    if (set === undefined) throw new Error(`there is no set ${key}`);
    return set;
  };
  const podsOf = async (): Promise<readonly StoredPod[]> =>
    (await client.list(pods, { namespace: NAMESPACE, labelSelector: `${NAME_LABEL}=${name}` })).items;
  return {
    get,
    podsOf,
    create: (set: SetObject) => client.create(resource, set),
    remove: () => client.remove(resource, key),
    mergePatch: (body: JsonObject) => client.patch(resource, key, { type: "merge", body }),
    /** Reads the whole object, changes its template and writes it back, again after a conflict. */
    update: async (change: (podSpec: JsonObject, spec: JsonObject) => JsonObject): Promise<void> => {
      for (let attempt = 0; ; attempt++) {
        const set = await get();
        const spec = set.spec ?? {};
        const template = partOf(spec, "template");
        const changed = { ...spec, template: { ...template, spec: change(partOf(template, "spec"), spec) } };
        const written = await client
          .update(resource, { ...set, spec: changed })
          .catch((error: unknown) =>
            isConflict(error) && attempt < CONFLICTS_MAX ? undefined : Promise.reject(error),
          );
        if (written !== undefined) return;
      }
    },
    status: async (): Promise<JsonObject> => (await get()).status ?? {},
    /** The field that is named otherwise in the two versions. */
    hash: async (): Promise<string> => {
      const { updateRevision, daemonSetHash } = (await get()).status ?? {};
      return String(version === "v1beta1" ? updateRevision : daemonSetHash);
    },
    /** The nodes with a pod that the set controls, that stays, and that is available; one entry per pod. */
    availableOn: async (): Promise<readonly string[]> => {
      const { metadata, spec = {} } = await get();
      const all = (await client.list(pods, { namespace: NAMESPACE })).items;
      return all
        .filter((pod) => isControlledBy(pod, metadata.uid) && pod.metadata.deletionTimestamp === undefined)
        .filter((pod) => readyForMs(pod) >= Number(spec.minReadySeconds ?? 0) * 1_000)
        .map(nodeOf)
        .sort();
    },
  };
}

/** With another image or other fields in its first container. */
export function withContainer(podSpec: JsonObject, fields: JsonObject): JsonObject {
  const [first, ...others] = Array.isArray(podSpec.containers) ? podSpec.containers.filter(isJsonObject) : [];
  return { ...podSpec, containers: [{ ...first, ...fields }, ...others] };
}

/** Where a pod is, or is to be. */
export function nodeOf({ spec }: AnyObject): string {
  if (typeof spec?.nodeName === "string") return spec.nodeName;
  return (
    /"metadata\.name","operator":"In","values":\["([^"]+)"\]/.exec(JSON.stringify(spec?.affinity ?? {}))?.[1] ?? ""
  );
}

/** For how long a pod has been ready; −1 when it is not. */
export function readyForMs({ status }: AnyObject): number {
  const conditions = Array.isArray(status?.conditions) ? status.conditions.filter(isJsonObject) : [];
  const ready = conditions.find(({ type, status: is }) => type === "Ready" && is === "True");
  return ready === undefined ? -1 : Date.now() - Date.parse(String(ready.lastTransitionTime));
}

/** The images that a kubelet has reported. */
export function reportedImages({ status }: AnyObject): readonly string[] {
  const statuses = Array.isArray(status?.containerStatuses) ? status.containerStatuses.filter(isJsonObject) : [];
  return statuses.map(({ image }) => String(image));
}

function isControlledBy({ metadata }: AnyObject, uid: string): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.controller === true && owner.uid === uid);
}

function partOf(value: JsonObject, key: string): JsonObject {
  const part: Json | undefined = value[key];
  return isJsonObject(part) ? part : {};
}
