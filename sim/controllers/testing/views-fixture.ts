// Builders for tests of pure decisions: nodes, pods and sets as the caches hold them, with valid defaults.
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { ApiObject } from "../api-resources.ts";
import { type DaemonSetView, parseDaemonSet } from "../daemon-set/daemon-set-view.ts";
import type { DaemonSetSight } from "../daemon-set/decide-daemon-pods.ts";
import { type NodeView, parseNode } from "../node-view.ts";
import { type PodView, parsePod } from "../pod-view.ts";

export const NOON_MS = Date.parse("2026-01-01T12:00:00Z");

const stored = (name: string, more: Partial<ApiObject["metadata"]> = {}) => ({
  ...{
    name,
    namespace: "default",
    uid: `uid-${name}`,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T11:00:00Z",
  },
  ...more,
});

/** A node without taints. */
export function nodeView(name: string, { spec = {}, status = {}, labels = {} }: NodeWish = {}): NodeView {
  const { namespace: _, ...metadata } = stored(name, { labels });
  return parseNode({ apiVersion: "v1", kind: "Node", metadata, spec, status });
}

type NodeWish = {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
};

export type PodWish = {
  readonly node?: string;
  readonly hash?: string;
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly readySince?: string;
  readonly isTerminating?: boolean;
  readonly spec?: JsonObject;
  readonly meta?: Partial<ApiObject["metadata"]>;
  readonly status?: JsonObject;
};

/** A running, ready pod of the present template on node "a". */
export function podView(name: string, wish: PodWish = {}): PodView {
  const { node = "a", hash = "new", phase = "Running", isReady = phase === "Running", isTerminating = false } = wish;
  const since = wish.readySince ?? "2026-01-01T11:30:00Z";
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: since }];
  const ending = isTerminating ? { deletionTimestamp: "2026-01-01T11:59:00Z" } : {};
  return parsePod({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: stored(name, { labels: { "controller-revision-hash": hash }, ...ending, ...wish.meta }),
    spec: { nodeName: node, ...wish.spec },
    status: { phase, conditions, ...wish.status },
  });
}

/** A DaemonSet for all nodes without taints. */
export function setView(spec: JsonObject = {}, status: JsonObject = {}): DaemonSetView {
  return parseDaemonSet({
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: stored("agent", { generation: 1 }) },
    spec: { selector: { matchLabels: { app: "agent" } }, template: { spec: { containers: [] } }, ...spec },
    status,
  });
}

/** What the controller of a set sees at noon. */
export function sightOf(
  set: DaemonSetView,
  nodes: readonly NodeView[],
  pods: readonly PodView[],
  more: Partial<DaemonSetSight> = {},
): DaemonSetSight {
  const podsByNode = Map.groupBy(pods, ({ targetNode }) => targetNode);
  return { set, nodes, podsByNode, hash: "new", nowMs: NOON_MS, failureWaitMs: () => 0, ...more };
}
