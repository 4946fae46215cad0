// Optimistic concurrency: who may write over what.
import { aConfigMap, aDaemonSet, configMaps, daemonSets } from "../objects.ts";
import { del, get, mergePatch, post, put, type Scenario } from "../scenario.ts";
import { aWidget, widgets } from "../widget.ts";

export const concurrency: readonly Scenario[] = [
  {
    name: "create",
    exchanges: [
      post("a create answers 201 with identity, version and time", configMaps, aConfigMap("a", { k: "1" }), {
        keep: { uid: "metadata.uid" },
      }),
      post("a create of a name that exists is refused", configMaps, aConfigMap("a", { k: "2" })),
      get("the refused create changed nothing", `${configMaps}/a`),
      get("what does not exist is 404 NotFound", `${configMaps}/none`),
      post("a create with a version set is refused", configMaps, aConfigMap("b", {}, { resourceVersion: "7" })),
      post(
        "an identity given by the client is replaced",
        configMaps,
        aConfigMap("c", {}, { uid: "11111111-2222-4333-8444-555555555555" }),
        { ignore: ["metadata.uid"] },
      ),
      post(
        "a namespace in the body that is not the path's is refused",
        configMaps,
        aConfigMap("d", {}, { namespace: "elsewhere" }),
      ),
      post("a kind that is not the path's is refused", configMaps, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "e" },
      }),
      post("a body without a name is refused", configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: {} }),
      post("a dry run answers and stores nothing", `${configMaps}?dryRun=All`, aConfigMap("dry"), {
        ignore: ["metadata.uid"],
      }),
      get("the dry run stored nothing", `${configMaps}/dry`),
      post(
        "a create in a namespace that does not exist is refused",
        "/api/v1/namespaces/contract-nowhere/configmaps",
        aConfigMap("a"),
      ),
      post("an unknown resource is 404", "/api/v1/namespaces/{{ns}}/gizmos", aConfigMap("a")),
      get("an unknown group is 404", "/apis/none.example.dev/v1/gizmos"),
    ],
  },
  {
    name: "update-custom",
    exchanges: [
      post("a widget is created", widgets, aWidget("a", { size: 1 }), { keep: { rv: "metadata.resourceVersion" } }),
      put("a replacement without a version is refused for custom resources", `${widgets}/a`, aWidget("a", { size: 2 })),
      put(
        "a replacement with the current version is taken and counts a generation",
        `${widgets}/a`,
        aWidget("a", { size: 2 }, { resourceVersion: "{{rv}}" }),
      ),
      put(
        "a replacement with an old version is a conflict",
        `${widgets}/a`,
        aWidget("a", { size: 3 }, { resourceVersion: "{{rv}}" }),
      ),
      mergePatch("a patch without a version is taken", `${widgets}/a`, { spec: { size: 4 } }),
      mergePatch("a patch with an old version is a conflict", `${widgets}/a`, {
        metadata: { resourceVersion: "{{rv}}" },
        spec: { size: 5 },
      }),
      mergePatch("a patch that changes nothing keeps version and generation", `${widgets}/a`, { spec: { size: 4 } }),
      mergePatch("labels do not count a generation", `${widgets}/a`, { metadata: { labels: { a: "b" } } }),
      put(
        "a replacement under another name is refused",
        `${widgets}/a`,
        aWidget("b", {}, { resourceVersion: "{{rv}}" }),
      ),
      put(
        "a replacement of what does not exist is 404",
        `${widgets}/none`,
        aWidget("none", {}, { resourceVersion: "{{rv}}" }),
      ),
    ],
  },
  {
    name: "update-built-in",
    exchanges: [
      post("a DaemonSet is created with its defaults", daemonSets, aDaemonSet("a"), {
        keep: { rv: "metadata.resourceVersion", uid: "metadata.uid" },
      }),
      put(
        "a replacement without a version is unconditional",
        `${daemonSets}/a`,
        aDaemonSet("a", { minReadySeconds: 5 }),
      ),
      put("a replacement with an old version is a conflict", `${daemonSets}/a`, {
        ...aDaemonSet("a"),
        metadata: { name: "a", resourceVersion: "{{rv}}" },
      }),
      put("a replacement with another UID is a conflict", `${daemonSets}/a`, {
        ...aDaemonSet("a"),
        metadata: { name: "a", uid: "11111111-2222-4333-8444-555555555555" },
      }),
      put(
        "the selector cannot change",
        `${daemonSets}/a`,
        aDaemonSet("a", {
          selector: { matchLabels: { app: "b" } },
          template: { metadata: { labels: { app: "b" } }, spec: { containers: [{ name: "main", image: "img:1" }] } },
        }),
      ),
      post(
        "a selector that does not match the template is refused",
        daemonSets,
        aDaemonSet("b", { selector: { matchLabels: { app: "other" } } }),
      ),
      post("a name with empty parts is refused", daemonSets, aDaemonSet("a..b")),
      del("a delete answers the deleted object or a status", `${daemonSets}/a`, { propagationPolicy: "Background" }),
      get("it is gone", `${daemonSets}/a`),
    ],
  },
];
