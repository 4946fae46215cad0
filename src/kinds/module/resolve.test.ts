// Which image a node gets from a Module, and why it gets none.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { type Outcome, podTolerations, resolveNode } from "./resolve.ts";
import { createResolver } from "./resolver.ts";
import {
  aNode,
  EL8,
  EL9,
  loaderModule,
  mappedModule,
  type NodeWishes,
  parsedModule,
  UBUNTU,
} from "./testing/module-builders.ts";

const image = (tag: string) => `registry.example.com/kmod:${tag}`;
const mapping = (rule: JsonObject, tag: string): JsonObject => ({ ...rule, containerImage: image(tag) });

function resolved(object: JsonObject, node: NodeWishes): Outcome {
  const module = parsedModule(object);
  return resolveNode(module, podTolerations(module), aNode(node));
}

const imageOf = ({ gets }: Outcome) => (gets.kind === "fit" ? gets.fit.image : gets.kind);
const keyOf = ({ gets }: Outcome) => (gets.kind === "fit" ? gets.fit.key : "");
const taint = (effect: string, key = "dedicated"): JsonObject => ({ key, value: "db", effect });

describe("mappings", () => {
  const rows: readonly (readonly [string, readonly JsonObject[], NodeWishes, string])[] = [
    ["a literal matches letter by letter", [mapping({ literal: EL9 }, "a")], {}, image("a")],
    ["a literal is no prefix", [mapping({ literal: EL9.slice(0, -1) }, "a")], {}, "nothing"],
    ["a regular expression is found anywhere", [mapping({ regexp: "el9" }, "a")], {}, image("a")],
    ["the first match wins", [mapping({ regexp: "^5" }, "a"), mapping({ literal: EL9 }, "b")], {}, image("a")],
    ["a kernel rule compares numbers", [mapping({ kernel: ">=5.14 <6" }, "a")], {}, image("a")],
    ["a kernel rule says no", [mapping({ kernel: ">=6" }, "a")], {}, "nothing"],
    ["none matches", [mapping({ literal: "5.4.0" }, "a")], {}, "nothing"],
    [
      "an architecture tells nodes of one kernel apart",
      [mapping({ regexp: ".", arch: "arm64" }, "arm"), mapping({ regexp: "." }, "other")],
      { arch: "arm64" },
      image("arm"),
    ],
    [
      "an OS image does too",
      [mapping({ regexp: ".", osImage: "Ubuntu" }, "u"), mapping({ regexp: "." }, "other")],
      {},
      image("other"),
    ],
    ["KMM never shows a plus at the end", [mapping({ literal: "6.5.0" }, "a")], { kernel: "6.5.0+" }, image("a")],
    ["a plus may be asked for", [mapping({ literal: "6.5.0+" }, "a")], { kernel: "6.5.0+" }, image("a")],
    ["text rules read any release", [mapping({ regexp: "custom" }, "a")], { kernel: "custom-build" }, image("a")],
    ["variables are filled in", [mapping({ regexp: "." }, `\${KERNEL_XYZ}`)], { kernel: UBUNTU }, image("6.8.0")],
  ];
  test.each(rows)("%s", (_name, mappings, node, expected) => {
    expect(imageOf(resolved(mappedModule(mappings), node))).toBe(expected);
  });

  test("no mapping: nothing runs there, and the reason names the nearest miss", () => {
    const answer = resolved(mappedModule([mapping({ kernel: ">=6" }, "a"), mapping({ literal: "5.14.0-1" }, "b")]), {});
    expect([answer.gets.kind, answer.reason]).toEqual(["nothing", "KernelUnmapped"]);
    expect(answer.because).toContain("matches none of the 2 mappings; the nearest miss: ");
    expect(answer.because).toContain("5.14.0-1");
    expect(answer.trail.map(({ rule, matched }) => [rule, matched])).toEqual([
      ["selector", true],
      ["tolerations", true],
      ["spec.kernelMappings[0]", false],
      ["spec.kernelMappings[1]", false],
    ]);
  });

  test("no match of a single mapping is told as one", () => {
    const answer = resolved(mappedModule([mapping({ kernel: ">=6" }, "a")]), {});
    expect(answer.because).toMatch(/^kernel \S+ does not match the only mapping; the nearest miss: /);
  });

  test("a fact that is missing is no answer: the node keeps what it has", () => {
    const mappings = [mapping({ regexp: ".", arch: "arm64" }, "arm"), mapping({ regexp: "." }, "other")];
    const answer = resolved(mappedModule(mappings), { arch: null });
    expect([answer.gets.kind, answer.reason]).toEqual(["same", "FactUnknown"]);
    expect(resolved(mappedModule(mappings), { kernel: null }).gets.kind).toBe("same");
    expect(resolved(mappedModule(mappings.slice(0, 1)), { arch: null }).gets.kind).toBe("same");
  });

  test("a release that could leave its directory is not mounted", () => {
    const answer = resolved(mappedModule([mapping({ regexp: "." }, "a")]), { kernel: "5.4.0/../../etc" });
    expect([answer.gets.kind, answer.reason]).toEqual(["same", "FactUnknown"]);
  });

  test("an image whose variable has no value harms only the nodes of that kernel", () => {
    const module = mappedModule([mapping({ regexp: "." }, `\${KERNEL_Z}`)]);
    const answer = resolved(module, { kernel: "6.8-generic" });
    expect([answer.gets.kind, answer.reason]).toEqual(["same", "ImageInvalid"]);
    expect(imageOf(resolved(module, {}))).toBe(image("0"));
  });
});

