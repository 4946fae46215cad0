import { describe, expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { type GoLayout, goDump } from "./go-dump.ts";
import { podTemplateType, templateHash } from "./template-hash.ts";
import layouts from "./vectors/pod-template-layouts.json" with { type: "json" };
import dumps from "./vectors/template-dump.json" with { type: "json" };
import hashes from "./vectors/template-hash.json" with { type: "json" };

describe("the published vectors hold", () => {
  test.each(hashes)("$name of $apiVersion, count $collisionCount: $hash", (vector) => {
    const template: Json = JSON.parse(JSON.stringify(vector.template));
    const hash = templateHash(layoutOf(vector.apiVersion), template, vector.collisionCount ?? undefined);
    expect(hash).toEqual({ ok: true, value: vector.hash });
  });
  test.each(dumps)("the dump of $template", (vector) => {
    const template: Json = JSON.parse(JSON.stringify(vector.template));
    expect(goDump(layoutOf(vector.apiVersion), podTemplateType, template)).toEqual({ ok: true, value: vector.dump });
  });
});

describe("goDump refuses what Go could not decode or would not print alike", () => {
  test.each<[Json, string]>([
    ["text", ""],
    [{ spec: { containers: {} } }, ".spec.containers"],
    [{ spec: { containers: [{ name: 5 }] } }, ".spec.containers[0].name"],
    [{ spec: { hostNetwork: "yes" } }, ".spec.hostNetwork"],
    [{ spec: { terminationGracePeriodSeconds: 1.5 } }, ".spec.terminationGracePeriodSeconds"],
    [{ spec: { terminationGracePeriodSeconds: 2n ** 63n } }, ".spec.terminationGracePeriodSeconds"],
    [{ spec: { containers: [{ ports: [{ containerPort: 2 ** 31 }] }] } }, ".spec.containers[0].ports[0].containerPort"],
    [{ spec: { overhead: { cpu: "1.5Gi" } } }, '.spec.overhead["cpu"]'],
    [{ spec: { overhead: { cpu: "much" } } }, '.spec.overhead["cpu"]'],
    [{ spec: { overhead: { cpu: "" } } }, '.spec.overhead["cpu"]'],
    [{ spec: { overhead: { cpu: ["1"] } } }, '.spec.overhead["cpu"]'],
    [{ metadata: { creationTimestamp: "2024-01-01T00:00:00Z" } }, ".metadata.creationTimestamp"],
    [{ metadata: { managedFields: [{ fieldsV1: {} }] } }, ".metadata.managedFields[0].fieldsV1"],
  ])("%s", (template, path) => {
    const dump = goDump(layoutOf("1.32"), podTemplateType, template);
    expect(dump.ok ? [] : dump.problems.map((problem) => problem.path)).toEqual([path]);
  });
});

test("members that objects inherit, and unknown ones, do not enter the dump", () => {
  const plain = goDump(layoutOf("1.32"), podTemplateType, {});
  const odd = goDump(
    layoutOf("1.32"),
    podTemplateType,
    JSON.parse('{"__proto__": {"spec": {"nodeName": "x"}}, "unknown": 1}'),
  );
  expect(odd).toEqual(plain);
});

test("64-bit integers are dumped with all digits", () => {
  const dump = goDump(layoutOf("1.32"), podTemplateType, { spec: { activeDeadlineSeconds: 9223372036854775807n } });
  expect(dump.ok && dump.value).toContain("ActiveDeadlineSeconds:(*int64)9223372036854775807 ");
});

/** Vectors keep each field as "GoName jsonName type", "-" for embedded, and each struct once per group of releases. */
function layoutOf(release: string): GoLayout {
  const structs = Object.entries(layouts.structs).map(([name, variants]) => {
    const all: readonly { releases?: readonly string[]; fields: readonly string[] }[] = variants;
    const variant = all.find(({ releases }) => releases === undefined || releases.includes(release));
    return [name, (variant?.fields ?? []).map(fieldOf)] as const;
  });
  return { structs: new Map(structs), named: new Map(Object.entries(layouts.named)) };
}

function fieldOf(written: string) {
  const [name = "", json = "", type = ""] = written.split(" ");
  return { name, json: json === "-" ? "" : json, type };
}
