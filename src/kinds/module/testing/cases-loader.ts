// The part of Module's shared table in KMM's spelling. The builder of the object comes from the other part.
import type { JsonObject } from "../../../core/json/json.ts";
import { accepted, acceptedWith, type KindCase, refused } from "../../testing/kind-case.ts";

type Build = (spec: JsonObject) => JsonObject;

const place = "spec.moduleLoader.container";
const mapping: JsonObject = Object.freeze({ regexp: "^.+$", containerImage: "registry.example.com/kmod:1.0" });

function loader(build: Build, container: JsonObject, modprobe: JsonObject = { moduleName: "my_kmod" }): JsonObject {
  return build({ moduleLoader: { container: { modprobe, kernelMappings: [mapping], ...container } } });
}

/** The rows. */
export function loaderCases(build: Build): readonly KindCase[] {
  return [...publishedShapes(build), ...badModprobes(build), ...badContainers(build), ...versions(build)];
}

/** The shapes that KMM's manifests have: everything at once, in-tree removal, device plugin, build and sign. */
function publishedShapes(build: Build): readonly KindCase[] {
  const secret = (name: string) => ({ name });
  const container = {
    modprobe: {
      ...{ moduleName: "my_kmod", dirName: "/opt", firmwarePath: "/firmware", parameters: ["param=1"] },
      ...{ args: { load: ["-v"], unload: ["-r"] }, modulesLoadingOrder: ["my_kmod", "my_dep_a", "my_dep_b"] },
    },
    ...{ imagePullPolicy: "Always", version: "1.2.3", containerImage: "registry.example.com/kmod:1" },
    ...{ inTreeModulesToRemove: ["in_tree_a", "in-tree-b"], registryTLS: { insecure: false } },
    kernelMappings: [
      { literal: "6.0.15-300.fc37.x86_64", containerImage: "registry.example.com/kmod:6.0.15" },
      { regexp: "^.+\\.fc37\\.x86_64$", containerImage: `registry.example.com/kmod:\${KERNEL_FULL_VERSION}` },
      {
        ...{ regexp: "^.+$", containerImage: "" },
        build: {
          buildArgs: [{ name: "ARG_NAME", value: "value" }],
          ...{ secrets: [secret("build-secret")], dockerfileConfigMap: secret("kmod-dockerfile") },
          ...{ baseImageRegistryTLS: { insecureSkipTLSVerify: false }, kanikoParams: { tag: "v1.9.1" } },
          selector: { arch: "amd64" },
        },
        sign: {
          ...{ keySecret: secret("key"), certSecret: secret("cert"), filesToSign: ["/opt/lib/modules/my_kmod.ko"] },
          unsignedImageRegistryTLS: {},
        },
        registryTLS: { insecure: false, insecureSkipTLSVerify: false },
      },
    ],
  };
  const devicePlugin = {
    container: {
      ...{ image: "registry.example.com/plugin:latest", imagePullPolicy: "Always" },
      ...{ env: [{ name: "MY_DEVICE_PLUGIN_ENV_VAR", value: "some-value" }], resources: {} },
      volumeMounts: [{ mountPath: "/some/mountPath", name: "device-plugin-volume" }],
    },
    volumes: [{ name: "device-plugin-volume", hostPath: { path: "/dev" } }],
    serviceAccountName: "device-plugin",
  };
  const moduleLoader = { container, serviceAccountName: "kmod" };
  return [
    {
      name: "KMM's manifest with everything",
      object: build({ moduleLoader, devicePlugin, imageRepoSecret: secret("pull") }),
      verdict: accepted,
    },
    { name: "KMM's smallest manifest", object: loader(build, {}), verdict: accepted },
    {
      name: "KMM's raw arguments",
      object: loader(build, {}, { rawArgs: { load: ["-v", "a"], unload: ["-rv", "a"] } }),
      verdict: accepted,
    },
    { name: "KMM's older in-tree module", object: loader(build, { inTreeModuleToRemove: "a" }), verdict: accepted },
    {
      name: "KMM's image for all mappings",
      object: loader(build, { containerImage: "a:1", kernelMappings: [{ regexp: ".*", containerImage: "" }] }),
      verdict: accepted,
    },
  ];
}

