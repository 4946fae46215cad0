// Bad fields of a Module, by the numbers of the list of bad inputs (61–80 and 161–182): one row or more for each number, with the
// verdict that it gets. Kernels and nodes (47–60) are no fields; bad-input.test.ts has them.
import type { JsonObject } from "../../../core/json/json.ts";
import { accepted, acceptedWith, type KindCase, many, refused } from "../../testing/kind-case.ts";

type Build = (spec: JsonObject) => JsonObject;
/** A Module in KMM's spelling: fields of its container, and of its spec. */
type Loader = (container: JsonObject, spec?: JsonObject) => JsonObject;
type Verdict = KindCase["verdict"];

const containerImage = "registry.example.com/kmod:1.0";
const secrets: JsonObject = Object.freeze({ keySecret: { name: "key" }, certSecret: { name: "cert" } });

/** The rows. */
export function badInputCases(build: Build): readonly KindCase[] {
  const short = (more: JsonObject) =>
    build({ kernelMappings: [{ regexp: ".", containerImage }], driverContainer: { args: ["load"] }, ...more });
  const mapped = (mapping: JsonObject) => short({ kernelMappings: [{ regexp: ".", containerImage, ...mapping }] });
  const loader: Loader = (more, spec = {}) => {
    const kernelMappings = [{ regexp: ".", containerImage }];
    return build({ moduleLoader: { container: { modprobe: { moduleName: "a" }, kernelMappings, ...more } }, ...spec });
  };
  return [...selectors(short), ...expressions(mapped), ...images(short, mapped), ...builds(mapped), ...loaders(loader)];
}

function row(name: string, object: JsonObject, verdict: Verdict): KindCase {
  return { name, object, verdict };
}

function selectors(short: Build): readonly KindCase[] {
  const by = (selector: JsonObject) => short({ selector });
  const bad = (says?: string) => refused("admission", "spec.selector", says);
  return [
    row("61 a label key without a prefix", by({ gpu: "yes" }), accepted),
    row("61 a label key with two slashes", by({ "a/b/c": "yes" }), bad()),
    row("62 a label key of 64 characters", by({ ["k".repeat(64)]: "yes" }), bad()),
    // Whoever labels nodes may use any key; a Module reads them and writes none of its author's choice.
    row("63 a reserved label key", by({ "kubernetes.io/arch": "amd64" }), accepted),
    row("64 a label that this Module writes", by({ "module.farrier.dev/default.my-kmod": "x" }), bad("itself writes")),
    row("64 its own readiness", by({ "kmm.node.kubernetes.io/default.my-kmod.ready": "" }), bad("itself writes")),
    row("64 the readiness of another", by({ "kmm.node.kubernetes.io/default.base.ready": "" }), accepted),
    row("65 a selector that matches nothing", by({ "no-node/has-this": "label" }), accepted),
    row("66 a selector that matches everything", by({}), acceptedWith("spec.selector: is empty")),
  ];
}

function expressions(mapped: Build): readonly KindCase[] {
  const found = (regexp: string) => mapped({ regexp });
  const at = "spec.kernelMappings[0]";
  const bad = (says?: string) => refused("admission", `${at}.regexp`, says);
  return [
    row("67 a nested repetition", found("(a+)+$"), accepted),
    row("68 an ambiguous repetition", found("(a|a)*b"), accepted),
    row("69 a repetition of anything", found("(.*)*"), accepted),
    row("70 a repetition of repetitions", found("(x{1000}){1000}"), bad()),
    row(
      "71 ten thousand alternatives",
      found(many(10_000, (at) => `a${at}`).join("|")),
      refused("schema", `${at}.regexp`),
    ),
    row("72 an unbalanced parenthesis", found("("), bad("RE2")),
    row("73 a lookahead", found("a(?=b)"), bad("RE2")),
    row("73 a back reference", found("(a)\\1"), bad("RE2")),
    row("74 a named group, flags and an end of text", found("(?P<line>(?i)EL9)\\z"), accepted),
    row("75 an empty expression", found(""), refused("cel", at, "exactly one of")),
    row("76 an expression that matches the empty text", found("^$|x*"), accepted),
    row("77 a class of characters", found("\\p{Greek}"), accepted),
    row("78 an escape of no character", found("\\xZZ"), bad("RE2")),
    row("79 a literal beside an expression", mapped({ literal: "5.4.0" }), refused("cel", at, "exactly one of")),
    row("79 neither of them", mapped({ regexp: "" }), refused("cel", at, "exactly one of")),
  ];
}

