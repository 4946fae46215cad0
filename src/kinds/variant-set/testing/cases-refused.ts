// The part of VariantSet's shared table that admission refuses: rules, changes, names and templates. The builder of the set
// comes from the other part.

import { childName } from "../../../core/hash/names.ts";
import type { Json, JsonObject } from "../../../core/json/json.ts";
import { aContainer, aTemplate, type KindCase, refused } from "../../testing/kind-case.ts";

type Build = (spec: JsonObject) => JsonObject;

function withVariant(build: Build, variant: JsonObject): JsonObject {
  return build({ variants: [{ name: "one", match: { kernel: "5.x" }, ...variant }] });
}

function withMatch(build: Build, match: Json): JsonObject {
  return build({ variants: [{ name: "one", match }] });
}

function readingItsLabel(build: Build, field: string): JsonObject {
  const key = "example.com/variant";
  const chosen = { matchExpressions: [{ key, operator: "Exists" }] };
  const isTemplate = field.startsWith("spec.template");
  return build({
    nodeLabel: key,
    ...(field === "spec.nodeSelector" ? { nodeSelector: chosen } : {}),
    ...(isTemplate ? { template: aTemplate({ nodeSelector: { [key]: "x" } }) } : {}),
    variants: [{ name: "one", match: { kernel: "5.x", ...(field.endsWith("labels") ? { labels: chosen } : {}) } }],
  });
}

/** The rows. */
export function refusedCases(build: Build): readonly KindCase[] {
  return [...badRules(build), ...badChanges(build), ...badLabels(build), ...badNames(build), ...badTemplates(build)];
}

function badRules(build: Build): readonly KindCase[] {
  const kernel = "spec.variants[0].match.kernel";
  return [
    {
      name: "a kernel that is no rule",
      object: withMatch(build, { kernel: "5.4*" }),
      verdict: refused("admission", kernel, "5.4.*"),
    },
    {
      name: "a kernel rule that no kernel meets",
      object: withMatch(build, { kernel: "5.4 6.1" }),
      verdict: refused("admission", kernel, "||"),
    },
    {
      name: "the rule default",
      object: withMatch(build, { kernel: "default" }),
      verdict: refused("admission", kernel, "spec.default"),
    },
    {
      name: "an expression with look-ahead",
      object: withMatch(build, { osImage: "(?=x)" }),
      verdict: refused("admission", "spec.variants[0].match.osImage", "RE2"),
    },
    {
      name: "an OS version in words",
      object: withMatch(build, { os: { id: "ubuntu", version: "/jammy/" } }),
      verdict: refused("admission", "spec.variants[0].match.os.version", "numbers"),
    },
    {
      name: "labels with a key of two slashes",
      object: withMatch(build, { labels: { matchLabels: { "a/b/c": "x" } } }),
      verdict: refused("admission", "spec.variants[0].match.labels.matchLabels"),
    },
    {
      name: "a variant named as the default",
      object: withVariant(build, { name: "default" }),
      verdict: refused("admission", "spec.variants[0].name", "spec.default"),
    },
  ];
}

function badChanges(build: Build): readonly KindCase[] {
  const patch = "spec.variants[0].patch";
  const images = 'spec.variants[0].images["agent"]';
  return [
    {
      name: "a default that is a word of its own",
      object: build({ default: "Any" }),
      verdict: refused("admission", "spec.default", 'not "Any"'),
    },
    {
      name: "a default with a typo",
      object: build({ default: { image: "x" } }),
      verdict: refused("admission", "spec.default", 'no field "image"; it may have images'),
    },
    {
      name: "an image for a container that is not there",
      object: withVariant(build, { images: { sidecar: "a:1" } }),
      verdict: refused("admission", "spec.variants[0].images", '"sidecar"'),
    },
    {
      name: "an image with an unknown variable",
      object: withVariant(build, { images: { agent: `a:\${KERNEL_FOO}` } }),
      verdict: refused("admission", images, "KERNEL_FOO"),
    },
    {
      name: "a key named __proto__",
      object: withVariant(build, { images: JSON.parse('{"__proto__": "a:1"}') }),
      verdict: refused("admission", "spec.variants[0].images", "__proto__"),
    },
    {
      name: "a patch under spec.template",
      object: withVariant(build, { patch: { spec: { template: { spec: {} } } } }),
      verdict: refused("admission", `${patch}.spec.template`, "up to the root"),
    },
    {
      name: "a patch with a typo",
      object: withVariant(build, { patch: { spec: { containers: [{ name: "agent", imagePullPolcy: "Always" }] } } }),
      verdict: refused("admission", `${patch}.spec.containers[0].imagePullPolcy`, "did you mean imagePullPolicy?"),
    },
    {
      name: "a patch that removes the containers",
      object: withVariant(build, { patch: { spec: { containers: null } } }),
      verdict: refused("admission", patch, "with this patch applied"),
    },
  ];
}

