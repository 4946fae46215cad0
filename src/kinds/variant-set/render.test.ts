import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { labelKeyFault } from "../../core/labels/label-syntax.ts";
import { parseNodeFacts } from "../../core/node/node-facts.ts";
import { parseVariantSet } from "./api/parse.ts";
import type { VariantSet } from "./api/spec.ts";
import { validateVariantSet } from "./api/validate.ts";
import { cellOf } from "./cell.ts";
import { renderWorkload } from "./render.ts";
import { ownNodeLabel, SET_NAME_MAX, setsOn, traceLabel } from "./set-labels.ts";
import { aNodeObject, aSetObject } from "./testing/paper-set.ts";

function parsed(spec: JsonObject, name = "agent"): VariantSet {
  const set = parseVariantSet(aSetObject(spec, name));
  if (!set.ok) throw new Error(JSON.stringify(set.problems));
  return set.value;
}

function cell(set: VariantSet, kernel = "5.14.0-1") {
  const [variant] = set.variants;
  if (variant === undefined) throw new Error("there is a variant");
  const made = cellOf(set, variant, parseNodeFacts(aNodeObject("a", { kernel })));
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made.value;
}

const aVariant = { name: "v", match: { kernel: ">=1.0" } };
const ground = { ownerUid: "u", adoptedSelector: undefined, formerKeys: [] };
const template = {
  metadata: { labels: { app: "agent", tier: "node" } },
  spec: {
    initContainers: [{ name: "init", image: "registry.example.com/init:base" }],
    containers: [
      { name: "agent", image: "registry.example.com/agent:base" },
      { name: "side", image: "registry.example.com/side:base" },
    ],
  },
};

describe("renderWorkload()", () => {
  test("gives named containers their images, and others what the template says", () => {
    const images = { agent: "registry.example.com/agent:v", init: "registry.example.com/init:$KERNEL_X" };
    const set = parsed({ template, variants: [{ ...aVariant, images }] });
    const { spec } = Object(renderWorkload(set, cell(set), ground).spec).template;
    expect([...spec.initContainers, ...spec.containers].map(({ image }: { image: string }) => image)).toEqual([
      ...["registry.example.com/init:5", "registry.example.com/agent:v", "registry.example.com/side:base"],
    ]);
  });

  test("keeps pods within their selector, whichever labels a patch takes away", () => {
    const set = parsed({
      template,
      variants: [{ ...aVariant, patch: { metadata: { labels: { app: null, tier: null } } } }],
    });
    const made = cell(set);
    const { selector, template: rendered } = Object(renderWorkload(set, made, ground).spec);
    expect(selector.matchLabels).toEqual({ "farrier.dev/workload": made.name });
    expect(rendered.metadata.labels).toEqual(selector.matchLabels);
  });

  test("keeps the selector of a DaemonSet that is adopted, and its labels on the pods", () => {
    const set = parsed({ template, variants: [{ ...aVariant, daemonSetName: "theirs" }] });
    const body = renderWorkload(set, cell(set), { ownerUid: "u", adoptedSelector: { name: "theirs" }, formerKeys: [] });
    const { selector, template: rendered } = Object(body.spec);
    expect(selector.matchLabels).toEqual({ name: "theirs" });
    expect(rendered.metadata.labels).toEqual({ app: "agent", tier: "node", name: "theirs" });
  });

  test("is controlled by the set, so that it goes with it", () => {
    const set = parsed({ variants: [aVariant] });
    const owner = { apiVersion: "farrier.dev/v1alpha1", kind: "VariantSet", name: "agent", uid: "u" };
    expect(renderWorkload(set, cell(set), ground).metadata.ownerReferences).toEqual([
      { ...owner, controller: true, blockOwnerDeletion: true },
    ]);
  });
});

describe("names", () => {
  test("that would be the same when shortened stay different, and fit", () => {
    const long = (end: string) => ({ ...aVariant, name: `${"v".repeat(62)}${end}` });
    const made = ["a", "b"].flatMap((end) =>
      ["x".repeat(150), `${"x".repeat(149)}y`].map((name) => cell(parsed({ variants: [long(end)] }, name))),
    );
    expect(new Set(made.map(({ name }) => name)).size).toBe(4);
    for (const { name, key } of made) expect([name.length, key.length]).toEqual([63, 63]);
  });

  test("of cells tell kernels apart only by what images read of them", () => {
    const set = parsed({
      variants: [{ ...aVariant, images: { agent: "registry.example.com/agent:$KERNEL_X.$KERNEL_Y" } }],
    });
    expect(cell(set, "5.14.0-1").key).toBe(cell(set, "5.14.9-2").key);
    expect(cell(set, "5.14.0-1").key).not.toBe(cell(set, "5.15.0-1").key);
  });
});

describe("labels of nodes", () => {
  const long = { namespace: "n".repeat(63), name: "x".repeat(SET_NAME_MAX) };
  test.each([
    { name: "the plain one", set: { namespace: "storage", name: "agent.v1" }, nodeLabel: undefined },
    { name: "one that the user chose", set: { namespace: "storage", name: "agent.v1" }, nodeLabel: "example.com/v" },
    { name: "one that was shortened", set: long, nodeLabel: undefined },
  ])("$name: the set is known by what it wrote", ({ set, nodeLabel }) => {
    const label = nodeLabel ?? ownNodeLabel(set);
    const trace = traceLabel({ ...set, nodeLabel: label });
    const written = { [label]: "v", ...(trace === undefined ? {} : { [trace]: "true" }) };
    expect(Object.keys(written).map(labelKeyFault)).toEqual(Object.keys(written).map(() => undefined));
    expect(setsOn({ other: "x", ...written })).toEqual([set]);
  });

  test("the name of a set that would not fit is refused with the number that does", () => {
    const { problems } = validateVariantSet(aSetObject({}, "x".repeat(SET_NAME_MAX + 1)));
    expect(problems).toEqual([{ path: "metadata.name", message: expect.stringContaining(`at most ${SET_NAME_MAX}`) }]);
  });

  test("the key cannot be changed later, and the message says what to do", () => {
    const { problems } = validateVariantSet(
      aSetObject({ nodeLabel: "example.com/b" }),
      aSetObject({ nodeLabel: "example.com/a" }),
    );
    expect(problems).toEqual([{ path: "spec.nodeLabel", message: expect.stringContaining("make another set") }]);
    expect(
      validateVariantSet(aSetObject({ nodeLabel: "example.com/a" }), aSetObject({ nodeLabel: "example.com/a" }))
        .problems,
    ).toEqual([]);
  });

  test("one DaemonSet cannot be adopted for images that name the kernel", () => {
    const variants = [{ ...aVariant, daemonSetName: "one", images: { agent: "registry.example.com/agent:$KERNEL_X" } }];
    expect(validateVariantSet(aSetObject({ variants })).problems).toEqual([
      { path: "spec.variants[0].daemonSetName", message: expect.stringContaining("leave one of them out") },
    ]);
  });
});
