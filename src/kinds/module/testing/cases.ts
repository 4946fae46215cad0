// The shared table of Module: valid and invalid objects of both spellings with the level that refuses them.
import type { Json, JsonObject } from "../../../core/json/json.ts";
import { aContainer, accepted, acceptedWith, type KindCase, many, refused } from "../../testing/kind-case.ts";
import { badInputCases } from "./cases-bad-input.ts";
import { loaderCases } from "./cases-loader.ts";

/** A Module with these fields in its spec. */
export function aModule(spec: JsonObject, name = "my-kmod"): JsonObject {
  return {
    apiVersion: "kmm.sigs.x-k8s.io/v1beta1",
    kind: "Module",
    metadata: { name, namespace: "default" },
    spec: { selector: { "node-role.kubernetes.io/worker": "" }, ...spec },
  };
}

const mapping: JsonObject = Object.freeze({ regexp: "^5\\.", containerImage: "registry.example.com/kmod:1.0" });

/** The seeds' own spelling: the author's container, whose image the mapping gives. */
export function shortModule(more: JsonObject = {}): JsonObject {
  return aModule({ kernelMappings: [mapping], driverContainer: { args: ["load"] }, ...more });
}

/** The rows. */
export function moduleCases(): readonly KindCase[] {
  return [
    ...validShort(),
    ...badSpellings(),
    ...badMappings(),
    ...badRules(),
    ...badScopes(),
    ...badPlugins(),
    ...loaderCases(aModule),
    ...badInputCases(aModule),
  ];
}

function validShort(): readonly KindCase[] {
  const dockerfileConfigMap = { name: "dockerfile" };
  const everything = {
    nodeSelector: { matchExpressions: [{ key: "kernel", operator: "Exists" }] },
    tolerations: [{ key: "gpu", operator: "Exists", effect: "NoSchedule" }],
    ...{ imageRepoSecret: { name: "pull" }, imageRebuildTriggerGeneration: 3, unloadPolicy: "Leave" },
    build: { dockerfileConfigMap, timeout: "30m", backoffLimit: 1, buildArgs: [{ name: "A", value: "1" }] },
    driverContainer: aContainer("driver", { volumeMounts: [{ name: "src", mountPath: "/usr/src" }] }),
    additionalVolumes: [{ name: "src", hostPath: { path: "/usr/src" } }],
    kernelMappings: [
      { literal: "6.1.0-13-amd64", containerImage: "registry.example.com/kmod:6.1" },
      { kernel: ">=5.14 <6", arch: "amd64", osImage: "Red Hat", containerImage: "registry.example.com/kmod:el9" },
    ],
    updateStrategy: { maxUnavailable: "10%", paused: true },
  };
  return [
    { name: "the short spelling", object: shortModule(), verdict: accepted },
    { name: "every field of the short spelling", object: aModule(everything), verdict: accepted },
    { name: "a device plugin alone", object: aModule({ devicePlugin: aPlugin({}) }), verdict: accepted },
    {
      name: "a selector for every node",
      object: shortModule({ selector: {} }),
      verdict: acceptedWith("spec.selector: is empty"),
    },
    {
      name: "a mapping that an earlier one covers",
      object: shortModule({
        kernelMappings: [
          { kernel: ">=5.4", containerImage: "a:1" },
          { literal: "6.1.0", containerImage: "a:2" },
        ],
      }),
      verdict: acceptedWith("spec.kernelMappings[1]: never gets a node, because spec.kernelMappings[0]"),
    },
  ];
}

function aPlugin(more: JsonObject): JsonObject {
  return { container: { image: "registry.example.com/plugin:1", env: [{ name: "A", value: "1" }] }, ...more };
}

