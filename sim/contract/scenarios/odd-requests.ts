// What clients send by mistake: options that are none, verbs that a resource does not have, objects that change what they are.
import { aConfigMap, aPod, configMaps, pods } from "../objects.ts";
import { apply, del, get, jsonPatch, mergePatch, post, put, type Scenario, strategicPatch } from "../scenario.ts";
import { aWidget, GROUP, widgets } from "../widget.ts";

const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${GROUP}`;
const LONG_NAME = "m".repeat(129);

const writeOptions: Scenario = {
  name: "write-options",
  exchanges: [
    post("a way of validation that says nothing is the usual one", `${configMaps}?fieldValidation=`, aConfigMap("a")),
    post("a way of validation that there is not", `${configMaps}?fieldValidation=Hard`, aConfigMap("b")),
    post("a rehearsal of a kind that there is not", `${configMaps}?dryRun=Some`, aConfigMap("b")),
    post("one good word does not mend another", `${configMaps}?dryRun=All&dryRun=Some`, aConfigMap("b")),
    post("the name of a manager has at most 128 bytes", `${configMaps}?fieldManager=${LONG_NAME}`, aConfigMap("b")),
    post("and can be printed", `${configMaps}?fieldManager=%C2%AD`, aConfigMap("b")),
    post("everything that is wrong is said", `${configMaps}?fieldManager=${LONG_NAME}&dryRun=x`, aConfigMap("b")),
    post("a create knows nothing of force", `${configMaps}?force=perhaps`, aConfigMap("c")),
    put("nor does a replacement", `${configMaps}/a?force=perhaps`, aConfigMap("a", { one: "1" })),
    mergePatch("force is for apply alone", `${configMaps}/a?force=true`, { data: { two: "2" } }),
    mergePatch("whatever it says", `${configMaps}/a?force=false`, { data: { two: "2" } }),
    mergePatch("a patch names its manager as a create does", `${configMaps}/a?fieldManager=${LONG_NAME}`, {}),
    apply("an apply needs a manager", `${configMaps}/a?fieldManager=`, aConfigMap("a", { one: "1" })),
    apply("and says so beside the rest", `${configMaps}/a?dryRun=x`, aConfigMap("a", { one: "1" })),
    apply("a manager takes part", `${configMaps}/a?fieldManager=one`, aConfigMap("a", { one: "1" })),
    apply("another is in conflict", `${configMaps}/a?fieldManager=two&force=0`, aConfigMap("a", { one: "2" })),
    apply(
      "force is anything but 0 and false",
      `${configMaps}/a?fieldManager=two&force=`,
      aConfigMap("a", { one: "2" }),
    ),
    del("a rehearsal of a delete, of a kind that there is not", `${configMaps}/a?dryRun=Some`),
  ],
};

const verbs: Scenario = {
  name: "verbs",
  exchanges: [
    post("a pod", pods, aPod("a")),
    del("namespaces are not deleted together", "/api/v1/namespaces?labelSelector=none%3Dnone"),
    del("nor is anything in all namespaces at once", "/api/v1/configmaps?labelSelector=none%3Dnone"),
    get("the finalizers of a namespace are written, not read", "/api/v1/namespaces/{{ns}}/finalize"),
    mergePatch("and written as a whole", "/api/v1/namespaces/{{ns}}/finalize", {}),
    post("a log is read, not written", `${pods}/a/log`, {}),
    del("a part of an object is not deleted", `${pods}/a/status`),
    del("nor is its scale", "/apis/apps/v1/namespaces/{{ns}}/deployments/a/scale"),
    get("one object is read, even if a watch is asked for", `${pods}/a?watch=true&timeoutSeconds=1`),
    get("a watch is everything but false and 0", `${configMaps}?watch=yes&timeoutSeconds=1`, { events: 1 }),
    get("0 is a list", `${pods}?watch=0&fieldSelector=metadata.name%3Dnone`, { ignore: ["metadata.resourceVersion"] }),
    del("a namespace goes when it is empty", "/api/v1/namespaces/{{ns}}"),
    del("whoever asks again is told how it is", "/api/v1/namespaces/{{ns}}"),
  ],
};

const identity: Scenario = {
  name: "identity",
  exchanges: [
    post("an object", configMaps, aConfigMap("a"), { keep: { uid: "metadata.uid" } }),
    jsonPatch("a patch does not make it another kind", `${configMaps}/a`, [
      { op: "replace", path: "/kind", value: "Secret" },
    ]),
    mergePatch("whatever the patch", `${configMaps}/a`, { kind: "Secret" }),
    mergePatch("nor another version", `${configMaps}/a`, { apiVersion: "v2" }),
    strategicPatch("a strategic patch that tries changes nothing", `${configMaps}/a`, { kind: "Secret" }),
    get("and it is what it was", `${configMaps}/a`),
    mergePatch("a patch does not give it another UID", `${configMaps}/a`, { metadata: { uid: "other" } }),
    mergePatch("nor an end", `${configMaps}/a`, { metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" } }),
    mergePatch("nor a prefix that makes no names", `${configMaps}/a`, { metadata: { generateName: "A_" } }),
    mergePatch("its dependents are either deleted or left", `${configMaps}/a`, {
      metadata: { finalizers: ["foregroundDeletion", "orphan"] },
    }),
    mergePatch("an event owns nothing", `${configMaps}/a`, {
      metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "e", uid: "e" }] },
    }),
    mergePatch("an owner has a version that can be read", `${configMaps}/a`, {
      metadata: { ownerReferences: [{ apiVersion: "a/b/c", kind: "X", name: "x", uid: "x" }] },
    }),
    post("a custom resource", widgets, aWidget("a")),
    jsonPatch("stays of its kind", `${widgets}/a`, [{ op: "replace", path: "/kind", value: "Gadget" }]),
    mergePatch("whatever the patch to it", `${widgets}/a`, { kind: "Gadget" }),
    post("and says of which kind it is", widgets, { metadata: { name: "b" } }),
  ],
};

const bodies: Scenario = {
  name: "bodies",
  exchanges: [
    post("nothing is an object without a name", configMaps, "null"),
    post("a list is none", configMaps, "[]"),
    post("nor is a text", configMaps, '"x"'),
    post("a kind is a text", configMaps, '{"kind":5}'),
    post("a version that cannot be read", configMaps, '{"apiVersion":"a/b/c"}'),
    post("a version that there is not", configMaps, { ...aConfigMap("a"), apiVersion: "v2" }),
    post("nothing is no custom resource", widgets, "null"),
    post("nor is a list", widgets, "[]"),
    post("an object", configMaps, aConfigMap("a")),
    del("options of a delete are no list", `${configMaps}/a`, "[]"),
    del("a grace period is a number", `${configMaps}/a?gracePeriodSeconds=long`),
    del("dependents are handled in one way", `${configMaps}/a`, {
      propagationPolicy: "Orphan",
      orphanDependents: true,
    }),
    post("a pod", pods, aPod("a")),
    post("a binding is of the pod that its path names", `${pods}/a/binding`, { target: { kind: "Node", name: "n" } }),
    post("so is an eviction", `${pods}/a/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "other" },
    }),
    put("what holds a namespace has a prefix", "/api/v1/namespaces/{{ns}}/finalize", {
      metadata: { name: "{{ns}}" },
      spec: { finalizers: ["mine"] },
    }),
    post("the same key cannot hold a text and bytes", configMaps, {
      ...aConfigMap("b", { a: "text" }),
      binaryData: { a: "eA==" },
    }),
    mergePatch("a definition does not change its scope", definition, { spec: { scope: "Cluster" } }),
    mergePatch("nor its kind", definition, { spec: { names: { kind: "Gadget" } } }),
  ],
};

export const oddRequests: readonly Scenario[] = [writeOptions, verbs, identity, bodies];
