// Inputs that nobody writes by accident: names that JavaScript treats apart, depth, size, and numbers beyond 2^53.
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { parseJson } from "../json/parse-json.ts";
import { strategicMerge, strategicMergeTraced } from "./strategic-merge.ts";

const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

/** An object with an own property of any name, as JSON.parse makes it. */
function own(name: string, value: Json): JsonObject {
  return JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
}

function ownValueOf(value: Json | undefined, name: string): Json | undefined {
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function objectAt(value: JsonObject, ...path: readonly string[]): JsonObject {
  let at: Json | undefined = value;
  for (const name of path) at = ownValueOf(at, name);
  if (!isJsonObject(at)) throw new Error(`no object at ${path.join(".")}`);
  return at;
}

describe.each(names)("a field called %s", (name) => {
  const labels = (value: Json): JsonObject => ({ metadata: { labels: own(name, value) } });
  const labelOf = (result: JsonObject): Json | undefined => ownValueOf(objectAt(result, "metadata", "labels"), name);

  test("is added where the template has none", () => {
    const result = strategicMerge({ metadata: { labels: { a: "1" } } }, labels("x"));
    expect(labelOf(result)).toBe("x");
    expect(objectAt(result, "metadata", "labels").a).toBe("1");
  });

  test("is replaced, kept and removed like any other", () => {
    expect(labelOf(strategicMerge(labels("x"), labels("y")))).toBe("y");
    expect(labelOf(strategicMerge(labels("x"), { metadata: { labels: { a: "1" } } }))).toBe("x");
    const removed = objectAt(strategicMerge(labels("x"), labels(null)), "metadata", "labels");
    expect(Object.keys(removed)).toEqual([]);
  });

  test("survives the removal of its neighbour and a cleaning", () => {
    const both = { metadata: { labels: { ...own(name, "x"), gone: "1" } } };
    expect(labelOf(strategicMerge(both, { metadata: { labels: { gone: null } } }))).toBe("x");
    const cleaned = strategicMerge({}, { metadata: { labels: { ...own(name, { b: "x" }), gone: null } } });
    expect(labelOf(cleaned)).toEqual({ b: "x" });
    const retained = strategicMerge(both, { metadata: { labels: { $retainKeys: [name] } } });
    expect(labelOf(retained)).toBe("x");
    const replaced = strategicMerge(both, { metadata: { labels: { $patch: "replace", ...own(name, "z") } } });
    expect(labelOf(replaced)).toBe("z");
  });

  test("is not found in the schema", () => {
    const at = (value: Json): JsonObject => ({ spec: own(name, value) });
    expect(() => strategicMerge(at({ a: 1 }), at({ b: 1 }))).toThrow(expect.objectContaining({ kind: "unknownField" }));
    expect(() => strategicMerge(at(["a"]), at(["b"]))).toThrow(expect.objectContaining({ kind: "unknownField" }));
  });

  test("never reaches the prototype of objects", () => {
    const result = strategicMerge({ spec: {} }, own(name, { polluted: true }));
    expect(ownValueOf(result, name)).toEqual({ polluted: true });
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(ownValueOf({}, "polluted")).toBeUndefined();
  });

  test("is a merge key's value like any other", () => {
    const template = { spec: { containers: [{ name: "a" }, { name, image: "1" }] } };
    const result = strategicMerge(template, { spec: { containers: [{ name, image: "2" }] } });
    expect(result).toEqual({ spec: { containers: [{ name: "a" }, { name, image: "2" }] } });
    const added = strategicMerge({ spec: { containers: [{ name: "a" }] } }, { spec: { containers: [{ name }] } });
    expect(added).toEqual({ spec: { containers: [{ name }, { name: "a" }] } });
    const deleted = strategicMerge(template, { spec: { containers: [{ name, $patch: "delete" }] } });
    expect(deleted).toEqual({ spec: { containers: [{ name: "a" }] } });
  });

  test("can be traced", () => {
    const { value, provenance } = strategicMergeTraced({}, [{ name: "l", patch: labels({ x: "1" }) }]);
    expect(labelOf(value)).toEqual({ x: "1" });
    expect(provenance).toHaveLength(1);
  });
});

describe("nesting 10,000 deep", () => {
  const depth = 10_000;
  const nest = (leaf: Json, wrap: (below: Json) => Json): Json => {
    let value = leaf;
    for (let level = 0; level < depth; level += 1) value = wrap(value);
    return value;
  };
  const inObject = (below: Json): Json => ({ a: below });
  const inList = (below: Json): Json => [below];
  /** The innermost value and how deep it lies. */
  const bottom = (value: Json | undefined): { readonly leaf: Json | undefined; readonly levels: number } => {
    let leaf = value;
    let levels = 0;
    for (; typeof leaf === "object" && leaf !== null; levels += 1) {
      const below: Json[] = Object.values(leaf);
      if (below.length === 0) return { leaf, levels };
      leaf = below[0];
    }
    return { leaf, levels };
  };

  test.each([
    ["objects", inObject],
    ["lists", inList],
  ])("of %s is taken over from the patch as it stands", (_, wrap) => {
    const deep = nest("x", wrap);
    const result = strategicMerge({ spec: {} }, { spec: { unknown: deep } });
    expect(bottom(objectAt(result, "spec").unknown)).toEqual({ leaf: "x", levels: depth });
  });

  test("of objects is cleaned of a null at the bottom", () => {
    const result = strategicMerge({ spec: {} }, { spec: { unknown: nest({ b: "x", c: null }, inObject) } });
    expect(bottom(objectAt(result, "spec").unknown)).toEqual({ leaf: "x", levels: depth + 1 });
  });

  test("of lists is cleaned of a directive at the bottom", () => {
    const result = strategicMerge({ spec: {} }, { spec: { unknown: nest([{ $patch: "delete" }], inList) } });
    expect(bottom(objectAt(result, "spec").unknown)).toEqual({ leaf: [], levels: depth });
  });

  test("replaces an object or an atomic list without being walked into", () => {
    const template = { metadata: { labels: { a: "1" } }, spec: { tolerations: [{ key: "a" }] } };
    const deep = nest("x", inObject);
    const result = strategicMerge(template, {
      metadata: { labels: { $patch: "replace", b: deep } },
      spec: { tolerations: [deep] },
    });
    expect(bottom(objectAt(result, "metadata", "labels").b)).toEqual({ leaf: "x", levels: depth });
    expect(bottom(objectAt(result, "spec").tolerations)).toEqual({ leaf: "x", levels: depth + 1 });
  });

  test("on both sides is refused where the schema ends", () => {
    const deep = { spec: { nodeSelector: nest("x", inObject) } };
    expect(() => strategicMerge(deep, deep)).toThrow(expect.objectContaining({ kind: "notStruct" }));
  });

  test("is traced down to the leaf", () => {
    const layers = [{ name: "deep", patch: { spec: { unknown: nest("x", inObject) } } }];
    const { provenance } = strategicMergeTraced({ spec: {} }, layers);
    expect(provenance).toMatchObject([{ action: "set", layer: "deep", value: "x" }]);
  });
});

describe("size", () => {
  const count = 20_000;
  const containers = (prefix: string, more: JsonObject = {}): Json[] =>
    Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}`, ...more }));
  const spec = (list: Json, order?: Json): JsonObject => ({
    spec: { containers: list, ...(order === undefined ? {} : { "$setElementOrder/containers": order }) },
  });

  test("20,000 elements meet 20,000 in linear time", () => {
    const template = spec(containers("c"));
    expect(strategicMerge(template, spec(containers("c", { image: "x" })))).toEqual(
      spec(containers("c", { image: "x" })),
    );
    const added = strategicMerge(template, spec(containers("n")));
    expect(added).toEqual(spec([...containers("n"), ...containers("c")]));
    const deleted = strategicMerge(template, spec(containers("c", { $patch: "delete" }).reverse()));
    expect(deleted).toEqual(spec([]));
  });

  test("20,000 elements are ordered in linear time", () => {
    const order = containers("c").reverse();
    expect(strategicMerge(spec(containers("c")), { spec: { "$setElementOrder/containers": order } })).toEqual(
      spec(order),
    );
    const halfGone = containers("c", { $patch: "delete" }).slice(0, count / 2);
    const rest = containers("c").slice(count / 2);
    const result = strategicMerge(
      spec(containers("c")),
      spec([...halfGone, ...containers("n")], [...containers("n"), ...rest]),
    );
    expect(result).toEqual(spec([...containers("n"), ...rest]));
    const disordered = strategicMerge(spec(containers("c")), spec(containers("n"), []));
    expect(objectAt(disordered, "spec").containers).toHaveLength(2 * count);
  });

  test("50,000 scalars are united, deleted and traced", () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `f${at}`);
    const template = { metadata: { finalizers: many } };
    expect(strategicMerge(template, { metadata: { finalizers: many.toReversed() } })).toEqual({
      metadata: { finalizers: many.toReversed() },
    });
    const deleted = strategicMerge(template, { metadata: { "$deleteFromPrimitiveList/finalizers": many.slice(1) } });
    expect(deleted).toEqual({ metadata: { finalizers: ["f0"] } });
    const labels = Object.fromEntries(many.map((name) => [name, "x"]));
    const { provenance } = strategicMergeTraced({}, [{ name: "big", patch: { metadata: { labels } } }]);
    expect(provenance).toHaveLength(many.length);
  });

  test("a patch of one mebibyte in one text is taken over", () => {
    const annotations = { big: "x".repeat(2 ** 20) };
    expect(strategicMerge({ metadata: { annotations: { a: "1" } } }, { metadata: { annotations } })).toEqual({
      metadata: { annotations: { a: "1", ...annotations } },
    });
  });

  test("a long text does not make a long message", () => {
    const long = "x".repeat(2 ** 20);
    const patch = { spec: { containers: [{ name: long, $patch: long }] } };
    expect(() => strategicMerge({ spec: { containers: [{ name: "a" }] } }, patch)).toThrow(/^.{1,500}$/);
  });
});

describe("undefined", () => {
  const holey: JsonObject = Object.defineProperty({}, "hostNetwork", { value: undefined, enumerable: true });

  test("in a patch says nothing, and in a template is nothing", () => {
    const template = { spec: { hostNetwork: true } };
    expect(strategicMerge(template, { spec: holey })).toBe(template);
    expect(strategicMerge({ spec: holey }, { spec: { hostNetwork: true } })).toEqual(template);
  });
});

describe("numbers and texts", () => {
  const big = 2n ** 62n;

  test("an integer beyond 2^53 keeps its digits and is an integer among others", () => {
    const result = strategicMerge(
      { spec: { securityContext: { runAsUser: 1 } }, metadata: { finalizers: [1] } },
      { spec: { securityContext: { runAsUser: big } }, metadata: { finalizers: [big, big + 1n] } },
    );
    expect(result).toEqual({
      spec: { securityContext: { runAsUser: big } },
      metadata: { finalizers: [big, big + 1n, 1] },
    });
  });

  test("an integer beyond 2^53 tells elements apart", () => {
    const ports = (...list: Json[]): JsonObject => ({ spec: { containers: [{ name: "a", ports: list }] } });
    const result = strategicMerge(
      ports({ containerPort: big, name: "x" }, { containerPort: big + 1n, name: "y" }),
      ports({ containerPort: big + 1n, name: "z" }),
    );
    expect(result).toEqual(ports({ containerPort: big, name: "x" }, { containerPort: big + 1n, name: "z" }));
  });

  test('the port "80" is not the port 80', () => {
    const ports = (...list: Json[]): JsonObject => ({ spec: { containers: [{ name: "a", ports: list }] } });
    const result = strategicMerge(ports({ containerPort: 80 }), ports({ containerPort: "80" }));
    expect(result).toEqual(ports({ containerPort: "80" }, { containerPort: 80 }));
  });

  test("halves of characters are one and the same text, as to Go", () => {
    const read = (text: string): Json => {
      const parsed = parseJson(text);
      if (!parsed.ok) throw new Error("no JSON");
      return parsed.value;
    };
    const template = read(String.raw`{"metadata":{"labels":{"\ud800":"1"}},"spec":{"containers":[{"name":"\ud800"}]}}`);
    const patch = read(
      String.raw`{"metadata":{"labels":{"\ud801":"2"}},"spec":{"containers":[{"name":"\ud801","image":"i"}]}}`,
    );
    expect(strategicMerge(template, patch)).toEqual({
      metadata: { labels: { "\ufffd": "2" } },
      spec: { containers: [{ name: "\ufffd", image: "i" }] },
    });
  });

  test("names that look like list positions are only names", () => {
    const template = { metadata: { labels: { "10": "a", "9": "b", "-1": "c" } } };
    expect(strategicMerge(template, { metadata: { labels: { "9": null, "8": "d", "10": "e" } } })).toEqual({
      metadata: { labels: { "10": "e", "8": "d", "-1": "c" } },
    });
  });
});
