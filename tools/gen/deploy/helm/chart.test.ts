import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { SETTINGS } from "../../../../src/cli/settings/run-settings.ts";
import { repositoryRoot } from "../../../repository.ts";
import { installObjects } from "../install.ts";
import { NAMESPACE } from "../names.ts";
import { CHART, generateChart } from "./chart.ts";
import { offers } from "./setting-values.ts";
import { hole, optionalBlock, replacedAt, template, valueAt, withHoles } from "./template.ts";

const files = new Map(generateChart().map(({ path, content }) => [path.slice(CHART.length + 1), content]));
const file = (path: string) => files.get(path) ?? "";
const templates = [...files].filter(([path]) => path.startsWith("templates/")).map(([, content]) => content);

describe("a template", () => {
  test("is the object's YAML, with its namespace that of the release", () => {
    expect(template({ metadata: { namespace: NAMESPACE, name: "a" } })).toBe(
      "metadata:\n  name: a\n  namespace: {{ .Release.Namespace | quote }}\n",
    );
  });

  test("has holes in lines and in place of lines, as deep as they stand", () => {
    const object = { a: hole("a"), b: withHoles({ c: 1, d: 2 }, ["d"]) };
    const holes = { a: { inline: "{{ .Values.a }}" }, d: optionalBlock("d", ".Values.d") };
    expect(template(object, holes).split("\n")).toEqual([
      ...["a: {{ .Values.a }}", "b:", "  c: 1"],
      ...["  {{- with .Values.d }}", "  d:", "    {{- toYaml . | nindent 4 }}", "  {{- end }}", ""],
    ]);
  });

  test("leaves nothing of an object to Helm", () => {
    expect(template({ a: "b {{ .c }}" })).toBe('a: b {{ "{{" }} .c }}\n');
  });

  test("is refused with a hole that nobody fills, and with a namespace inside of another text", () => {
    expect(() => template({ a: hole("b") })).toThrow('the hole "b"');
    expect(() => template({ a: `x.${NAMESPACE}.svc` })).toThrow("give it a hole of its own");
  });

  test("changes only what is there", () => {
    expect(replacedAt({ a: [{ b: 1 }] }, "a.0.b", () => 2)).toEqual({ a: [{ b: 2 }] });
    expect(() => replacedAt({ a: [{ b: 1 }] }, "a.1.b", () => 2)).toThrow("nothing at");
    expect(() => valueAt({ a: 1 }, "b")).toThrow('nothing at "b"');
  });
});

describe("the chart", () => {
  test("has the files that are generated and no others", () => {
    const there = globSync("**/*.*", { cwd: join(repositoryRoot, CHART) });
    expect(there.toSorted()).toEqual([...files.keys()].sort());
  });

  test("has the version of the program", () => {
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
    expect(parse(file("Chart.yaml"))).toMatchObject({
      apiVersion: "v2",
      name: "farrier",
      version,
      appVersion: version,
    });
  });

  test("holds every kind of object of the installation but its namespace, which is nowhere named", () => {
    const kinds = new Set(templates.flatMap((text) => [...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind)));
    const installed = new Set(installObjects().map(({ kind }) => kind));
    expect(kinds).toEqual(new Set([...installed, "ConfigMap"].filter((kind) => kind !== "Namespace")));
    for (const [path, content] of files) expect([path, content.includes(NAMESPACE)]).toEqual([path, false]);
  });

  test("keeps every definition when it is uninstalled", () => {
    const definitions = templates.filter((text) => text.includes("kind: CustomResourceDefinition"));
    expect(definitions).toHaveLength(3);
    for (const text of definitions) expect(text).toContain("annotations:\n    helm.sh/resource-policy: keep\n");
  });
});

describe("values", () => {
  const values = parse(file("values.yaml"));
  const schema = JSON.parse(file("values.schema.json"));

  test.each(SETTINGS)("$key of farrier run is a value of the same default, or the reason is written", (setting) => {
    const { key, fallback } = setting;
    const offer = offers[key];
    expect([key, Object.hasOwn(values, key)]).toEqual([key, !("noValue" in offer)]);
    if ("noValue" in offer) expect(offer.noValue).not.toBe("");
    else if (Array.isArray(values[key])) expect(values[key].join(",")).toBe(fallback);
    else if (typeof values[key] !== "object") expect(String(values[key])).toBe(fallback);
    else expect([values[key], fallback]).toEqual([{}, ""]);
  });

  test("each is in the schema and nothing else is, each with what it does", () => {
    const { global, ...properties } = schema.properties;
    expect(Object.keys(properties)).toEqual(Object.keys(values));
    expect(schema).toMatchObject({ additionalProperties: false, required: Object.keys(values) });
    expect(schema.properties.image).toMatchObject({ additionalProperties: false, required: Object.keys(values.image) });
    expect(file("values.yaml").match(/^ *# [A-Z].*$/gm)?.length).toBeGreaterThan(Object.keys(values).length);
    for (const property of Object.values(properties)) expect(Object(property).description).toMatch(/^[A-Z].*\.$/);
  });

  test("each is read by a template", () => {
    const all = templates.join("");
    for (const key of Object.keys(values)) expect([key, all.includes(`.Values.${key}`)]).toEqual([key, true]);
  });

  test("gates that nobody knows are no values", () => {
    const { properties, additionalProperties, description } = schema.properties.featureGates;
    expect(properties.AdvancedDaemonSetNodeLabelPatches).toEqual({ type: "boolean" });
    expect(additionalProperties).toBe(false);
    expect(description).toContain("AdvancedDaemonSetNodeLabelPatches is on");
  });
});
