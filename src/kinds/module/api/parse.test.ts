// Module has two spellings and one meaning.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { matchLabels } from "../../../core/labels/label-selector.ts";
import { aModule, shortModule } from "../testing/cases.ts";
import { parseModule } from "./parse.ts";
import type { Module } from "./spec.ts";

function parsed(object: JsonObject): Module {
  const answer = parseModule(object);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value;
}

const image = "registry.example.com/kmod:1";
const mappings: readonly JsonObject[] = [
  { literal: "5.4.0", containerImage: image },
  { regexp: "^6", containerImage: `registry.example.com/kmod:\${KERNEL_XYZ}`, arch: "arm64", osImage: "Ubuntu" },
];
const loader = (container: JsonObject, modprobe: JsonObject = { moduleName: "m" }) =>
  parsed(aModule({ moduleLoader: { container: { modprobe, kernelMappings: mappings, ...container } } }));

/** Places differ, because each author should find his own words. */
const withoutPlaces = ({ driver }: Module) =>
  driver?.mappings.map(({ place: _, kernel: { place: _place, ...kernel }, ...mapping }) => ({ ...mapping, kernel }));

describe("the two spellings", () => {
  test("give the same mappings, builds included", () => {
    const build = { dockerfileConfigMap: { name: "d" }, buildArgs: [{ name: "A", value: "1" }] };
    const short = parsed(shortModule({ kernelMappings: mappings, build }));
    expect(withoutPlaces(short)).toEqual(withoutPlaces(loader({ build })));
  });

  test("differ in who wrote the container", () => {
    expect(parsed(shortModule()).driver?.container).toEqual({
      ...{ by: "author", container: { name: "driver-container", args: ["load"] }, volumes: [] },
    });
    expect(loader({}).driver?.container).toMatchObject({
      by: "farrier",
      modprobe: { dirName: "/opt", loadingOrder: [] },
    });
  });

  test("name places as their author finds them", () => {
    expect(parsed(shortModule()).driver?.mappings.map(({ place }) => place)).toEqual(["spec.kernelMappings[0]"]);
    expect(loader({}).driver?.mappings[1]?.kernel.place).toBe("spec.moduleLoader.container.kernelMappings[1].regexp");
  });
});

describe("a mapping inherits", () => {
  test("the image, unless it has its own; KMM's empty text is none", () => {
    const { driver } = loader({
      containerImage: "a:above",
      kernelMappings: [
        { literal: "1", containerImage: "" },
        { literal: "2" },
        { literal: "3", containerImage: "a:own" },
      ],
    });
    expect(driver?.mappings.map((mapping) => mapping.image.text)).toEqual(["a:above", "a:above", "a:own"]);
  });

  test("the build: arguments by name, secrets added, nothing of the mapping ignored", () => {
    const above = {
      dockerfileConfigMap: { name: "above" },
      buildArgs: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      ...{ secrets: [{ name: "s" }], timeout: "10m", selector: { a: "b" }, backoffLimit: 0 },
    };
    const own = {
      ...{ dockerfileConfigMap: { name: "own" }, buildArgs: [{ name: "B", value: "3" }], secrets: [{ name: "t" }] },
      ...{ selector: { c: "d" }, baseImageRegistryTLS: { insecure: true }, kanikoParams: { tag: "v1" } },
    };
    const { driver } = loader({ build: above, kernelMappings: [{ literal: "1", containerImage: image, build: own }] });
    expect(driver?.mappings[0]?.build).toEqual({
      dockerfileConfigMap: "own",
      args: new Map([
        ["A", "1"],
        ["B", "3"],
      ]),
      ...{ secrets: ["s", "t"], kanikoTag: "v1", nodeSelector: { c: "d" }, timeoutMs: 600_000, backoffLimit: 0 },
      baseImageTls: { isPlainHttp: true, isAnyCertificateFine: false },
    });
  });

  test("the signing: files added, keys and image replaced", () => {
    const sign = (name: string, file: string) => ({
      ...{ keySecret: { name }, certSecret: { name }, unsignedImage: `a:${name}`, filesToSign: [file] },
    });
    const { driver } = loader({
      sign: sign("above", "/opt/a.ko"),
      kernelMappings: [{ literal: "1", containerImage: image, sign: sign("own", "/opt/b.ko") }],
    });
    expect(driver?.mappings[0]?.sign).toMatchObject({
      ...{ keySecret: "own", certSecret: "own", unsignedImage: { text: "a:own" }, files: ["/opt/a.ko", "/opt/b.ko"] },
    });
  });

  test("the in-tree modules, in either form", () => {
    const removed = (container: JsonObject) => loader(container).driver?.mappings[0]?.inTreeModulesToRemove;
    expect(removed({})).toEqual([]);
    expect(removed({ inTreeModuleToRemove: "a" })).toEqual(["a"]);
    expect(removed({ inTreeModulesToRemove: ["a", "b"] })).toEqual(["a", "b"]);
  });
});

test("modprobe is called by name with arguments and parameters, or with a raw command line", () => {
  const args = { load: ["-v"], unload: ["-r"] };
  expect(loader({}, { moduleName: "m", args, parameters: ["p=1"] }).driver?.container).toMatchObject({
    modprobe: {
      load: { kind: "named", moduleName: "m", args: ["-v"], parameters: ["p=1"] },
      unload: { kind: "named", moduleName: "m", args: ["-r"], parameters: [] },
    },
  });
  expect(loader({}, { rawArgs: args }).driver?.container).toMatchObject({
    modprobe: { load: { kind: "raw", args: ["-v"] }, unload: { kind: "raw", args: ["-r"] } },
  });
});

test("a node needs the labels of selector and the conditions of nodeSelector", () => {
  const nodeSelector = { matchExpressions: [{ key: "disk", operator: "NotIn", values: ["slow"] }] };
  const { selector } = parsed(shortModule({ selector: { gpu: "yes" }, nodeSelector }));
  expect(matchLabels(selector, { gpu: "yes" })).toBe(true);
  expect(matchLabels(selector, { gpu: "yes", disk: "slow" })).toBe(false);
  expect(matchLabels(selector, {})).toBe(false);
});

test("a device plugin alone is a Module without driver", () => {
  const { driver, devicePlugin } = parsed(aModule({ devicePlugin: { container: { image: "a:1" } } }));
  expect(driver).toBeUndefined();
  expect(devicePlugin).toMatchObject({ container: { image: "a:1" }, volumes: [] });
});
