// Leases, events, revisions, nodes, discovery, reviews: what an operator touches beside its objects.
import { aNode, aPod, events, leases, nodes, pods, revisions } from "../objects.ts";
import { get, mergePatch, post, put, type Scenario } from "../scenario.ts";

const lease = (spec: object, metadata: object = {}) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "a", ...metadata },
  spec,
});
const revision = (name: string, content: object) => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name },
  data: content,
  revision: 1,
});
const access = (resource: string) => ({
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  spec: { resourceAttributes: { namespace: "{{ns}}", verb: "create", resource } },
});

export const others: readonly Scenario[] = [
  {
    name: "leases",
    exchanges: [
      post(
        "times of a lease have microseconds",
        leases,
        lease({
          holderIdentity: "one",
          leaseDurationSeconds: 15,
          renewTime: "2026-01-02T03:04:05.000006Z",
          acquireTime: "2026-01-02T03:04:05.000006Z",
        }),
        { keep: { rv: "metadata.resourceVersion" } },
      ),
      put(
        "a renewal with the current version",
        `${leases}/a`,
        lease(
          { holderIdentity: "one", leaseDurationSeconds: 15, renewTime: "2026-01-02T03:04:06.000006Z" },
          { resourceVersion: "{{rv}}" },
        ),
      ),
      put(
        "a take-over from an old version is a conflict",
        `${leases}/a`,
        lease({ holderIdentity: "two" }, { resourceVersion: "{{rv}}" }),
      ),
      put("a renewal without a version is refused", `${leases}/a`, lease({ holderIdentity: "three" })),
      post("whole seconds are refused: a lease needs microseconds", leases, {
        ...lease({ holderIdentity: "one", renewTime: "2026-01-02T03:04:05Z" }),
        metadata: { name: "b" },
      }),
      post("a time that is none is refused", leases, { ...lease({ renewTime: "yesterday" }), metadata: { name: "c" } }),
      post("a duration of nothing is refused", leases, {
        ...lease({ leaseDurationSeconds: 0 }),
        metadata: { name: "d" },
      }),
    ],
  },
  {
    name: "records",
    exchanges: [
      post("a revision keeps its data as it is", revisions, revision("a", { spec: { b: 1, a: [1, "2"] } })),
      mergePatch("its number can change", `${revisions}/a`, { revision: 2 }),
      mergePatch("its data cannot", `${revisions}/a`, { data: { spec: { b: 2 } } }),
      post("an event", events, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "e" },
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "{{ns}}", name: "a" },
        reason: "Tried",
        message: "it was tried",
        type: "Normal",
        count: 1,
      }),
      post("an event about another namespace is refused", events, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "f" },
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "elsewhere", name: "a" },
        reason: "Tried",
      }),
      mergePatch("an event can be counted up", `${events}/e`, { count: 2 }),
    ],
  },
  {
    name: "quota",
    exchanges: [
      post("a quota of one pod", "/api/v1/namespaces/{{ns}}/resourcequotas", {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "q" },
        spec: { hard: { pods: "1" } },
      }),
      mergePatch("whose use is known", "/api/v1/namespaces/{{ns}}/resourcequotas/q/status", {
        status: { hard: { pods: "1" }, used: { pods: "0" } },
      }),
      post("the first pod fits", pods, aPod("a")),
      post("the second does not", pods, aPod("b")),
    ],
  },
  {
    name: "nodes",
    exchanges: [
      post("a node", nodes, aNode("{{ns}}", { labels: { zone: "a" } })),
      mergePatch("its status is a subresource", `${nodes}/{{ns}}/status`, {
        status: { nodeInfo: { kernelVersion: "6.1.0" }, conditions: [{ type: "Ready", status: "True" }] },
      }),
      mergePatch("a label whose value is a kernel with a plus sign is refused", `${nodes}/{{ns}}`, {
        metadata: { labels: { kernel: "6.1.0+" } },
      }),
      mergePatch("a taint", `${nodes}/{{ns}}`, { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
      mergePatch("a taint of no effect is refused", `${nodes}/{{ns}}`, {
        spec: { taints: [{ key: "k", effect: "Sometimes" }] },
      }),
      get("the whole node", `${nodes}/{{ns}}`),
    ],
  },
  {
    name: "reviews",
    exchanges: [
      post(
        "may I: a review answers with a status",
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        access("pods"),
        { ignore: ["status.reason"] },
      ),
      get("the root lists the groups' versions", "/api"),
      get("health", "/healthz"),
      get("an unknown path", "/none"),
      post("a verb that a resource lacks", `${nodes}/{{ns}}`, {}),
    ],
  },
];
