// An image as something to be had: in a registry, or to be made. An image that is signed is made from another one, which may have to
// be made first, under a name of its own: the final name never stands for anything unsigned.

import type { Reason } from "../../../core/decision/reasons.ts";
import type { ConfigText } from "../../../core/decision/snapshot.ts";
import { contentHash } from "../../../core/hash/content-hash.ts";
import { parseKernelRelease } from "../../../core/kernel/kernel-release.ts";
import { type ImageReference, imageReferenceText, parseImageReference } from "../../../core/values/image-reference.ts";
import { renderImageTemplate } from "../../../core/values/image-template.ts";
import { shown } from "../../../core/values/shown.ts";
import type { Build, Module, RegistryTls, Sign } from "../api/spec.ts";
import { type BuildOrder, type BuildTarget, buildOrder, orderIdentity } from "./build-order.ts";
import { type Dockerfile, type Recipe, signRecipe } from "./build-recipe.ts";
import type { BuildSite } from "./build-site.ts";
import type { ImageNeed } from "./image-need.ts";

export type Goal = {
  readonly image: string;
  readonly tls: RegistryTls;
  readonly make: Make;
  /** What any order for it would make it from; none where nobody makes it, or where that is not known. */
  readonly recipes: readonly Recipe[];
  /** Its name follows from what it is made of, so that nothing else is ever found under it. */
  readonly isNamedByContent: boolean;
};

export type Make =
  /** Somebody else makes it. */
  | { readonly is: "not" }
  /** It should be made and cannot: a clause that can follow "because". */
  | { readonly is: "impossible"; readonly because: string }
  /** It should be made, and what from is not known yet or not there. */
  | { readonly is: "unknown"; readonly reason: Reason; readonly because: string }
  /** One order per kernel that needs it; any of them will do, and only one is carried out. */
  | { readonly is: "build"; readonly orders: readonly [BuildOrder, ...BuildOrder[]] }
  | {
      readonly is: "sign";
      readonly source: Goal;
      readonly sign: Sign;
      readonly need: ImageNeed;
      readonly recipe: Recipe;
    };

export type GoalInput = {
  readonly module: Module;
  readonly site: BuildSite;
  /** What a ConfigMap of the Module's namespace holds as a Dockerfile. */
  readonly dockerfile: (configMap: string) => ConfigText;
};

const TAG_LENGTH_MAX = 128;
const UNSIGNED = "_unsigned_";
const HASH_CHARS = 12;

/** The goal for one image, from all needs of it; there is at least one. */
export function goalOf(needs: readonly [ImageNeed, ...ImageNeed[]], input: GoalInput): Goal {
  const [first] = needs;
  const maker = needs.find(({ mapping }) => mapping.build !== undefined || mapping.sign !== undefined);
  const { image, mapping } = maker ?? first;
  const goal = { image, tls: mapping.registryTls, isNamedByContent: false, recipes: [] };
  if (maker === undefined) return { ...goal, make: { is: "not" } };
  const fault = faultOf(image, needs);
  if (fault !== undefined) return { ...goal, make: { is: "impossible", because: fault } };
  const make = makeOf(maker, needs, input);
  return { ...goal, make, recipes: recipesOf(make) };
}

function recipesOf(make: Make): readonly Recipe[] {
  if (make.is === "build") return make.orders.map(({ recipe }) => recipe);
  return make.is === "sign" ? [make.recipe] : [];
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

function makeOf(maker: ImageNeed, needs: readonly ImageNeed[], input: GoalInput): Make {
  const { image, mapping } = maker;
  const { build, sign, registryTls: tls } = mapping;
  if (sign === undefined) return build === undefined ? { is: "not" } : buildOf(build, needs, { image, tls }, input);
  const named = sign.unsignedImage === undefined ? undefined : renderUnsigned(input.module, sign.unsignedImage, maker);
  if (named !== undefined && "because" in named) return { is: "impossible", because: named.because };
  if (named?.image === image)
    return { is: "impossible", because: "sign.unsignedImage is the image itself; give one of them another tag" };
  const source = sourceOf(maker, needs, { build, sign, named: named?.image }, input);
  if (source.make.is === "unknown") return source.make;
  const recipe = signRecipe(sign, { recipe: source.recipes[0], image: source.image });
  return { is: "sign", source, sign, need: maker, recipe };
}

type SourceParts = {
  readonly build: Build | undefined;
  readonly sign: Sign;
  readonly named: string | undefined;
};

/** What is signed: the image that the author names, built if it is not there; else what the build makes, under a name of ours. */
function sourceOf(
  maker: ImageNeed,
  needs: readonly ImageNeed[],
  { build, sign, named }: SourceParts,
  input: GoalInput,
): Goal {
  const goal = { image: named ?? "", tls: sign.unsignedImageTls, recipes: [], isNamedByContent: false };
  if (build === undefined) return { ...goal, make: { is: "not" } };
  if (named !== undefined) {
    const make = buildOf(build, needs, { image: named, tls: sign.unsignedImageTls }, input);
    return { ...goal, make, recipes: recipesOf(make) };
  }
  const tls = maker.mapping.registryTls;
  const make = buildOf(build, [maker], { image: maker.image, tls }, input);
  if (make.is !== "build") return { ...goal, make };
  const [plain] = make.orders;
  const image = unsignedName(maker.image, orderIdentity(plain, input.site));
  const orders = [{ ...plain, image }] as const;
  return { image, tls, make: { is: "build", orders }, recipes: [plain.recipe], isNamedByContent: true };
}

function buildOf(build: Build, needs: readonly ImageNeed[], target: BuildTarget, input: GoalInput): Make {
  const orders: BuildOrder[] = [];
  for (const { kernel, arch, mapping } of needs) {
    const own = mapping.build ?? build;
    const dockerfile = dockerfileOf(own.dockerfileConfigMap, input);
    if ("is" in dockerfile) return dockerfile;
    orders.push(buildOrder({ kernel, arch, module: input.module }, own, { ...target, dockerfile }));
  }
  const [first, ...others] = orders;
  return first === undefined ? { is: "not" } : { is: "build", orders: [first, ...others] };
}

/** The Dockerfile itself, so that what names the Job is what is built; the ConfigMap's name only where we may not read it. */
function dockerfileOf(configMap: string, { dockerfile }: GoalInput): Dockerfile | Extract<Make, { is: "unknown" }> {
  const found = dockerfile(configMap);
  switch (found.is) {
    case "present":
      return { text: found.text };
    case "withheld":
      return { configMap };
    case "absent":
      return { is: "unknown", reason: "BuildInputMissing", because: found.because };
    case "unread":
      return { is: "unknown", reason: "WaitingForImage", because: `ConfigMap "${configMap}" has not been read yet` };
  }
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
