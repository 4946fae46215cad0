// Deletion: preconditions, finalizers, grace periods, collections, terminating namespaces.
import { aConfigMap, aJob, aPod, configMaps, jobs, pods } from "../objects.ts";
import { del, get, jsonPatch, mergePatch, post, type Scenario } from "../scenario.ts";
import { aWidget, widgets } from "../widget.ts";

const otherUid = "11111111-2222-4333-8444-555555555555";

export const deletion: readonly Scenario[] = [
  {
    name: "preconditions",
    exchanges: [
      post("an object to delete", configMaps, aConfigMap("a"), {
        keep: { uid: "metadata.uid", rv: "metadata.resourceVersion" },
      }),
      mergePatch("it moves on", `${configMaps}/a`, { data: { k: "1" } }, { keep: { now: "metadata.resourceVersion" } }),
      del("another UID is a conflict", `${configMaps}/a`, { preconditions: { uid: otherUid } }),
      del("an old version is a conflict", `${configMaps}/a`, { preconditions: { resourceVersion: "{{rv}}" } }),
      del("a dry run deletes nothing", `${configMaps}/a`, { dryRun: ["All"] }),
      get("it is still there", `${configMaps}/a`),
      del("UID and version that fit delete it", `${configMaps}/a`, {
        preconditions: { uid: "{{uid}}", resourceVersion: "{{now}}" },
      }),
      del("a second delete is 404", `${configMaps}/a`),
      post("the name can be used again, by another object", configMaps, aConfigMap("a")),
      del("the old UID does not delete the successor", `${configMaps}/a`, { preconditions: { uid: "{{uid}}" } }),
      del("delete options that are no JSON are refused", `${configMaps}/a`, "{"),
    ],
  },
  {
    name: "finalizers",
    exchanges: [
      post("a widget with a finalizer", widgets, aWidget("a", {}, { finalizers: ["example.dev/hold"] }), {
        keep: { uid: "metadata.uid" },
      }),
      del("a delete marks it and counts a generation", `${widgets}/a`),
      get("it is still there, marked", `${widgets}/a`),
      del("a second delete changes nothing", `${widgets}/a`),
      mergePatch("no finalizer can be added while it is being deleted", `${widgets}/a`, {
        metadata: { finalizers: ["example.dev/hold", "example.dev/more"] },
      }),
      mergePatch("its fields can still change", `${widgets}/a`, { spec: { size: 9 } }),
      post("its name is still taken", widgets, aWidget("a")),
      jsonPatch("the last finalizer's removal deletes it", `${widgets}/a`, [
        { op: "remove", path: "/metadata/finalizers/0" },
      ]),
      get("it is gone", `${widgets}/a`),
      post("a finalizer without a domain is refused", widgets, aWidget("b", {}, { finalizers: ["bad name"] })),
      post("an owner with dependants", configMaps, aConfigMap("owner"), { keep: { owner: "metadata.uid" } }),
      post(
        "an owner reference is stored as given",
        configMaps,
        aConfigMap(
          "child",
          {},
          {
            ownerReferences: [
              {
                apiVersion: "v1",
                kind: "ConfigMap",
                name: "owner",
                uid: "{{owner}}",
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
        ),
      ),
      post(
        "two controllers are refused",
        configMaps,
        aConfigMap(
          "child2",
          {},
          {
            ownerReferences: [1, 2].map((n) => ({
              apiVersion: "v1",
              kind: "ConfigMap",
              name: `o${n}`,
              uid: `owner-${n}`,
              controller: true,
            })),
          },
        ),
      ),
      post(
        "an owner reference without a UID is refused",
        configMaps,
        aConfigMap("child3", {}, { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o" }] }),
      ),
      del("foreground deletion leaves the owner with a finalizer", `${configMaps}/owner`, {
        propagationPolicy: "Foreground",
      }),
      del("orphaning leaves another", `${configMaps}/child`, { propagationPolicy: "Orphan" }),
      del("an unknown propagation policy is refused", `${configMaps}/child`, { propagationPolicy: "Sideways" }),
    ],
  },
  {
    name: "grace",
    exchanges: [
      post("a pod that no node runs", pods, aPod("free")),
      del("is gone at once when deleted", `${pods}/free`),
      get("it is gone", `${pods}/free`),
      post("a pod bound to a node", pods, aPod("bound", { nodeName: "n-1" }), { keep: { uid: "metadata.uid" } }),
      del("is marked, and stays for its grace period", `${pods}/bound`, { gracePeriodSeconds: 20 }),
      get("it waits for its node", `${pods}/bound`),
      del("a longer grace period does not prolong it", `${pods}/bound`, { gracePeriodSeconds: 60 }),
      del("a shorter one shortens it", `${pods}/bound`, { gracePeriodSeconds: 5 }),
      del("grace 0 with its UID confirms the end", `${pods}/bound`, {
        gracePeriodSeconds: 0,
        preconditions: { uid: "{{uid}}" },
      }),
      get("now it is gone", `${pods}/bound`),
      post("another pod bound to a node", pods, aPod("again", { nodeName: "n-1", terminationGracePeriodSeconds: 7 })),
      del("the pod's own grace period is the default", `${pods}/again`),
      del("a negative grace period counts as one second", `${pods}/again`, { gracePeriodSeconds: -1 }),
    ],
  },
  {
    name: "collections",
    exchanges: [
      post("three objects: a", configMaps, aConfigMap("a", {}, { labels: { group: "x" } })),
      post("three objects: b", configMaps, aConfigMap("b", {}, { labels: { group: "x" } })),
      post("three objects: c", configMaps, aConfigMap("c", {}, { labels: { group: "y" } })),
      del("a collection is deleted by selector", `${configMaps}?labelSelector=group%3Dx`),
      get("the other one is left", configMaps, { ignore: ["metadata.resourceVersion"] }),
      post("a job is created with generated labels and selector", jobs, aJob("work")),
      post("a job's name becomes a label and is bounded by it", jobs, aJob("j".repeat(64))),
    ],
  },
  {
    name: "terminating-namespace",
    exchanges: [
      post("a pod before the end", pods, aPod("p", { nodeName: "n-1" })),
      del("a namespace is marked", "/api/v1/namespaces/{{ns}}"),
      post("nothing is created in it any more", configMaps, aConfigMap("late")),
      mergePatch("what is there can still be changed", `${pods}/p`, { metadata: { labels: { a: "b" } } }),
      get("it is Terminating", "/api/v1/namespaces/{{ns}}"),
    ],
  },
];