function badSpellings(): readonly KindCase[] {
  const container = { modprobe: { moduleName: "a" }, kernelMappings: [mapping] };
  return [
    { name: "nothing to run", object: aModule({}), verdict: refused("cel", "spec", "nothing to run") },
    {
      name: "both spellings",
      object: shortModule({ moduleLoader: { container } }),
      verdict: refused("cel", "spec.driverContainer", "beside moduleLoader"),
    },
    {
      name: "a driver without mappings",
      object: aModule({ driverContainer: {} }),
      verdict: refused("cel", "spec.kernelMappings", "is required"),
    },
    {
      name: "mappings without a driver",
      object: aModule({ kernelMappings: [mapping], devicePlugin: aPlugin({}) }),
      verdict: refused("cel", "spec", "need driverContainer"),
    },
    {
      name: "a driver for dynamic resource allocation",
      object: shortModule({ dra: { driverName: "gpu.example.com" } }),
      verdict: refused("cel", "spec.dra", "is not supported"),
    },
    {
      name: "no selector",
      object: { ...aModule({}), spec: { devicePlugin: aPlugin({}) } },
      verdict: refused("schema", "spec.selector"),
    },
    {
      name: "a selector with a number",
      object: shortModule({ selector: { gpu: 1 } }),
      verdict: refused("schema", "spec.selector", "put it in quotes"),
    },
  ];
}

function withMappings(kernelMappings: Json): JsonObject {
  return shortModule({ kernelMappings });
}

function badMappings(): readonly KindCase[] {
  const at = "spec.kernelMappings[0]";
  const containerImage = "registry.example.com/kmod:1";
  const row = (
    name: string,
    written: JsonObject,
    by: "schema" | "cel" | "admission",
    under: string,
    says?: string,
  ) => ({
    name,
    object: withMappings([written]),
    verdict: refused(by, `${at}${under}`, says),
  });
  return [
    { name: "no mappings", object: withMappings([]), verdict: refused("schema", "spec.kernelMappings") },
    {
      name: "1,001 mappings",
      object: withMappings(many(1001, (index) => ({ literal: `6.1.${index}`, containerImage }))),
      verdict: refused("schema", "spec.kernelMappings", "at most 1000"),
    },
    row("a mapping without a kernel", { containerImage }, "cel", "", "exactly one of"),
    row("a mapping with two kernels", { literal: "a", regexp: "b", containerImage }, "cel", "", "exactly one of"),
    row("a mapping with empty kernels", { literal: "", regexp: "", containerImage }, "cel", "", "exactly one of"),
    row("a mapping without an image", { literal: "5.4.0" }, "admission", ".containerImage", "is required"),
    row(
      "an image without a tag",
      { literal: "5.4.0", containerImage: "registry:5000/kmod" },
      "admission",
      ".containerImage",
      "tag",
    ),
    row(
      "an unknown variable",
      { literal: "5.4.0", containerImage: `a:\${KERNEL_FOO}` },
      "admission",
      ".containerImage",
      "KERNEL_FOO",
    ),
    row("an image with a blank", { literal: "5.4.0", containerImage: "a b:1" }, "admission", ".containerImage"),
  ];
}

function badRules(): readonly KindCase[] {
  const at = "spec.kernelMappings[0]";
  const containerImage = "registry.example.com/kmod:1";
  const row = (name: string, written: JsonObject, by: "schema" | "admission", under: string, says?: string) => ({
    name,
    object: withMappings([{ containerImage, ...written }]),
    verdict: refused(by, `${at}${under}`, says),
  });
  const build = (more: JsonObject) => ({ literal: "5.4.0", build: { dockerfileConfigMap: { name: "a" }, ...more } });
  const sign = { keySecret: { name: "key" }, certSecret: { name: "cert" }, unsignedImage: "a:1" };
  return [
    row("a broken expression", { regexp: "(" }, "admission", ".regexp", "RE2"),
    row("an expression with look-ahead", { regexp: "(?!a)" }, "admission", ".regexp"),
    row("an expression that grows", { regexp: "(x{1000}){1000}" }, "admission", ".regexp"),
    row("an expression that is too long", { regexp: "a".repeat(1025) }, "schema", ".regexp"),
    row("a kernel rule that is none", { kernel: "5.4*" }, "admission", ".kernel"),
    row("an OS image that is no expression", { literal: "a", osImage: "[" }, "admission", ".osImage"),
    row("an architecture in capitals", { literal: "a", arch: "AMD64" }, "schema", ".arch"),
    row("a build without ConfigMap", { literal: "a", build: {} }, "schema", ".build.dockerfileConfigMap"),
    row(
      "a build argument that is an option",
      build({ buildArgs: [{ name: "--x" }] }),
      "schema",
      ".build.buildArgs[0].name",
    ),
    row("a build that ends in words", build({ timeout: "later" }), "schema", ".build.timeout"),
    row("a build that is tried for ever", build({ backoffLimit: 11 }), "schema", ".build.backoffLimit"),
    row("signing without keys", { literal: "a", sign: { certSecret: { name: "c" } } }, "schema", ".sign.keySecret"),
    row("signing of nothing", { literal: "a", sign }, "admission", ".sign.filesToSign", "is required"),
    row(
      "signing outside the image",
      { literal: "a", sign: { ...sign, filesToSign: ["/opt/../etc/passwd"] } },
      "admission",
      ".sign.filesToSign",
      "..",
    ),
    row(
      "signing a relative path",
      { literal: "a", sign: { ...sign, filesToSign: ["a.ko"] } },
      "admission",
      ".sign.filesToSign",
      "absolute",
    ),
    row(
      "signing what was not built",
      { literal: "a", sign: { ...sign, unsignedImage: "", filesToSign: ["/a.ko"] } },
      "admission",
      ".sign.unsignedImage",
    ),
  ];
}

