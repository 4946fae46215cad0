// The three older kinds of patches.
import { aConfigMap, aDaemonSet, aPod, configMaps, daemonSets, pods } from "../objects.ts";
import { get, jsonPatch, mergePatch, post, type Scenario, strategicPatch } from "../scenario.ts";
import { aWidget, widgets } from "../widget.ts";

export const patches: readonly Scenario[] = [
  {
    name: "merge-patch",
    exchanges: [
      post("an object to patch", configMaps, aConfigMap("a", { x: "1", y: "2" })),
      mergePatch("null removes, values set", `${configMaps}/a`, { data: { x: null, z: "3" } }),
      mergePatch("null for what is absent changes nothing", `${configMaps}/a`, { data: { nope: null } }),
      mergePatch("a list is refused where an object must be", `${configMaps}/a`, []),
      mergePatch("a wrong type is refused", `${configMaps}/a`, { data: { x: 1 } }),
      mergePatch("text that is no JSON is refused", `${configMaps}/a`, "{"),
      mergePatch("the name cannot be patched", `${configMaps}/a`, { metadata: { name: "b" } }),
      mergePatch("what does not exist is 404", `${configMaps}/none`, {}),
      mergePatch("an unknown field is dropped with a warning", `${configMaps}/a`, { extra: 1 }),
      mergePatch("strict validation refuses an unknown field", `${configMaps}/a?fieldValidation=Strict`, { extra: 1 }),
      mergePatch("an unsupported patch type is refused", `${configMaps}/a`, {}, { contentType: "text/plain" }),
    ],
  },
  {
    name: "json-patch",
    exchanges: [
      post("an object to patch", configMaps, aConfigMap("a", { x: "1" })),
      jsonPatch("steps apply in order", `${configMaps}/a`, [
        { op: "test", path: "/data/x", value: "1" },
        { op: "replace", path: "/data/x", value: "2" },
        { op: "add", path: "/data/y", value: "3" },
      ]),
      jsonPatch("a test that fails refuses all", `${configMaps}/a`, [
        { op: "add", path: "/data/z", value: "4" },
        { op: "test", path: "/data/x", value: "1" },
      ]),
      jsonPatch("a path that is not there refuses all", `${configMaps}/a`, [{ op: "remove", path: "/data/none" }]),
      jsonPatch("an add below nothing refuses all", `${configMaps}/a`, [
        { op: "add", path: "/metadata/labels/a", value: "b" },
      ]),
      jsonPatch("move and copy", `${configMaps}/a`, [
        { op: "copy", from: "/data/x", path: "/data/c" },
        { op: "move", from: "/data/y", path: "/data/m" },
      ]),
      jsonPatch("escapes in paths", `${configMaps}/a`, [
        { op: "add", path: "/metadata/annotations", value: { "a/b": "1" } },
        { op: "replace", path: "/metadata/annotations/a~1b", value: "2" },
      ]),
      jsonPatch("an unknown operation is refused", `${configMaps}/a`, [{ op: "twist", path: "/data/x" }]),
      jsonPatch("an object is no patch", `${configMaps}/a`, { op: "add" }),
      jsonPatch("an empty patch changes nothing", `${configMaps}/a`, []),
      jsonPatch(
        "more than ten thousand steps are too many",
        `${configMaps}/a`,
        Array.from({ length: 10_001 }, () => ({ op: "test", path: "/data/x", value: "2" })),
      ),
      get("nothing of the refused ones is there", `${configMaps}/a`),
    ],
  },
  {
    name: "strategic-patch",
    exchanges: [
      post("a DaemonSet to patch", daemonSets, aDaemonSet("a")),
      strategicPatch("a container is found by its name", `${daemonSets}/a`, {
        spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "A", value: "1" }] }] } } },
      }),
      strategicPatch("a second container comes first", `${daemonSets}/a`, {
        spec: { template: { spec: { containers: [{ name: "side", image: "img:2" }] } } },
      }),
      strategicPatch("a directive deletes one", `${daemonSets}/a`, {
        spec: { template: { spec: { containers: [{ name: "side", $patch: "delete" }] } } },
      }),
      strategicPatch("an element without its key is refused", `${daemonSets}/a`, {
        spec: { template: { spec: { containers: [{ image: "img:3" }] } } },
      }),
      strategicPatch("an unknown directive is refused", `${daemonSets}/a`, {
        spec: { template: { spec: { $patch: "twist" } } },
      }),
      post("a widget", widgets, aWidget("a")),
      strategicPatch("custom resources take no strategic patch", `${widgets}/a`, { spec: { size: 2 } }),
    ],
  },
  {
    name: "pod-changes",
    exchanges: [
      post("a pod", pods, aPod("a", { nodeName: "n-1" })),
      strategicPatch("its image can change", `${pods}/a`, { spec: { containers: [{ name: "main", image: "img:2" }] } }),
      strategicPatch("its environment cannot", `${pods}/a`, {
        spec: { containers: [{ name: "main", env: [{ name: "A", value: "1" }] }] },
      }),
      mergePatch(
        "a toleration can be added",
        `${pods}/a`,
        { spec: { tolerations: [{ key: "k", operator: "Exists" }] } },
        { ignore: ["spec.tolerations"] },
      ),
      mergePatch("its node cannot", `${pods}/a`, { spec: { nodeName: "n-2" } }),
      mergePatch("a readiness gate cannot be added", `${pods}/a`, {
        spec: { readinessGates: [{ conditionType: "example.dev/gate" }] },
      }),
      mergePatch("its status is changed through the subresource", `${pods}/a/status`, { status: { phase: "Running" } }),
      mergePatch("and not through the object", `${pods}/a`, { status: { phase: "Failed" } }),
      post("a pod is bound by a binding", pods, aPod("b")),
      post("the binding", `${pods}/b/binding`, {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "b" },
        target: { apiVersion: "v1", kind: "Node", name: "n-1" },
      }),
      get("it has its node", `${pods}/b`),
      post("a second binding is a conflict", `${pods}/b/binding`, {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "b" },
        target: { apiVersion: "v1", kind: "Node", name: "n-2" },
      }),
      post("an eviction deletes", `${pods}/b/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "b" },
      }),
      get("the evicted pod waits for its node", `${pods}/b`),
    ],
  },
];