function images(short: Build, mapped: Build): readonly KindCase[] {
  const at = "spec.kernelMappings[0]";
  const kernelMappings = (count: number) =>
    short({ kernelMappings: many(count, (index) => ({ literal: `6.1.${index}`, containerImage })) });
  const overlapping = [
    { regexp: "el9", containerImage },
    { regexp: "el", containerImage: "registry.example.com/kmod:2.0" },
  ];
  const image = (text: string) => mapped({ containerImage: text });
  const bad = (says?: string) => refused("admission", `${at}.containerImage`, says);
  return [
    row("80 mappings that overlap", short({ kernelMappings: overlapping }), accepted),
    row("161 no mappings", kernelMappings(0), refused("schema", "spec.kernelMappings")),
    row("161 1,001 mappings", kernelMappings(1_001), refused("schema", "spec.kernelMappings")),
    row("162 an image without a tag", image("registry.example.com/kmod"), bad("tag")),
    row("162 a port that is no tag", image("registry.example.com:5000/kmod"), bad("tag")),
    row("163 an unknown variable", image(`registry.example.com/kmod:\${KERNEL_FOO}`), bad("KERNEL_FOO")),
    row("164 a variable in a variable", image(`registry.example.com/kmod:\${\${KERNEL_X}}`), bad()),
    row("180 an architecture that is none", mapped({ arch: "x86 64" }), refused("schema", `${at}.arch`)),
    row("180 an architecture in capitals", mapped({ arch: "AMD64" }), refused("schema", `${at}.arch`)),
  ];
}

function builds(mapped: Build): readonly KindCase[] {
  const at = "spec.kernelMappings[0]";
  const dockerfileConfigMap = { name: "dockerfile" };
  const built = (more: JsonObject) => mapped({ build: { dockerfileConfigMap, ...more } });
  const argument = (name: string) => built({ buildArgs: [{ name, value: "1" }] });
  const signed = (more: JsonObject) => mapped({ sign: { ...secrets, unsignedImage: "a.example.com/a:1", ...more } });
  const badFile = (says?: string) => refused("admission", `${at}.sign.filesToSign`, says);
  const badName = refused("schema", `${at}.build.buildArgs[0].name`);
  const secret = { name: "login" };
  return [
    row("165 a build without a ConfigMap", mapped({ build: {} }), refused("schema", `${at}.build.dockerfileConfigMap`)),
    row("167 a build of whatever the Dockerfile says", built({}), accepted),
    // There is no such field: a server drops it, and the name is looked up in the Module's own namespace.
    row("168 a secret of another namespace", built({ secrets: [{ ...secret, namespace: "other" }] }), accepted),
    row("169 a secret twice", built({ secrets: [secret, secret] }), accepted),
    row("170 a build argument that is an option", argument("--x"), badName),
    row("170 a build argument with a value in its name", argument("A=1"), badName),
    row("170 a build argument of two lines", argument("A\nB"), badName),
    row(
      "170 ten thousand build arguments",
      built({ buildArgs: many(10_000, (index) => ({ name: `A${index}`, value: "1" })) }),
      refused("schema", `${at}.build.buildArgs`),
    ),
    row("171 a signature without a key", mapped({ sign: {} }), refused("schema", `${at}.sign.keySecret`)),
    row("172 files that lead up", signed({ filesToSign: ["/opt/../../etc/passwd"] }), badFile("..")),
    row("172 a file that is not absolute", signed({ filesToSign: ["etc/passwd"] }), badFile("absolute")),
    row("172 a file with a control character", signed({ filesToSign: ["/opt/a\u0001.ko"] }), badFile("control")),
    row("172 files by a pattern", signed({ filesToSign: ["/opt/lib/modules/*/a.ko"] }), accepted),
    row(
      "172 ten thousand files",
      signed({ filesToSign: many(10_000, (index) => `/opt/a${index}.ko`) }),
      refused("schema", `${at}.sign.filesToSign`),
    ),
    row(
      "178 two ways around TLS",
      mapped({ registryTLS: { insecure: true, insecureSkipTLSVerify: true } }),
      acceptedWith("has no effect"),
    ),
  ];
}

