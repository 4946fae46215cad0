import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { KIND_NAMES } from "../../kinds/all-kinds.ts";
import { BUILD_SITE, BUILDER_IMAGES } from "../../kinds/module/build/build-site.ts";
import { collectSettings, readSettings } from "./run-settings.ts";

type Texts = Readonly<Record<string, string | undefined>>;
function settingsOf(flags: Texts = {}, env: Texts = {}, content?: JsonObject) {
  const file = content === undefined ? {} : { file: { name: "farrier.yaml", content } };
  return readSettings(collectSettings({ flags, env, ...file }), KIND_NAMES);
}
const value = (...args: Parameters<typeof settingsOf>) => {
  const parsed = settingsOf(...args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
};
const TEMPLATE = "spec:\n  containers:\n  - name: make\n    image: builder:1\n    args: [$(TARGET_IMAGE)]\n";

test("without a word from anybody builds are as the code has them, and nothing more may be asked", () => {
  expect(value().site).toEqual(BUILD_SITE);
  expect(value().registry).toEqual({ networks: [], tokenHosts: new Map(), authorities: "" });
});

test.each(["buildkit", "buildah", "kaniko"] as const)("%s is named, and its image may be another one", (is) => {
  expect(value({ builder: is }).site.builder).toEqual({ is, image: BUILDER_IMAGES[is] });
  expect(value({ builder: is }, { FARRIER_BUILDER_IMAGE: "mine:2" }).site.builder).toEqual({ is, image: "mine:2" });
});

test("a template of the site's own is read from YAML", () => {
  expect(value({ builder: "template", builderTemplate: TEMPLATE }).site.builder).toEqual({
    is: "template",
    template: { spec: { containers: [{ name: "make", image: "builder:1", args: ["$(TARGET_IMAGE)"] }] } },
  });
});

test("flags count before the environment, and that before a file", () => {
  const file = { buildsMax: 1, signerImage: "a:1", registryProbe: false };
  const env = { FARRIER_BUILDS_MAX: "2", FARRIER_SIGNER_IMAGE: "b:1" };
  expect(value({ buildsMax: "3" }, env, file).site).toMatchObject({
    ...{ runningMax: 3, signerImage: "b:1", registry: "unasked" },
  });
});

test("networks and hosts are lists and maps in a file, and texts elsewhere", () => {
  const file = {
    registryNetworks: ["127.0.0.1/32", "fd00::/8"],
    registryTokenHosts: { "registry.example.dev:5000": ["sso.example.net", "sso2.example.net"], "r.dev": "[::1]:443" },
  };
  const expected = {
    networks: ["127.0.0.1/32", "fd00::/8"],
    tokenHosts: new Map([
      ["registry.example.dev:5000", ["sso.example.net", "sso2.example.net"]],
      ["r.dev", ["[::1]:443"]],
    ]),
    authorities: "",
  };
  expect(value({}, {}, file).registry).toEqual(expected);
  const flags = {
    registryNetworks: "127.0.0.1/32, fd00::/8",
    registryTokenHosts: "registry.example.dev:5000=sso.example.net,sso2.example.net,r.dev=[::1]:443",
  };
  expect(value(flags).registry).toEqual(expected);
});

describe("a fault names its place, the value and the remedy", () => {
  test.each<readonly [string, Parameters<typeof settingsOf>, string]>([
    ["a builder", [{ builder: "docker" }], '--builder: "docker" is none of buildkit, buildah, kaniko, template'],
    ["an image", [{ builderImage: "A b" }], '--builder-image: image "A b"'],
    ["a signer", [{}, { FARRIER_SIGNER_IMAGE: "" }], 'FARRIER_SIGNER_IMAGE: image "": must not be empty'],
    ["no template", [{ builder: "template" }], "--builder-template: is missing; name the file"],
    ["a template for nobody", [{ builderTemplate: TEMPLATE }], "is for builder template, and the builder is buildkit"],
    ["a template that is none", [{ builder: "template", builderTemplate: "- a" }], "is no pod template"],
    ["one that is no YAML", [{ builder: "template", builderTemplate: "a: [" }], "--builder-template: is no YAML"],
    ["one without containers", [{ builder: "template", builderTemplate: "spec: {}" }], "template.spec.containers"],
    [
      "an image beside a template",
      [{ builder: "template", builderTemplate: TEMPLATE, builderImage: "a:1" }],
      "--builder-image: has no effect with a template",
    ],
    ["no builds", [{ buildsMax: "0" }], '--builds-max: "0" is no count; give 1 to 1000'],
    ["too many builds", [{ buildsMax: "1e3" }], '"1e3" is no count'],
    ["a probe", [{ registryProbe: "no" }], '--registry-probe: "no" is neither true nor false'],
    ["an address", [{ registryNetworks: "10.0.0.1" }], '--registry-networks: "10.0.0.1" is no network'],
    ["too many bits", [{ registryNetworks: "10.0.0.0/33" }], '"10.0.0.0/33" is no network'],
    ["what is no address", [{ registryNetworks: "10.0.0.256/8" }], '"10.0.0.256/8" is no network'],
    ["what is no IPv6 address", [{ registryNetworks: "fd00:::/8" }], '"fd00:::/8" is no network'],
    [
      "a host without a registry",
      [{}, {}, { registryTokenHosts: ["sso.example.net"] }],
      'farrier.yaml: registryTokenHosts: "sso.example.net": write registry=host',
    ],
    ["a URL", [{ registryTokenHosts: "https://r.dev=sso.dev" }], "both without a scheme"],
    ["what is no certificate", [{ registryAuthorities: "hello" }], "--registry-authorities: holds no PEM certificate"],
  ])("%s", (_, sources, message) => {
    const parsed = settingsOf(...sources);
    const told = parsed.ok ? [] : parsed.problems.map(({ path, message: text }) => `${path}: ${text}`);
    expect(told).toEqual([expect.stringContaining(message)]);
  });
});
