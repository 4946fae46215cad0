// The shared table of VariantSet: valid and invalid objects with the level that refuses them.
import type { Json, JsonObject } from "../../../core/json/json.ts";
import { aContainer, accepted, aTemplate, type KindCase, many, refused } from "../../testing/kind-case.ts";
import { doubtfulCases } from "./cases-doubtful.ts";
import { refusedCases } from "./cases-refused.ts";

/** The csi-baremetal map of the proposal: `default` and `5.x`, each with its image and its DaemonSet. */
export function csiBaremetalSet(): JsonObject {
  return aSet({
    nodeLabel: "node-daemonset-image",
    template: { metadata: { labels: { app: "csi-baremetal-node" } }, spec: { containers: [aContainer("node")] } },
    variants: [
      {
        name: "5.x",
        match: { kernel: "5.x" },
        images: { node: "registry.example.com/node-kernel-5.x:1.2" },
        daemonSetName: "csi-baremetal-node-kernel-5.x",
      },
    ],
    default: { images: { node: "registry.example.com/node:1.2" }, daemonSetName: "csi-baremetal-node" },
  });
}

function aSet(spec: JsonObject, name = "agent"): JsonObject {
  return {
    apiVersion: "farrier.dev/v1alpha1",
    kind: "VariantSet",
    metadata: { name, namespace: "default" },
    spec: { template: aTemplate(), ...spec },
  };
}

function withMatch(match: Json): JsonObject {
  return aSet({ variants: [{ name: "one", match }] });
}

/** The rows. */
export function variantSetCases(): readonly KindCase[] {
  return [...validSets(), ...badShapes(), ...badFields(), ...refusedCases(aSet), ...doubtfulCases(aSet)];
}

function validSets(): readonly KindCase[] {
  return [
    { name: "the csi-baremetal map", object: csiBaremetalSet(), verdict: accepted },
    { name: "a set with a default alone", object: aSet({ default: {} }), verdict: accepted },
    {
      name: "a set that holds other nodes",
      object: aSet({ variants: [aVariant], default: "Hold" }),
      verdict: accepted,
    },
    {
      name: "every field at once",
      object: aSet({
        nodeSelector: { matchExpressions: [{ key: "role", operator: "In", values: ["storage"] }] },
        variants: [
          {
            name: "sles",
            match: {
              ...{ kernel: "5.3.x || >=6.1", os: { id: "sles", version: ">=15.3" }, osImage: "SUSE", arch: "amd64" },
              ...{ runtime: "containerd", labels: { matchLabels: { disk: "nvme" } } },
            },
            images: { agent: `registry.example.com/agent:\${KERNEL_FULL_VERSION}` },
            patch: { spec: { containers: [{ name: "agent", args: ["--fast"] }] } },
          },
        ],
        ...{ default: "None", onUnknown: "Default", nodeLabel: "example.com/variant", requireImage: true },
        updateStrategy: { maxUnavailable: "10%", maxParallel: 3, paused: true },
        ...{ prune: { after: "1h30m" }, maxVariants: 8 },
      }),
      verdict: accepted,
    },
    { name: "a field nobody knows, which is pruned", object: aSet({ default: {}, colour: "red" }), verdict: accepted },
    { name: "its own label by name", object: aSet({ default: {}, nodeLabel: ownLabel }), verdict: accepted },
  ];
}

const aVariant: JsonObject = Object.freeze({ name: "new", match: { kernel: ">=5.4" } });
const ownLabel = "variant.farrier.dev/default.agent";

function badShapes(): readonly KindCase[] {
  const bare = {
    apiVersion: "farrier.dev/v1alpha1",
    kind: "VariantSet",
    metadata: { name: "a", namespace: "default" },
  };
  const aName = (name: Json) => aSet({ variants: [{ name, match: { kernel: "5.x" } }] });
  return [
    { name: "no spec", object: bare, verdict: refused("schema", "spec") },
    { name: "a spec of null", object: { ...bare, spec: null }, verdict: refused("schema", "spec") },
    { name: "a spec that is a list", object: { ...bare, spec: [] }, verdict: refused("schema", "spec") },
    { name: "no template", object: { ...bare, spec: {} }, verdict: refused("schema", "spec.template") },
    { name: "variants as a map", object: aSet({ variants: {} }), verdict: refused("schema", "spec.variants") },
    {
      name: "1,000 variants",
      object: aSet({ variants: many(1000, (index) => ({ ...aVariant, name: `v${index}` })) }),
      verdict: refused("schema", "spec.variants", "1000 entries; at most 64"),
    },
    {
      name: "two variants of one name",
      object: aSet({ variants: [aVariant, { ...aVariant, match: { kernel: "4.x" } }] }),
      verdict: refused("schema", "spec.variants[1]"),
    },
    {
      name: "a name in capitals",
      object: aName("Five"),
      verdict: refused("schema", "spec.variants[0].name", '"Five"'),
    },
    { name: "a name that is a number", object: aName(5), verdict: refused("schema", "spec.variants[0].name") },
  ];
}

function badFields(): readonly KindCase[] {
  return [
    { name: "an empty match", object: withMatch({}), verdict: refused("schema", "spec.variants[0].match") },
    {
      name: "a misspelt match",
      object: withMatch({ kernl: "5" }),
      verdict: refused("schema", "spec.variants[0].match"),
    },
    {
      name: "no match",
      object: aSet({ variants: [{ name: "a" }] }),
      verdict: refused("schema", "spec.variants[0].match"),
    },
    {
      name: "an answer to unknown facts that does not exist",
      object: aSet({ onUnknown: "Panic" }),
      verdict: refused("schema", "spec.onUnknown", "Default, None, Hold"),
    },
    {
      name: "a percentage above 100",
      object: aSet({ updateStrategy: { maxUnavailable: "101%" } }),
      verdict: refused("schema", "spec.updateStrategy.maxUnavailable", "100%"),
    },
    {
      name: "a count in quotes",
      object: aSet({ updateStrategy: { maxUnavailable: "5" } }),
      verdict: refused("schema", "spec.updateStrategy.maxUnavailable"),
    },
    {
      name: "a budget of zero",
      object: aSet({ updateStrategy: { maxUnavailable: 0 } }),
      verdict: refused("cel", "spec.updateStrategy.maxUnavailable", "must not be zero"),
    },
    {
      name: "a parallelism of 0%",
      object: aSet({ updateStrategy: { maxParallel: "0%" } }),
      verdict: refused("cel", "spec.updateStrategy.maxParallel", "must not be zero"),
    },
    {
      name: "a pause in words",
      object: aSet({ prune: { after: "soon" } }),
      verdict: refused("schema", "spec.prune.after"),
    },
    { name: "no DaemonSets at all", object: aSet({ maxVariants: 0 }), verdict: refused("schema", "spec.maxVariants") },
    {
      name: "a selector with an operator that does not exist",
      object: aSet({ nodeSelector: { matchExpressions: [{ key: "a", operator: "Like" }] } }),
      verdict: refused("schema", "spec.nodeSelector.matchExpressions[0].operator"),
    },
  ];
}
