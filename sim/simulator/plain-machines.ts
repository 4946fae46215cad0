// The least that pods need from the machines below them: they become ready, and end when they are told to. These machines see the
// store itself and write plain requests over their bad network, so that a history costs little; the full model of a kubelet, with a
// client and a view of its own, is in sim/nodes.
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import type { HttpRequest } from "../../src/kube/transport.ts";
import { keyOfObject, listAt, metaOf, nameOf, objectAt, textAt } from "../api-server/api-object.ts";
import type { Ports } from "./ports.ts";
import type { World } from "./world.ts";

/** How long a machine takes to see what has changed. */
const SEEN_MS = 1;
/** A pod whose node is gone for so long is removed, as pod garbage collection does. */
const ORPHANED_MS = 10_000;
/** When a machine looks what has become of its request: it waits for no answer, since that may be lost. */
const AGAIN_MS = 2_000;
const readyStatus = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

/** Runs the machines of all nodes. */
export function startPlainMachines(
  { clock, transport }: Ports,
  { server, state }: Pick<World, "server" | "state">,
): void {
  const goneSinceMs = new Map<string, number>();
  const lookedForAgain = new Set<string>();
  const goneMs = (node: string) =>
    state.object("nodes", node) === undefined ? clock.monotonicMs() - (goneSinceMs.get(node) ?? 0) : undefined;
  const look = (key: string) => {
    const pod = state.object("pods", key);
    const request = pod === undefined ? undefined : requestFor(pod, goneMs(nodeOf(pod)));
    if (request === undefined) return;
    if (request !== "later") void transport.request(request).catch(() => undefined);
    if (lookedForAgain.has(key)) return;
    lookedForAgain.add(key);
    clock.after(AGAIN_MS, () => {
      lookedForAgain.delete(key);
      look(key);
    });
  };
  const lookIn = (delayMs: number, key: string) => void clock.after(delayMs, () => look(key));
  const lookAtPodsOn = (node: string) => {
    for (const pod of state.objects("pods")) if (nodeOf(pod) === node) lookIn(SEEN_MS, keyOfObject(pod));
  };
  server.onCommit(({ table, key, type }) => {
    if (table === "pods") lookIn(SEEN_MS, key);
    if (table !== "nodes" || type === "MODIFIED") return;
    goneSinceMs.set(key, clock.monotonicMs());
    lookAtPodsOn(key);
  });
}

/** What a machine has to do about a pod: nothing, something now, or something when its node has been gone for long enough. */
function requestFor(pod: JsonObject, goneMs: number | undefined): HttpRequest | "later" | undefined {
  const isEnding = metaOf(pod).deletionTimestamp !== undefined;
  if (goneMs !== undefined) return goneMs < ORPHANED_MS ? "later" : removal(pod);
  if (isEnding) return removal(pod);
  return isReadyPod(pod) || hasEnded(pod) ? undefined : readiness(pod);
}

/** Whether a stored pod is ready and not about to end. */
export function isReadyPod(pod: JsonObject): boolean {
  const conditions = listAt(objectAt(pod, "status"), "conditions").filter(isJsonObject);
  const isOn = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return isOn && metaOf(pod).deletionTimestamp === undefined;
}

/** A pod that was given up stays as it is until somebody takes it away. */
function hasEnded(pod: JsonObject): boolean {
  return ["Failed", "Succeeded"].includes(textAt(objectAt(pod, "status"), "phase"));
}

function removal(pod: JsonObject): HttpRequest {
  const preconditions = { uid: textAt(metaOf(pod), "uid") };
  const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0, preconditions });
  return { method: "DELETE", path: pathOf(pod), headers: headers("application/json"), lane: "calls", body };
}

function readiness(pod: JsonObject): HttpRequest {
  const body = JSON.stringify({ metadata: { uid: textAt(metaOf(pod), "uid") }, status: readyStatus });
  const path = `${pathOf(pod)}/status`;
  return { method: "PATCH", path, headers: headers("application/merge-patch+json"), lane: "calls", body };
}

function headers(media: string): HttpRequest["headers"] {
  return { accept: "application/json", "content-type": media, "user-agent": "kubelet" };
}

function pathOf(pod: JsonObject): string {
  return `/api/v1/namespaces/${textAt(metaOf(pod), "namespace")}/pods/${nameOf(pod)}`;
}

function nodeOf(pod: JsonObject): string {
  return textAt(objectAt(pod, "spec"), "nodeName");
}