describe("scope", () => {
  test("a node that the selector does not match is not in scope", () => {
    const answer = resolved(loaderModule({}, { selector: { gpu: "yes" } }), {});
    expect([answer.isInScope, answer.gets.kind, answer.reason]).toEqual([false, "nothing", "NotSelected"]);
  });

  test("nodeSelector adds conditions to selector", () => {
    const nodeSelector = { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["b"] }] };
    const module = loaderModule({}, { nodeSelector });
    expect(resolved(module, { labels: { zone: "a" } }).isInScope).toBe(true);
    expect(resolved(module, { labels: { zone: "b" } }).isInScope).toBe(false);
  });

  test("a node that is being deleted is not in scope", () => {
    expect(resolved(loaderModule(), { isLeaving: true })).toMatchObject({ isInScope: false, reason: "NodeLeaving" });
  });
});

describe("taints", () => {
  test("NoExecute takes the driver away", () => {
    const answer = resolved(loaderModule(), { taints: [taint("NoExecute")] });
    expect([answer.gets.kind, answer.reason]).toEqual(["nothing", "TaintNotTolerated"]);
  });

  test("NoSchedule starts none, and leaves one that runs", () => {
    const { gets, reason } = resolved(loaderModule(), { taints: [taint("NoSchedule")] });
    expect([gets.kind === "fit" && gets.canStart, reason]).toEqual([false, "TaintNotTolerated"]);
  });

  test.each([
    ["a toleration of the Module covers it", taint("NoExecute"), [{ key: "dedicated", operator: "Exists" }]],
    ["PreferNoSchedule keeps nobody away", taint("PreferNoSchedule"), []],
    ["a cordoned node keeps its driver", taint("NoSchedule", "node.kubernetes.io/unschedulable"), []],
    ["pressure unloads nothing", taint("NoSchedule", "node.kubernetes.io/memory-pressure"), []],
    ["a node that is away keeps its driver", taint("NoExecute", "node.kubernetes.io/unreachable"), []],
  ])("%s", (_name, given, tolerations) => {
    const { gets } = resolved(loaderModule({}, { tolerations }), { taints: [{ ...given, value: "" }] });
    expect(gets).toMatchObject({ kind: "fit", canStart: true });
  });
});

describe("versions", () => {
  const label = "kmm.node.kubernetes.io/version-module.default.my-kmod";
  const module = loaderModule({ version: "2" });
  test.each([
    ["a node that asks for the Module's version gets it", { [label]: "2" }, "fit"],
    ["a node that asks for another version keeps what it has", { [label]: "1" }, "same"],
    ["a node that asks for none is given up", {}, "nothing"],
  ])("%s", (_name, labels, expected) => {
    const { gets, reason } = resolved(module, { labels });
    expect([gets.kind, reason]).toEqual([expected, expected === "fit" ? "Fitted" : "VersionNotAsked"]);
  });
});

describe("the key of a DaemonSet", () => {
  const plain = (kernel: string) => keyOf(resolved(mappedModule([mapping({ regexp: "." }, "a")]), { kernel }));

  test("is the kernel where that is a label value", () => expect(plain(EL9)).toBe(EL9));

  test("differs for kernels that KMM's labels take for one", () => {
    expect(new Set(["6.5.0", "6.5.0+", "6.5.0_", "6.5.0_+"].map(plain)).size).toBe(4);
  });

  test("is the same for another image, and another one for another version or architecture", () => {
    const key = (rule: JsonObject, tag: string, more: NodeWishes = {}) =>
      keyOf(resolved(mappedModule([mapping({ regexp: ".", ...rule }, tag)]), more));
    expect(key({}, "a")).toBe(key({}, "b"));
    expect(key({ arch: "amd64" }, "a")).not.toBe(key({}, "a"));
    expect(key({ arch: "amd64" }, "a")).not.toBe(key({ arch: "arm64" }, "a", { arch: "arm64" }));
    const versioned = (version: string) =>
      keyOf(
        resolved(loaderModule({ version }), {
          labels: { "kmm.node.kubernetes.io/version-module.default.my-kmod": version },
        }),
      );
    expect(versioned("1")).not.toBe(versioned("2"));
  });

  test("is a label value for every kernel, and no two kernels share one", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90 }), { minLength: 2, maxLength: 4 }),
        (kernels) => {
          const usable = kernels.filter((kernel) => !kernel.includes("/"));
          const keys = usable.map(plain).filter((key) => key !== "");
          expect(new Set(keys).size).toBe(keys.length);
          for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/);
        },
      ),
    );
  });
});

describe("a resolver", () => {
  const module = parsedModule(
    mappedModule([mapping({ regexp: "el9", arch: "amd64" }, "a"), mapping({ kernel: "4.x" }, "b")]),
  );

  test("gives nodes that agree the very same outcome, and says of each what resolving says", () => {
    const resolve = createResolver(module);
    const nodes = [EL8, EL9, UBUNTU].flatMap((kernel) =>
      ["amd64", "arm64", null].flatMap((arch) =>
        [[], [taint("NoSchedule")], [taint("NoExecute")]].map((taints) => aNode({ kernel, arch, taints })),
      ),
    );
    for (const node of nodes) expect(resolve(node)).toEqual(resolveNode(module, podTolerations(module), node));
    expect(resolve(aNode({ name: "x", labels: { rack: "7" } }))).toBe(resolve(aNode({ name: "y" })));
  });
});