function badScopes(): readonly KindCase[] {
  const toleration = (each: JsonObject) => shortModule({ tolerations: [each] });
  return [
    {
      name: "a toleration without key and operator",
      object: toleration({ effect: "NoSchedule" }),
      verdict: refused("admission", "spec.tolerations[0].operator", "Exists"),
    },
    {
      name: "a toleration with an odd effect",
      object: toleration({ key: "a", operator: "Exists", effect: "Never" }),
      verdict: refused("admission", "spec.tolerations[0].effect"),
    },
    {
      name: "names that do not fit into a label",
      object: aModule({ kernelMappings: [mapping], driverContainer: {} }, "a".repeat(40)),
      verdict: refused("admission", "metadata.name", "at most 41"),
    },
    {
      name: "a selector with a bad key",
      object: shortModule({ selector: { "a/b/c": "x" } }),
      verdict: refused("admission", "spec.selector"),
    },
    {
      name: "a budget of none",
      object: shortModule({ updateStrategy: { maxUnavailable: "0%" } }),
      verdict: refused("cel", "spec.updateStrategy.maxUnavailable"),
    },
    {
      name: "a driver that mounts the whole node",
      object: shortModule({ additionalVolumes: [{ name: "root", hostPath: { path: "/dev/../" } }] }),
      verdict: refused("admission", "spec.additionalVolumes[0].hostPath.path", "/lib/modules"),
    },
    {
      name: "a driver that mounts nothing",
      object: shortModule({ driverContainer: { volumeMounts: [{ name: "v", mountPath: "/v" }] } }),
      verdict: refused("admission", "spec.driverContainer.volumeMounts[0].name", "no volume"),
    },
  ];
}

function badPlugins(): readonly KindCase[] {
  return [
    {
      name: "a plugin without a container",
      object: aModule({ devicePlugin: {} }),
      verdict: refused("schema", "spec.devicePlugin.container"),
    },
    {
      name: "a plugin without an image",
      object: aModule({ devicePlugin: { container: {} } }),
      verdict: refused("schema", "spec.devicePlugin.container.image"),
    },
    {
      name: "a plugin with a bad image",
      object: aModule({ devicePlugin: { container: { image: "A:1" } } }),
      verdict: refused("admission", "spec.devicePlugin.container.image", "lower case"),
    },
    {
      name: "a plugin that mounts /etc",
      object: aModule({ devicePlugin: aPlugin({ volumes: [{ name: "e", hostPath: { path: "//etc" } }] }) }),
      verdict: refused("admission", "spec.devicePlugin.volumes[0].hostPath.path", "/dev, /sys, /var, /opt, /run"),
    },
    {
      name: "a plugin that mounts its socket",
      object: aModule({ devicePlugin: aPlugin({ volumes: [{ name: "s", hostPath: { path: "/var/lib/kubelet" } }] }) }),
      verdict: accepted,
    },
  ];
}
