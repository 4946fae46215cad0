// The part of the shared table about patches by node label. The builder of the set comes from the other part.
import type { Json, JsonObject } from "../../../core/json/json.ts";
import {
  aContainer,
  accepted,
  acceptedWith,
  aTemplate,
  type KindCase,
  many,
  refused,
} from "../../testing/kind-case.ts";

type Build = (spec: JsonObject, version?: string) => JsonObject;

const gpu: JsonObject = Object.freeze({ matchLabels: { accelerator: "nvidia-tesla-v100" } });

/** Go writes members that its types cannot leave out, although nothing is in them. */
const typedByGo: JsonObject = Object.freeze({
  metadata: { creationTimestamp: null },
  spec: { containers: [{ name: "agent", image: "agent:2", resources: {} }] },
});

/** The first story of the proposal: nodes with large disks get a larger cache. */
export function nydusSet(build: Build): JsonObject {
  const env = (value: string) => [{ name: "LOCAL_CACHE_SIZE", value }];
  return build({
    selector: { matchLabels: { app: "nydus" } },
    template: {
      metadata: { labels: { app: "nydus" } },
      spec: { containers: [{ name: "nydusd", image: "nydus:latest", env: env("500Gi") }] },
    },
    patches: [
      {
        selector: { matchLabels: { "node-role/nydus-storage": "large" } },
        patch: {
          spec: {
            containers: [{ name: "nydusd", env: [...env("2Ti"), { name: "FEATURE_GATE_LARGE_DISK", value: "true" }] }],
          },
        },
      },
    ],
  });
}

/** The rows. */
export function patchCases(build: Build): readonly KindCase[] {
  const withPatch = (patch: Json, more: JsonObject = {}) => build({ patches: [{ selector: gpu, patch }], ...more });
  return [
    ...[...goodPatches(build, withPatch), ...badLists(build)],
    ...[...badRoots(withPatch), ...badRemovals(withPatch), ...badContents(withPatch)],
  ];
}

function goodPatches(build: Build, withPatch: (patch: Json) => JsonObject): readonly KindCase[] {
  const resources = { "nvidia.com/gpu": 1, memory: "2Gi" };
  const monitor = { name: "agent", resources: { requests: resources, limits: resources } };
  return [
    { name: "the proposal's first story", object: nydusSet(build), verdict: accepted },
    {
      name: "the proposal's second story, with limits",
      object: withPatch({
        spec: { containers: [{ ...monitor, env: [{ name: "GPU_MONITORING", value: "enabled" }] }] },
      }),
      verdict: accepted,
    },
    {
      name: "the proposal's second story as it was written",
      object: { ...build({}), spec: { patches: [{ selector: gpu, patch: {} }] } },
      verdict: refused("schema", "spec.selector"),
    },
    { name: "a patch that changes nothing", object: withPatch({}), verdict: accepted },
    { name: "a patch that a client in Go made of its own types", object: withPatch(typedByGo), verdict: accepted },
    {
      name: "patches in v1alpha1",
      object: build({ patches: [{ selector: gpu, patch: { spec: { priority: 5 } }, priority: -3 }] }, "v1alpha1"),
      verdict: accepted,
    },
    {
      name: "a patch with directives",
      object: withPatch({ spec: { containers: [{ name: "agent", args: null, $retainKeys: ["name", "image"] }] } }),
      verdict: accepted,
    },
    {
      name: "a patch that adds a sidecar",
      object: withPatch({ spec: { containers: [aContainer("sidecar")], tolerations: [{ operator: "Exists" }] } }),
      verdict: accepted,
    },
    {
      name: "a patch with a variable that refers to a later one",
      object: build({
        template: aTemplate({ containers: [aContainer("agent", { env: [{ name: "BASE", value: "/a" }] })] }),
        patches: [
          {
            selector: gpu,
            patch: { spec: { containers: [{ name: "agent", env: [{ name: "DIR", value: "$(BASE)/b" }] }] } },
          },
        ],
      }),
      verdict: acceptedWith('variable "DIR" of container "agent" refers to "BASE"'),
    },
    {
      name: "a patch for every node",
      object: build({ patches: [{ selector: {}, patch: {} }] }),
      verdict: acceptedWith("spec.patches[0].selector: is empty"),
    },
  ];
}