function badModprobes(build: Build): readonly KindCase[] {
  const at = `${place}.modprobe`;
  const row = (
    name: string,
    modprobe: JsonObject,
    by: "schema" | "cel" | "admission",
    under: string,
    says?: string,
  ) => ({
    name,
    object: loader(build, {}, modprobe),
    verdict: refused(by, `${at}${under}`, says),
  });
  const order = (...names: readonly string[]) => ({ moduleName: "a", modulesLoadingOrder: names });
  return [
    row("no module to load", {}, "cel", "", "either moduleName"),
    row("a module and raw arguments", { moduleName: "a", rawArgs: { load: ["b"] } }, "cel", "", "either moduleName"),
    row("raw arguments for loading alone", { rawArgs: { load: ["b"] } }, "cel", "", "both load and unload"),
    row("no raw arguments in the list", { rawArgs: { load: [], unload: ["a"] } }, "schema", ".rawArgs.load"),
    row("a module that is a command", { moduleName: "a; reboot" }, "schema", ".moduleName"),
    row("an order of one", order("a"), "schema", ".modulesLoadingOrder"),
    row("an order that starts elsewhere", order("b", "a"), "cel", ".modulesLoadingOrder", "start with moduleName"),
    row("an order with a cycle", order("a", "b_c", "b-c"), "admission", ".modulesLoadingOrder", "twice"),
    row("a relative folder", { moduleName: "a", dirName: "opt" }, "schema", ".dirName", "absolute path"),
    row("a folder that leads up", { moduleName: "a", dirName: "/opt/../etc" }, "admission", ".dirName", ".."),
    row("firmware that leads up", { moduleName: "a", firmwarePath: "/../etc" }, "admission", ".firmwarePath", ".."),
    row(
      "an argument with a line of its own",
      { moduleName: "a", parameters: ["a=1\nreboot"] },
      "admission",
      "",
      "control",
    ),
  ];
}

function badContainers(build: Build): readonly KindCase[] {
  const both = { inTreeModuleToRemove: "a", inTreeModulesToRemove: ["b"] };
  const sign = { keySecret: { name: "key" }, certSecret: { name: "cert" }, filesToSign: ["/lib/a.ko"] };
  return [
    {
      name: "both forms of in-tree modules",
      object: loader(build, both),
      verdict: refused("cel", `${place}.inTreeModuleToRemove`, "into that list"),
    },
    {
      name: "both forms of in-tree modules in a mapping",
      object: loader(build, { kernelMappings: [{ ...mapping, ...both }] }),
      verdict: refused("cel", `${place}.kernelMappings[0].inTreeModuleToRemove`, "into that list"),
    },
    {
      name: "the two forms on two levels",
      object: loader(build, {
        inTreeModuleToRemove: "a",
        kernelMappings: [{ ...mapping, inTreeModulesToRemove: ["b"] }],
      }),
      verdict: refused("admission", place, "use the list everywhere"),
    },
    {
      name: "an in-tree module twice",
      object: loader(build, { inTreeModulesToRemove: ["a-b", "a_b"] }),
      verdict: refused("admission", place, "twice"),
    },
    {
      name: "no image on either level",
      object: loader(build, { kernelMappings: [{ regexp: ".*", containerImage: "" }] }),
      verdict: refused("admission", `${place}.kernelMappings[0].containerImage`),
    },
    {
      name: "a signed file outside the folder",
      object: loader(build, { build: { dockerfileConfigMap: { name: "a" } }, sign }),
      verdict: refused("admission", `${place}.kernelMappings[0].sign.filesToSign`, "modprobe.dirName (/opt)"),
    },
    {
      name: "an odd pull policy",
      object: loader(build, { imagePullPolicy: "Often" }),
      verdict: refused("schema", `${place}.imagePullPolicy`),
    },
    { name: "no container", object: build({ moduleLoader: {} }), verdict: refused("schema", place) },
    {
      name: "both ways around TLS",
      object: loader(build, { registryTLS: { insecure: true, insecureSkipTLSVerify: true } }),
      verdict: acceptedWith("insecureSkipTLSVerify has no effect"),
    },
  ];
}

function versions(build: Build): readonly KindCase[] {
  const with1 = loader(build, { version: "1" });
  const without = loader(build, {});
  const at = `${place}.version`;
  return [
    { name: "another version", old: with1, object: loader(build, { version: "2" }), verdict: accepted },
    {
      name: "a version that comes later",
      old: without,
      object: with1,
      verdict: refused("admission", at, "cannot change"),
    },
    {
      name: "a version that goes",
      old: with1,
      object: loader(build, { version: "" }),
      verdict: refused("admission", at, "cannot change"),
    },
    { name: "a version that is no label", object: loader(build, { version: "a b" }), verdict: refused("schema", at) },
  ];
}
