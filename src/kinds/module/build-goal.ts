// An image as something to be had: in a registry, or to be made. An image that is signed is made from another one, which may have to
// be made first, under a name of its own: the final name never stands for anything unsigned.
import { contentHash } from "../../core/content-hash.ts";
import { type ImageReference, imageReferenceText, parseImageReference } from "../../core/image-reference.ts";
import { renderImageTemplate } from "../../core/image-template.ts";
import { parseKernelRelease } from "../../core/kernel-release.ts";
import { shown } from "../../core/shown.ts";
import { type BuildOrder, buildOrder, orderIdentity } from "./build-order.ts";
import type { BuildSite } from "./build-site.ts";
import type { ImageNeed } from "./image-need.ts";
import type { Build, Module, RegistryTls, Sign } from "./spec.ts";

export type Goal = {
  readonly image: string;
  readonly tls: RegistryTls;
  readonly make: Make;
  /** Its name follows from what it is made of, so that nothing else is ever found under it. */
  readonly isNamedByContent: boolean;
};

export type Make =
  /** Somebody else makes it. */
  | { readonly is: "not" }
  /** It should be made and cannot: a clause that can follow "because". */
  | { readonly is: "impossible"; readonly because: string }
  /** One order per kernel that needs it; any of them will do, and only one is carried out. */
  | { readonly is: "build"; readonly orders: readonly [BuildOrder, ...BuildOrder[]] }
  | { readonly is: "sign"; readonly source: Goal; readonly sign: Sign; readonly need: ImageNeed };

const TAG_LENGTH_MAX = 128;
const UNSIGNED = "_unsigned_";
const HASH_CHARS = 12;

/** The goal for one image, from all needs of it; there is at least one. */
export function goalOf(module: Module, needs: readonly [ImageNeed, ...ImageNeed[]], site: BuildSite): Goal {
  const [first] = needs;
  const maker = needs.find(({ mapping }) => mapping.build !== undefined || mapping.sign !== undefined);
  const { image, mapping } = maker ?? first;
  const goal = { image, tls: mapping.registryTls, isNamedByContent: false };
  if (maker === undefined) return { ...goal, make: { is: "not" } };
  const fault = faultOf(image, needs);
  if (fault !== undefined) return { ...goal, make: { is: "impossible", because: fault } };
  return { ...goal, make: makeOf(module, maker, needs, site) };
}

/** Why an image that is not there cannot be made. */
function faultOf(image: string, needs: readonly ImageNeed[]): string | undefined {
  const parsed = parseImageReference(image);
  if (!parsed.ok || parsed.value.digest !== undefined)
    return "a build pushes to a tag, and the image is named by its digest; name it by a tag";
  const arches = [...new Set(needs.map(({ arch }) => arch))].filter((arch) => arch !== "");
  if (arches.length <= 1) return undefined;
  return `one build cannot serve ${arches.join(" and ")}; give each architecture a mapping with arch and an image of its own`;
}

function makeOf(module: Module, maker: ImageNeed, needs: readonly ImageNeed[], site: BuildSite): Make {
  const { image, mapping } = maker;
  const { build, sign, registryTls: tls } = mapping;
  if (sign === undefined) return build === undefined ? { is: "not" } : buildOf(module, build, needs, { image, tls });
  const named = sign.unsignedImage === undefined ? undefined : renderUnsigned(module, sign.unsignedImage, maker);
  if (named !== undefined && "because" in named) return { is: "impossible", because: named.because };
  if (named?.image === image)
    return { is: "impossible", because: "sign.unsignedImage is the image itself; give one of them another tag" };
  const source = sourceOf(module, maker, { needs, build, sign, named: named?.image, site });
  return { is: "sign", source, sign, need: maker };
}

type SourceParts = {
  readonly needs: readonly ImageNeed[];
  readonly build: Build | undefined;
  readonly sign: Sign;
  readonly named: string | undefined;
  readonly site: BuildSite;
};

/** What is signed: the image that the author names, built if it is not there; else what the build makes, under a name of ours. */
function sourceOf(module: Module, maker: ImageNeed, { needs, build, sign, named, site }: SourceParts): Goal {
  const ownTls = maker.mapping.registryTls;
  if (build === undefined)
    return { image: named ?? "", tls: sign.unsignedImageTls, make: { is: "not" }, isNamedByContent: false };
  if (named !== undefined) {
    const make = buildOf(module, build, needs, { image: named, tls: sign.unsignedImageTls });
    return { image: named, tls: sign.unsignedImageTls, make, isNamedByContent: false };
  }
  const plain = buildOrder({ ...maker, module }, build, { image: maker.image, tls: ownTls });
  const image = unsignedName(maker.image, orderIdentity(plain, site));
  const order = { ...plain, image };
  return { image, tls: ownTls, make: { is: "build", orders: [order] }, isNamedByContent: true };
}

function buildOf(
  module: Module,
  build: Build,
  needs: readonly ImageNeed[],
  target: { readonly image: string; readonly tls: RegistryTls },
): Make {
  const orders = needs.map(({ kernel, arch, mapping }) =>
    buildOrder({ kernel, arch, module }, mapping.build ?? build, target),
  );
  const [first, ...others] = orders;
  return first === undefined ? { is: "not" } : { is: "build", orders: [first, ...others] };
}

/** The tag of the image with a mark and a hash of what the image is made of; cut where tags end. */
function unsignedName(image: string, identity: string): string {
  const parsed = parseImageReference(image);
  const reference: ImageReference = parsed.ok
    ? parsed.value
    : { domain: undefined, path: image, tag: undefined, digest: undefined };
  const end = `${UNSIGNED}${contentHash(identity).slice(0, HASH_CHARS)}`;
  const { tag = "latest" } = reference;
  return imageReferenceText({ ...reference, tag: `${tag.slice(0, TAG_LENGTH_MAX - end.length)}${end}` });
}

function renderUnsigned(module: Module, template: NonNullable<Sign["unsignedImage"]>, { kernel }: ImageNeed) {
  const subject = {
    ...{ kernel: parseKernelRelease(kernel), moduleName: module.name, moduleNamespace: module.namespace },
  };
  const rendered = renderImageTemplate(template, subject, "sign.unsignedImage");
  if (rendered.ok) return { image: rendered.value };
  return { because: rendered.problems.map(({ message }) => shown(message)).join("; ") };
}