function badLists(build: Build): readonly KindCase[] {
  const patch = { spec: { priority: 5 } };
  return [
    {
      name: "eleven patches",
      object: build({ patches: many(11, () => ({ selector: gpu, patch })) }),
      verdict: refused("schema", "spec.patches", "at most 10"),
    },
    {
      name: "a patch without selector",
      object: build({ patches: [{ patch }] }),
      verdict: refused("schema", "spec.patches[0].selector", "is required"),
    },
    {
      name: "a selector of null",
      object: build({ patches: [{ selector: null, patch }] }),
      verdict: refused("schema", "spec.patches[0].selector", "is required"),
    },
    {
      name: "a selector with a bad value",
      object: build({ patches: [{ selector: { matchLabels: { a: "-" } }, patch }] }),
      verdict: refused("schema", "spec.patches[0].selector.matchLabels"),
    },
    {
      name: "no patch in a patch",
      object: build({ patches: [{ selector: gpu }] }),
      verdict: refused("schema", "spec.patches[0].patch"),
    },
    {
      name: "a patch that is a text",
      object: build({ patches: [{ selector: gpu, patch: "{}" }] }),
      verdict: refused("schema", "spec.patches[0].patch"),
    },
    {
      name: "a priority beyond 32 bits",
      object: build({ patches: [{ selector: gpu, patch, priority: 2 ** 31 }] }),
      verdict: refused("schema", "spec.patches[0].priority"),
    },
  ];
}

