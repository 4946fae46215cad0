// Bad patches, by the numbers of the list of bad inputs (83 and 113–142): one row or more for each number, with the verdict that it gets.
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
type Verdict = KindCase["verdict"];

const selector: JsonObject = Object.freeze({ matchLabels: { size: "large" } });

/** The rows. */
export function badPatchCases(build: Build): readonly KindCase[] {
  const template = aTemplate({
    containers: [aContainer("agent", { env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] })],
  });
  const row = (name: string, patch: Json, verdict: Verdict): KindCase => ({
    ...{ name, object: build({ template, patches: [{ selector, patch }] }), verdict },
  });
  return [...directives(row), ...keys(row), ...reach(row), ...sizes(row), ...lists(build, template)];
}

type Row = (name: string, patch: Json, verdict: Verdict) => KindCase;

const AT = "spec.patches[0].patch";
const bad = (under = "", says?: string) => refused("admission", `${AT}${under}`, says);
const agent = (more: JsonObject): JsonObject => ({ spec: { containers: [{ name: "agent", ...more }] } });

function directives(row: Row): readonly KindCase[] {
  return [
    row("83 a container by its name", agent({ args: ["-v"] }), accepted),
    row("113 an empty patch", {}, accepted),
    row("114 a null", agent({ args: null }), accepted),
    row("115 replaces all", { $patch: "replace", spec: {} }, bad(".$patch")),
    row("115 replaces a list", { spec: { containers: [aContainer("other"), { $patch: "replace" }] } }, accepted),
    row("115 deletes an entry", agent({ env: [{ name: "A", $patch: "delete" }] }), accepted),
    row("115 merges a map", { metadata: { annotations: { $patch: "merge", a: "b" } } }, accepted),
    row("116 an unknown directive", agent({ $patch: "upsert" }), bad("", "upsert")),
    row(
      "117 an order of what is not there",
      { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "agent", image: "a:2" }] } },
      bad(),
    ),
    row(
      "118 a deletion from a list of texts",
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["a/b"] } },
      accepted,
    ),
    row("119 kept keys", agent({ $retainKeys: ["name", "image"], image: "a:2" }), accepted),
  ];
}

function keys(row: Row): readonly KindCase[] {
  return [
    row("120 no merge key", { spec: { containers: [{ image: "a:1" }] } }, bad("", "name")),
    row(
      "121 a merge key twice",
      {
        spec: {
          containers: [
            { name: "agent", image: "a:2" },
            { name: "agent", image: "a:3" },
          ],
        },
      },
      accepted,
    ),
    row("122 a merge key of null", { spec: { containers: [{ name: null, image: "a:1" }] } }, bad()),
    row("122 a merge key that is a number", { spec: { containers: [{ name: 5, image: "a:1" }] } }, bad()),
    row("123 a list for a map", { spec: [{ containers: [] }] }, bad(".spec")),
    row("123 a map for a list", { spec: { containers: { name: "agent" } } }, bad()),
    row("123 variables by name", agent({ env: { A: "1" } }), bad("", "env: must be a list, not an object")),
    row("123 a list of contexts", { spec: { securityContext: [] } }, bad("", "must be an object, not a list")),
    row("139 a port by its number", agent({ ports: [{ containerPort: 80, protocol: "UDP" }] }), accepted),
    row(
      "140 two sources of a variable",
      agent({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
      bad("", "both value and valueFrom"),
    ),
    row("141 tolerations instead of tolerations", { spec: { tolerations: [{ operator: "Exists" }] } }, accepted),
    row("142 a change that no pod survives", { spec: { hostNetwork: true } }, accepted),
  ];
}

function reach(row: Row): readonly KindCase[] {
  return [
    row("124 a container without an image", { spec: { containers: [{ name: "other" }] } }, bad("", "no image")),
    row("125 a second container, for want of a rename", { spec: { containers: [aContainer("renamed")] } }, accepted),
    row("126 no containers", { spec: { containers: null } }, bad()),
    row("127 a name", { metadata: { name: "x" } }, bad(".metadata.name")),
    row("127 a UID", { metadata: { uid: "x" } }, bad(".metadata.uid")),
    row("127 owners", { metadata: { ownerReferences: [] } }, bad(".metadata.ownerReferences")),
    row("127 finalizers", { metadata: { finalizers: ["a/b"] } }, bad(".metadata.finalizers")),
    row(
      "127 a word to simulated kubelets",
      { metadata: { annotations: { "kubelet.farrier.dev/fail": "pull" } } },
      accepted,
    ),
    row(
      "127 the count of failures",
      { metadata: { annotations: { "daemonset.farrier.dev/failures": "1/1" } } },
      bad('.metadata.annotations["daemonset.farrier.dev/failures"]'),
    ),
    row("128 a selected label", { metadata: { labels: { app: "other" } } }, bad(".metadata.labels")),
    row("129 a status", { status: { phase: "Running" } }, bad(".status")),
    // The pod security level of the namespace judges what comes of it, as it judges the template.
    row("130 more privileges", agent({ securityContext: { privileged: true } }), accepted),
    row(
      "138 a volume that is missing",
      agent({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      bad("", "no volume"),
    ),
  ];
}

function sizes(row: Row): readonly KindCase[] {
  const deep = (levels: number): Json => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  return [
    row("131 nested 65 deep", { spec: deep(65) }, bad("", "deeper than 64")),
    row("131 nested 2,500 deep", { spec: deep(2_500) }, bad("", "deeper than 64")),
    row("132 a mebibyte", { metadata: { annotations: { note: "x".repeat(1_048_576) } } }, bad("", "at most 1024")),
    row("133 __proto__", JSON.parse('{"spec":{"__proto__":{"privileged":true}}}'), bad(".spec.__proto__")),
    row(
      "133 constructor",
      { metadata: { labels: { app: "agent" } }, spec: { constructor: { prototype: { x: 1 } } } },
      bad(".spec.constructor"),
    ),
  ];
}

function lists(build: Build, template: JsonObject): readonly KindCase[] {
  const one = (value: string): JsonObject => ({ selector, patch: agent({ env: [{ name: "A", value }] }) });
  const choosing = (written: Json): JsonObject => build({ template, patches: [{ selector: written, patch: {} }] });
  return [
    {
      name: "134 two that contradict each other",
      object: build({ template, patches: [one("2"), one("3")] }),
      verdict: accepted,
    },
    {
      name: "135 256 of them",
      object: build({ template, patches: many(256, (index) => one(String(index))) }),
      verdict: refused("schema", "spec.patches"),
    },
    {
      ...{
        name: "136 an odd operator",
        object: choosing({ matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] }),
      },
      verdict: refused("schema", "spec.patches[0].selector.matchExpressions[0].operator"),
    },
    {
      ...{
        name: "136 an operator without its values",
        object: choosing({ matchExpressions: [{ key: "a", operator: "In" }] }),
      },
      verdict: refused("admission", "spec.patches[0].selector"),
    },
    { name: "137 a label that no node has", object: choosing({ matchLabels: { "no/where": "x" } }), verdict: accepted },
    { name: "66 every node", object: choosing({}), verdict: acceptedWith("is empty") },
  ];
}
