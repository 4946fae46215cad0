// The record of a merge: what each kind of patch leaves in it.
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json/json.ts";
import { pathText } from "./path.ts";
import { strategicMergeTraced } from "./strategic-merge.ts";
import type { FieldChange } from "./trace.ts";

const template: JsonObject = {
  metadata: { labels: { app: "x" }, finalizers: ["f"] },
  spec: {
    hostNetwork: true,
    securityContext: { runAsUser: 1, seLinuxOptions: { level: "s0", role: "r" } },
    tolerations: [{ operator: "Exists" }],
    containers: [
      { name: "a", image: "a:1", ports: [{ containerPort: 80, name: "http" }] },
      { name: "b", image: "b:1" },
    ],
  },
};

/** One line per change: `set path = value (was …)` or `delete path (was …)`. */
function lines(provenance: readonly FieldChange[]): readonly string[] {
  return provenance.map((change) => {
    const was = change.replaced === undefined ? "" : ` (was ${JSON.stringify(change.replaced)})`;
    const value = change.action === "set" ? ` = ${JSON.stringify(change.value)}` : "";
    return `${change.layer}: ${change.action} ${pathText(change.path)}${value}${was}`;
  });
}

function traced(...patches: readonly Json[]): readonly string[] {
  const layers = patches.map((patch, at) => ({ name: `p${at}`, patch }));
  return lines(strategicMergeTraced(template, layers).provenance);
}