function badRoots(withPatch: (patch: Json) => JsonObject): readonly KindCase[] {
  const row = (name: string, patch: Json, under: string, says?: string): KindCase => ({
    name,
    object: withPatch(patch),
    verdict: refused("admission", `spec.patches[0].patch${under}`, says),
  });
  const large = { metadata: { annotations: { note: "x".repeat(1000) } } };
  const deep = JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`);
  return [
    row("a patch of more than 1 KiB", large, "", "at most 1024"),
    row("a patch under spec.template", { spec: { template: { spec: {} } } }, ".spec.template", "up to the root"),
    row("a patch under template", { template: { spec: {} } }, ".template", "metadata and spec"),
    row("a patch of the status", { status: {} }, ".status"),
    row("a patch that replaces all", { $patch: "replace", spec: {} }, ".$patch", "whole template"),
    row("a patch that nests 100 deep", { spec: deep }, "", "deeper than 64"),
    row("a key named __proto__", JSON.parse('{"__proto__": {"x": 1}}'), ".__proto__"),
    row("a patch of the name", { metadata: { name: "x" } }, ".metadata.name"),
    row(
      "a patch of a deletion",
      { metadata: { deletionGracePeriodSeconds: 5 } },
      ".metadata.deletionGracePeriodSeconds",
    ),
    row("a patch in place of the spec", { spec: { $patch: "replace" } }, ".spec.$patch", "the whole spec"),
    row(
      "a patch in place of the metadata",
      { metadata: { $patch: "replace" } },
      ".metadata.$patch",
      "the whole metadata",
    ),
    row("a patch of the owners", { metadata: { ownerReferences: [] } }, ".metadata.ownerReferences"),
    row(
      "a patch of the birth",
      { metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } },
      ".metadata.creationTimestamp",
    ),
    row(
      "a patch of the revision label",
      { metadata: { labels: { "controller-revision-hash": "x" } } },
      '.metadata.labels["controller-revision-hash"]',
      "belongs to",
    ),
    row("a patch of the node", { spec: { nodeName: "n1" } }, ".spec.nodeName"),
    row("a patch of the node selector", { spec: { nodeSelector: { a: "b" } } }, ".spec.nodeSelector"),
    row(
      "a patch of required node affinity",
      { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } } } },
      ".spec.affinity.nodeAffinity",
    ),
  ];
}

/** What a patch may not name it may not take away by other means either. */
function badRemovals(withPatch: (patch: Json, more?: JsonObject) => JsonObject): readonly KindCase[] {
  const terms = [{ matchExpressions: [{ key: "size", operator: "Exists" }] }];
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  const placed = aTemplate({ nodeSelector: { disk: "local" }, affinity: { nodeAffinity: required } });
  const template = { ...placed, metadata: { labels: { app: "agent" }, finalizers: ["example.com/wait"] } };
  const row = (name: string, patch: Json, says: string): KindCase => ({
    name: `a patch that takes away ${name}`,
    object: withPatch(patch, { template }),
    verdict: refused("admission", "spec.patches[0].patch", says),
  });
  const affinity = "template.spec.affinity.nodeAffinity";
  return [
    row("all affinity", { spec: { affinity: null } }, affinity),
    row("affinity to nodes", { spec: { affinity: { nodeAffinity: null } } }, affinity),
    row("affinity by another", { spec: { affinity: { $patch: "replace", podAffinity: {} } } }, affinity),
    row("affinity by directive", { spec: { affinity: { $patch: "delete" } } }, affinity),
    row("affinity by a list of kept keys", { spec: { affinity: { $retainKeys: ["podAffinity"] } } }, affinity),
    row("the node selector", { spec: { $retainKeys: ["affinity", "containers"] } }, "template.spec.nodeSelector"),
    row(
      "finalizers",
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/wait"] } },
      "template.metadata.finalizers",
    ),
    {
      name: "a patch that adds a wish to where nodes must be",
      object: withPatch({ spec: { affinity: { podAntiAffinity: {} } } }, { template }),
      verdict: accepted,
    },
  ];
}

function badContents(withPatch: (patch: Json, more?: JsonObject) => JsonObject): readonly KindCase[] {
  const row = (name: string, patch: Json, under: string, says?: string): KindCase => ({
    name,
    object: withPatch(patch),
    verdict: refused("admission", `spec.patches[0].patch${under}`, says),
  });
  const agent = (more: JsonObject) => ({ spec: { containers: [{ name: "agent", ...more }] } });
  const template = aTemplate({ containers: [aContainer("agent", { env: [{ name: "A", value: "1" }] })] });
  const valueFrom = { fieldRef: { fieldPath: "metadata.name" } };
  return [
    row("a patch of a selected label", { metadata: { labels: { app: "other" } } }, ".metadata.labels", "spec.selector"),
    row("a patch that is restarted never", { spec: { restartPolicy: "Never" } }, "", "Always"),
    row("a patch with a deadline", { spec: { activeDeadlineSeconds: 1 } }, "", "deadline"),
    row(
      "a patch with ephemeral containers",
      { spec: { ephemeralContainers: [aContainer("x")] } },
      "",
      "ephemeralContainers",
    ),
    row(
      "a patch of a container that is not there",
      { spec: { containers: [{ name: "agnet", args: [] }] } },
      "",
      '"agnet" has no image',
    ),
    row("a patch that removes all containers", { spec: { containers: null } }, "", "with this patch applied"),
    row("a patch without a merge key", { spec: { containers: [{ image: "a:1" }] } }, "", "name"),
    row("a patch with an odd directive", agent({ $patch: "upsert" }), "", "upsert"),
    row("a patch with a list for an object", { spec: { containers: { a: 1 } } }, "", "containers"),
    row(
      "a patch with a typo in a container",
      agent({ imag: "a:1" }),
      ".spec.containers[0].imag",
      "did you mean image?",
    ),
    row("a patch with a typo in the pod", { spec: { hostNetwrk: true } }, ".spec.hostNetwrk", "hostNetwork"),
    row(
      "a patch that mounts nothing",
      agent({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      "",
      '"v" is no volume',
    ),
    row(
      "a GPU request without a limit",
      agent({ resources: { requests: { "nvidia.com/gpu": 1 } } }),
      "",
      "equal limit",
    ),
    {
      name: "a patch that gives a variable two values",
      object: withPatch(agent({ env: [{ name: "A", valueFrom }] }), { template }),
      verdict: refused("admission", "spec.patches[0].patch", "both value and valueFrom"),
    },
  ];
}
