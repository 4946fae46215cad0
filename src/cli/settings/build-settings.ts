// The settings of builds and registries: who builds, how much at once, and where the operator may ask for images.
import { parse } from "yaml";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { parseImageReference } from "../../core/values/image-reference.ts";
import { quoted } from "../../core/values/shown.ts";
import { BUILD_SITE, BUILDER_IMAGES, type Builder } from "../../kinds/module/build/build-site.ts";
import { podTemplateProblems } from "../../kinds/pod-template/pod-template-problems.ts";

export const BUILD_SETTINGS = [
  {
    key: "builder",
    value: "name",
    fallback: "buildkit",
    help: "who builds images: buildkit, buildah, kaniko or template",
  },
  { key: "builderImage", value: "image", fallback: "", help: "the builder's image, in place of the usual one" },
  { key: "builderTemplate", value: "file", fallback: "", help: "the pod template of a builder of your own, as YAML" },
  { key: "signerImage", value: "image", fallback: BUILD_SITE.signerImage, help: "the image that signs kernel modules" },
  { key: "buildsMax", value: "count", fallback: "4", help: "builds that run at once in the whole cluster" },
  {
    key: "registryProbe",
    value: "bool",
    fallback: "true",
    help: "ask registries for images; false leaves that to builds and kubelets",
  },
  {
    key: "registryNetworks",
    value: "list",
    fallback: "",
    help: "networks besides the usual ones in which registries may be asked, such as 127.0.0.1/32",
  },
  {
    key: "registryTokenHosts",
    value: "list",
    fallback: "",
    help: "hosts of other domains that give tokens for a registry, as registry=host",
  },
  {
    key: "registryAuthorities",
    value: "file",
    fallback: "",
    help: "PEM certificates that registries may be signed by",
  },
] as const;

export const BUILDERS = ["buildkit", "buildah", "kaniko", "template"] as const;
export const BUILDS_MAX = 1_000;
const NETWORKS_MAX = 100;
const TOKEN_HOSTS_MAX = 1_000;
const HOST = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/;

/** Where the operator asks for images, besides what everybody allows. */
export type RegistrySettings = {
  readonly networks: readonly string[];
  /** Hosts that give tokens, by registry. */
  readonly tokenHosts: ReadonlyMap<string, readonly string[]>;
  /** PEM; empty for those of the machine alone. */
  readonly authorities: string;
};

/** What of a builder was written; it takes all three to know it. */
export type WrittenBuilder = { readonly name: string; readonly image: string; readonly template: string };

/** The builder, or what is wrong and with which of its settings. */
export function readBuilder({ name, image, template }: WrittenBuilder): Builder | BuilderFault {
  const is = BUILDERS.find((each) => each === name);
  if (is === undefined) return fault("builder", `${quoted(name)} is none of ${BUILDERS.join(", ")}`);
  if (is !== "template") {
    if (template !== "") return fault("builderTemplate", `is for builder template, and the builder is ${is}`);
    const wrong = image === "" ? undefined : imageFault(image);
    return wrong === undefined
      ? { is, image: image === "" ? BUILDER_IMAGES[is] : image }
      : fault("builderImage", wrong);
  }
  if (image !== "") return fault("builderImage", "has no effect with a template, which names its own images");
  if (template === "") return fault("builderTemplate", "is missing; name the file with the pod template");
  const parsed = readTemplate(template);
  return typeof parsed === "string" ? fault("builderTemplate", parsed) : { is, template: parsed };
}

export type BuilderFault = { readonly key: (typeof BUILD_SETTINGS)[number]["key"]; readonly message: string };

function fault(key: BuilderFault["key"], message: string): BuilderFault {
  return { key, message };
}

/** The template, or what is wrong with it. */
function readTemplate(text: string): JsonObject | string {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    return `is no YAML: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isJsonObject(content)) return "is no pod template: write metadata and spec";
  const { spec } = content;
  // Its pods end; a Job gives them the policy that says so.
  const judged = { ...content, spec: isJsonObject(spec) ? { ...spec, restartPolicy: "Always" } : (spec ?? null) };
  const problems = podTemplateProblems(judged, "template");
  return problems.length === 0 ? content : problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
}

/** A valid image, or what is wrong with it. */
export function readImage(text: string): { readonly image: string } | string {
  return imageFault(text) ?? { image: text };
}

function imageFault(text: string): string | undefined {
  const parsed = parseImageReference(text);
  return parsed.ok ? undefined : parsed.problems.map(({ message }) => message).join("; ");
}

/** How many builds may run at once. */
export function readBuildsMax(text: string): number | string {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= BUILDS_MAX ? count : `${quoted(text)} is no count; give 1 to ${BUILDS_MAX}`;
}

/** Networks, each an address with the number of bits that count. */
export function readNetworks(text: string): readonly string[] | string {
  const networks = itemsIn(text);
  if (networks.length > NETWORKS_MAX) return `names ${networks.length} networks; at most ${NETWORKS_MAX} are allowed`;
  const wrong = networks.find((network) => !isNetwork(network));
  return wrong === undefined ? networks : `${quoted(wrong)} is no network; write it as 10.0.0.0/8 or fd00::/8`;
}

function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (address.includes(":")) return Number(bits) <= 128 && URL.canParse(`http://[${address}]/`);
  const bytes = address.split(".");
  return (
    Number(bits) <= 32 &&
    bytes.length === 4 &&
    bytes.every((byte) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255)
  );
}

/** `registry=host` pairs; a host without a registry goes with the one before it. */
export function readTokenHosts(text: string): ReadonlyMap<string, readonly string[]> | string {
  const found = new Map<string, readonly string[]>();
  const items = itemsIn(text);
  if (items.length > TOKEN_HOSTS_MAX) return `names ${items.length} hosts; at most ${TOKEN_HOSTS_MAX} are allowed`;
  let registry = "";
  for (const item of items) {
    const at = item.indexOf("=");
    if (at >= 0) registry = item.slice(0, at);
    const host = item.slice(at + 1);
    if (!HOST.test(registry) || !HOST.test(host)) return `${quoted(item)}: write registry=host, both without a scheme`;
    found.set(registry, [...(found.get(registry) ?? []), host]);
  }
  return found;
}

/** Certificates, or why they are none. */
export function readAuthorities(text: string): { readonly pem: string } | string {
  const isPem = text === "" || /^-----BEGIN CERTIFICATE-----$/m.test(text);
  return isPem ? { pem: text } : "holds no PEM certificate";
}

function itemsIn(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