describe("strategicMergeTraced() tells", () => {
  test.each<[string, Json, readonly string[]]>([
    ["a scalar that is replaced", { spec: { hostNetwork: false } }, ["p0: set spec.hostNetwork = false (was true)"]],
    ["a scalar that is repeated", { spec: { hostNetwork: true } }, ["p0: set spec.hostNetwork = true (was true)"]],
    ["a scalar that is new", { spec: { hostPID: true } }, ["p0: set spec.hostPID = true"]],
    ["a deletion", { spec: { hostNetwork: null } }, ["p0: delete spec.hostNetwork (was true)"]],
    ["no deletion of nothing", { spec: { hostPID: null } }, []],
    ["the leaves of a new object", { spec: { os: { name: "linux" } } }, ['p0: set spec.os.name = "linux"']],
    ["a new empty object", { spec: { affinity: {} } }, ["p0: set spec.affinity = {}"]],
    [
      "an object in the place of a scalar",
      { spec: { hostNetwork: { a: 1 } } },
      ["p0: delete spec.hostNetwork (was true)", "p0: set spec.hostNetwork.a = 1"],
    ],
    [
      "a scalar in the place of an object",
      { metadata: { labels: "x" } },
      ['p0: set metadata.labels = "x" (was {"app":"x"})'],
    ],
    [
      "a list that is replaced as a whole",
      { spec: { tolerations: [{ key: "k" }] } },
      ['p0: set spec.tolerations = [{"key":"k"}] (was [{"operator":"Exists"}])'],
    ],
    [
      "a set of scalars that grows",
      { metadata: { finalizers: ["g"] } },
      ['p0: set metadata.finalizers = ["g","f"] (was ["f"])'],
    ],
    [
      "a set of scalars that is repeated",
      { metadata: { finalizers: ["f"] } },
      ['p0: set metadata.finalizers = ["f"] (was ["f"])'],
    ],
    ["no set of scalars without elements", { metadata: { finalizers: [] } }, []],
    ["no deletion of scalars that are not there", { metadata: { "$deleteFromPrimitiveList/finalizers": ["g"] } }, []],
    [
      "a delete-list",
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["f"] } },
      ['p0: set metadata.finalizers = [] (was ["f"])'],
    ],
    [
      "elements by their merge keys, which nobody sets who names an element",
      { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, name: "web" }] }] } },
      ['p0: set spec.containers[name=a].ports[containerPort=80].name = "web" (was "http")'],
    ],
    [
      "a new element",
      { spec: { containers: [{ name: "c", env: [{ name: "X", value: "1" }] }] } },
      [
        'p0: set spec.containers[name=c].name = "c"',
        'p0: set spec.containers[name=c].env[name=X].name = "X"',
        'p0: set spec.containers[name=c].env[name=X].value = "1"',
      ],
    ],
    [
      "a deleted element",
      { spec: { containers: [{ name: "b", $patch: "delete" }] } },
      ['p0: delete spec.containers[name=b] (was {"name":"b","image":"b:1"})'],
    ],
    [
      "a replaced object, and what is gone with the old one",
      { spec: { securityContext: { $patch: "replace", runAsUser: 1, seLinuxOptions: { level: "s1" } } } },
      [
        "p0: set spec.securityContext.runAsUser = 1 (was 1)",
        'p0: delete spec.securityContext.seLinuxOptions.role (was "r")',
        'p0: set spec.securityContext.seLinuxOptions.level = "s1" (was "s0")',
      ],
    ],
    [
      "an emptied object",
      { metadata: { labels: { $patch: "delete" } } },
      ['p0: set metadata.labels = {} (was {"app":"x"})'],
    ],
    [
      "a replaced list of elements",
      { spec: { containers: [{ $patch: "replace" }, { name: "b", $patch: "delete" }, { name: "a", image: "a:2" }] } },
      [
        'p0: delete spec.containers[name=b] (was {"name":"b","image":"b:1"})',
        'p0: delete spec.containers[name=a].ports (was [{"containerPort":80,"name":"http"}])',
        'p0: set spec.containers[name=a].image = "a:2" (was "a:1")',
      ],
    ],
    [
      "fields that are not retained",
      { metadata: { $retainKeys: ["labels"] } },
      ['p0: delete metadata.finalizers (was ["f"])'],
    ],
    [
      "a set of scalars with an order, as it stands in the end",
      { metadata: { "$setElementOrder/finalizers": ["f", "g"], finalizers: ["g"] } },
      ['p0: set metadata.finalizers = ["f","g"] (was ["f"])'],
    ],
    [
      "a new list with ambiguous keys and an order, as it stands in the end",
      {
        spec: {
          "$setElementOrder/volumes": [{ name: "v" }, { name: "w" }, { name: "v" }],
          volumes: [{ name: "v" }, { name: "w" }, { name: "v" }],
        },
      },
      ['p0: set spec.volumes = [{"name":"v"},{"name":"v"},{"name":"w"}]'],
    ],
    ["no order that a set of scalars has already", { metadata: { "$setElementOrder/finalizers": ["f"] } }, []],
    [
      "a replaced list of elements with an order",
      {
        spec: {
          "$setElementOrder/containers": [{ name: "c" }],
          containers: [{ $patch: "replace" }, { name: "c" }],
        },
      },
      [
        'p0: delete spec.containers[name=a] (was {"name":"a","image":"a:1","ports":[{"containerPort":80,"name":"http"}]})',
        'p0: delete spec.containers[name=b] (was {"name":"b","image":"b:1"})',
        'p0: set spec.containers[name=c].name = "c"',
      ],
    ],
    ["nothing of an order", { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } }, []],
    [
      "the elements of a new list with an order",
      { spec: { "$setElementOrder/volumes": [{ name: "v" }], volumes: [{ name: "v" }] } },
      ['p0: set spec.volumes[name=v].name = "v"'],
    ],
    [
      "a new list with ambiguous keys as a whole",
      { spec: { volumes: [{ name: "v" }, { name: "v" }] } },
      ['p0: set spec.volumes = [{"name":"v"},{"name":"v"}]'],
    ],
    [
      "names that need quotes",
      { metadata: { labels: { "app.kubernetes.io/name": "y" } } },
      ['p0: set metadata.labels["app.kubernetes.io/name"] = "y"'],
    ],
  ])("%s", (_, patch, expected) => {
    expect(traced(patch)).toEqual(expected);
  });

  test("a list without merge key that is only ordered", () => {
    const start = { spec: { containers: [{ name: "a", args: ["x", "y"] }] } };
    const patch = { spec: { containers: [{ name: "a", "$setElementOrder/args": ["y", "x"] }] } };
    const { value, provenance } = strategicMergeTraced(start, [{ name: "p0", patch }]);
    expect(value).toEqual({ spec: { containers: [{ name: "a", args: ["y", "x"] }] } });
    expect(lines(provenance)).toContain('p0: set spec.containers[name=a].args = ["y","x"] (was ["x","y"])');
  });

  test("layer after layer, so that the last line of a path names who set it", () => {
    expect(
      traced({ spec: { hostNetwork: false } }, { spec: { hostNetwork: null } }, { spec: { hostNetwork: true } }),
    ).toEqual([
      "p0: set spec.hostNetwork = false (was true)",
      "p1: delete spec.hostNetwork (was false)",
      "p2: set spec.hostNetwork = true",
    ]);
  });

  test("which layer cannot be applied", () => {
    const layers = [
      { name: "fine", patch: {} },
      { name: "broken", patch: { spec: { containers: [{ image: "x" }] } } },
    ];
    expect(() => strategicMergeTraced(template, layers)).toThrow(
      expect.objectContaining({
        kind: "noMergeKey",
        path: "spec.containers",
        layer: "broken",
        message: expect.stringMatching(
          /^patch "broken": spec\.containers: the element \{image\} lacks the merge key "name"/,
        ),
      }),
    );
  });
});