function loaders(loader: Loader): readonly KindCase[] {
  const at = "spec.moduleLoader.container";
  const modprobe = (more: JsonObject) => loader({ modprobe: { moduleName: "a", ...more } });
  const versioned = loader({ version: "1" });
  return [
    row(
      "173 firmware that leads up",
      modprobe({ firmwarePath: "/fw/../../etc" }),
      refused("admission", `${at}.modprobe.firmwarePath`, ".."),
    ),
    row(
      "174 a module that is a command",
      modprobe({ moduleName: "a; reboot" }),
      refused("schema", `${at}.modprobe.moduleName`),
    ),
    row(
      "174 a module that is a substitution",
      modprobe({ moduleName: "$(reboot)" }),
      refused("schema", `${at}.modprobe.moduleName`),
    ),
    row(
      "174 a parameter of two lines",
      modprobe({ parameters: ["a=1\nreboot"] }),
      refused("admission", `${at}.modprobe`, "control"),
    ),
    // Authors count on the shell taking these apart, and are root in that container anyway (0019).
    row("174 a parameter with a semicolon", modprobe({ parameters: ["a=1;b=2"] }), accepted),
    row("174 an end of options", modprobe({ args: { load: ["--"] } }), accepted),
    row(
      "175 an order with a cycle",
      modprobe({ modulesLoadingOrder: ["a", "b", "a"] }),
      refused("admission", `${at}.modprobe.modulesLoadingOrder`, "twice"),
    ),
    row("176 a module with a dash", modprobe({ moduleName: "a-b" }), accepted),
    row(
      "177 an in-tree module twice",
      loader({ inTreeModulesToRemove: ["c-d", "c_d"] }),
      refused("admission", at, "twice"),
    ),
    { ...row("181 a version that comes later", versioned, refused("admission", `${at}.version`)), old: loader({}) },
    { ...row("181 a version that goes", loader({}), refused("admission", `${at}.version`)), old: versioned },
    ...tolerations(loader),
  ];
}

/** 182: KMM's own list. */
function tolerations(loader: Loader): readonly KindCase[] {
  const borne = (toleration: JsonObject) => loader({}, { tolerations: [toleration] });
  const bad = (field: string) => refused("admission", `spec.tolerations[0].${field}`);
  return [
    row("182 a key that is no label key", borne({ key: "a b", operator: "Exists" }), bad("key")),
    row("182 an empty key with Equal", borne({ operator: "Equal", value: "x" }), bad("operator")),
    row(
      "182 seconds without NoExecute",
      borne({ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }),
      bad("effect"),
    ),
    row("182 a value that is no label value", borne({ key: "a", operator: "Equal", value: "x y" }), bad("value")),
    row("182 a value beside Exists", borne({ key: "a", operator: "Exists", value: "x" }), bad("value")),
    row("182 an operator of no kind", borne({ key: "a", operator: "Sometimes" }), bad("operator")),
    row("182 an effect of no kind", borne({ key: "a", operator: "Exists", effect: "Never" }), bad("effect")),
  ];
}