function badLabels(build: Build): readonly KindCase[] {
  return [
    {
      name: "a label of Kubernetes",
      object: build({ default: {}, nodeLabel: "node.kubernetes.io/variant" }),
      verdict: refused("cel", "spec.nodeLabel", '"node.kubernetes.io/variant" belongs to Kubernetes'),
    },
    {
      name: "the label of another set",
      object: build({ default: {}, nodeLabel: "variant.farrier.dev/default.other" }),
      verdict: refused("admission", "spec.nodeLabel", "belongs to another VariantSet"),
    },
    {
      name: "a label key that is none",
      object: build({ default: {}, nodeLabel: "a b" }),
      verdict: refused("schema", "spec.nodeLabel", '"a b"'),
    },
    {
      name: "a label key with a name that is too long",
      object: build({ default: {}, nodeLabel: `example.com/${"x".repeat(64)}` }),
      verdict: refused("admission", "spec.nodeLabel", "at most 63 bytes"),
    },
    {
      name: "a node selector with a key that no label can have",
      object: build({ default: {}, nodeSelector: { matchLabels: { "disk type": "nvme" } } }),
      verdict: refused("admission", 'spec.nodeSelector.matchLabels["disk type"]', "label key"),
    },
    {
      name: "a node selector with a condition on such a key",
      object: build({ default: {}, nodeSelector: { matchExpressions: [{ key: "disk type", operator: "Exists" }] } }),
      verdict: refused("schema", "spec.nodeSelector.matchExpressions[0].key", '"disk type"'),
    },
    {
      name: "a node selector with a value that no label can have",
      object: build({ default: {}, nodeSelector: { matchLabels: { disk: "-nvme-" } } }),
      verdict: refused("schema", "spec.nodeSelector.matchLabels", '"-nvme-"'),
    },
    {
      name: "a template that selects nodes by a key that no label can have",
      object: build({ default: {}, template: aTemplate({ nodeSelector: { "a/b/c": "x" } }) }),
      verdict: refused("admission", 'spec.template.spec.nodeSelector["a/b/c"]', "at most one slash"),
    },
    {
      name: "a template that selects nodes by a value that no label can have",
      object: build({ default: {}, template: aTemplate({ nodeSelector: { disk: "a b" } }) }),
      verdict: refused("schema", "spec.template.spec.nodeSelector", '"a b"'),
    },
  ];
}

function badNames(build: Build): readonly KindCase[] {
  return [
    {
      name: "a DaemonSet with two dots in a row in its name",
      object: build({ default: { daemonSetName: "a..b" } }),
      verdict: refused("admission", "spec.default.daemonSetName", '"a..b" must start and end each part'),
    },
    ...["spec.nodeSelector", "spec.variants[0].match.labels", "spec.template.spec.nodeSelector"].map((field) => ({
      name: `the set's own node label in ${field}`,
      object: readingItsLabel(build, field),
      verdict: refused("admission", field, '"example.com/variant" is the label that the set writes'),
    })),
    {
      name: "a DaemonSet with the name that another variant's is given",
      object: build({
        variants: [
          { name: "a", match: { kernel: "5.x" } },
          { name: "b", match: { kernel: "6.x" }, daemonSetName: childName("agent-a", ["agent", "a"], 63) },
        ],
      }),
      verdict: refused("admission", "spec.variants[1].daemonSetName", 'is the DaemonSet of variant "a" too'),
    },
    {
      name: "two variants with one DaemonSet",
      object: build({
        variants: [
          { name: "a", match: { kernel: "5.x" }, daemonSetName: "same" },
          { name: "b", match: { kernel: "6.x" }, daemonSetName: "same" },
        ],
      }),
      verdict: refused("admission", "spec.variants[1].daemonSetName", '"same"'),
    },
  ];
}

function badTemplates(build: Build): readonly KindCase[] {
  return [
    {
      name: "a template without containers",
      object: build({ template: aTemplate({ containers: [] }) }),
      verdict: refused("schema", "spec.template.spec.containers"),
    },
    {
      name: "two containers of one name",
      object: build({ template: aTemplate({ containers: [aContainer("a"), aContainer("a")] }) }),
      verdict: refused("schema", "spec.template.spec.containers[1]"),
    },
    {
      name: "a template that is restarted never",
      object: build({ template: aTemplate({ restartPolicy: "Never" }) }),
      verdict: refused("admission", "spec.template.spec.restartPolicy", "Always"),
    },
    {
      name: "a mount of a volume that is not there",
      object: build({
        template: aTemplate({ containers: [aContainer("a", { volumeMounts: [{ name: "v", mountPath: "/v" }] })] }),
      }),
      verdict: refused("admission", "spec.template.spec.containers[0].volumeMounts[0].name", '"v"'),
    },
  ];
}
