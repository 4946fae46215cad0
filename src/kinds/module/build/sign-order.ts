// The order to sign an image whose unsigned form is in the registry, by its digest: whatever is pushed there later is not signed.
import { imageReferenceText, parseImageReference } from "../../../core/values/image-reference.ts";
import type { Module } from "../api/spec.ts";
import type { Goal, Make } from "./build-goal.ts";
import { automaticArgs, type BuildOrder, orderBasis, SIGN_LIMITS, selectorFor } from "./build-order.ts";
import type { BuildSite } from "./build-site.ts";
import { signDockerfile } from "./sign-dockerfile.ts";

export type SignInput = {
  readonly module: Module;
  readonly goal: Goal;
  readonly make: Extract<Make, { is: "sign" }>;
  /** Undefined where registries are not asked: then the tag has to do. */
  readonly digest: string | undefined;
  readonly site: BuildSite;
};

/** The order, or why there can be none: a clause that can follow "because". */
export function signOrder({ module, goal, make, digest, site }: SignInput): BuildOrder | { readonly because: string } {
  const { need, sign, source } = make;
  const subject = { kernel: need.kernel, arch: need.arch, module };
  const { build } = need.mapping;
  const text = signDockerfile(subject, {
    ...{ unsignedImage: pinned(source.image, digest), signerImage: site.signerImage, files: sign.files },
  });
  if (!text.ok) return { because: text.problems.map(({ path, message }) => `${path} ${message}`).join("; ") };
  return {
    ...orderBasis(subject),
    ...{ stage: "sign", image: goal.image, imageTls: goal.tls, dockerfile: { text: text.value } },
    recipe: make.recipe,
    args: automaticArgs(subject),
    secrets: [
      { name: sign.keySecret, place: "key" },
      { name: sign.certSecret, place: "cert" },
    ],
    sourceTls: source.tls,
    nodeSelector: selectorFor(need.arch, build?.nodeSelector ?? {}),
    timeoutMs: build?.timeoutMs ?? SIGN_LIMITS.timeoutMs,
    backoffLimit: build?.backoffLimit ?? SIGN_LIMITS.backoffLimit,
    kanikoTag: build?.kanikoTag,
  };
}

function pinned(image: string, digest: string | undefined): string {
  const parsed = parseImageReference(image);
  if (!parsed.ok || digest === undefined || digest === "") return image;
  return imageReferenceText({ ...parsed.value, tag: undefined, digest });
}
