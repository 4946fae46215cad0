// What one Job has to do, whoever does it: which Dockerfile with which arguments becomes which image. Its identity names the Job, so
// that the same order is never carried out twice at once, and another one starts anew.

import { contentHash } from "../../../core/hash/content-hash.ts";
import { canonicalJson } from "../../../core/json/canonical-json.ts";
import type { Json, JsonObject } from "../../../core/json/json.ts";
import type { Build, Module, RegistryTls } from "../api/spec.ts";
import { buildRecipe, type Dockerfile, type Recipe } from "./build-recipe.ts";
import type { BuildSite } from "./build-site.ts";
import type { ImageNeed } from "./image-need.ts";

export type Stage = "build" | "sign";

export type BuildOrder = {
  readonly stage: Stage;
  /** What it is for; the Dockerfile is told the kernel. */
  readonly kernel: string;
  readonly arch: string;
  /** Where the result is pushed to. */
  readonly image: string;
  readonly imageTls: RegistryTls;
  readonly dockerfile: Dockerfile;
  /** What the result is known by later; not what names the Job. */
  readonly recipe: Recipe;
  readonly args: ReadonlyMap<string, string>;
  /** Secrets of the namespace; the files of each are at `/run/secrets/<place>`. */
  readonly secrets: readonly { readonly name: string; readonly place: string }[];
  readonly sourceTls: RegistryTls;
  readonly pushSecret: string | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly JsonObject[];
  readonly timeoutMs: number;
  readonly backoffLimit: number;
  readonly kanikoTag: string | undefined;
  readonly rebuildTrigger: number | undefined;
};

/** How a build is limited where it has no limits of its own: signing without a build. */
export const SIGN_LIMITS = { timeoutMs: 1_800_000, backoffLimit: 3 } as const;

/** What every order of a Module for a kernel has in common. */
export function orderBasis({ module, kernel, arch }: OrderSubject) {
  return {
    ...{ kernel, arch, tolerations: module.writtenTolerations },
    ...{ pushSecret: module.imageSecret, rebuildTrigger: module.rebuildTrigger },
  };
}

export type OrderSubject = Pick<ImageNeed, "kernel" | "arch"> & { readonly module: Module };

/** Where the result goes, and how its registry is reached. */
export type BuildTarget = { readonly image: string; readonly tls: RegistryTls };

/** The order to build an image; the automatic arguments take the place of those of the same name, as in KMM. */
export function buildOrder(
  subject: OrderSubject,
  build: Build,
  { image, tls, dockerfile }: BuildTarget & { readonly dockerfile: Dockerfile },
): BuildOrder {
  return {
    ...orderBasis(subject),
    ...{ stage: "build", image, imageTls: tls, dockerfile, recipe: buildRecipe(build, dockerfile) },
    args: new Map([...build.args, ...automaticArgs(subject)]),
    secrets: build.secrets.map((name) => ({ name, place: name })),
    sourceTls: build.baseImageTls,
    nodeSelector: selectorFor(subject.arch, build.nodeSelector),
    ...{ timeoutMs: build.timeoutMs, backoffLimit: build.backoffLimit, kanikoTag: build.kanikoTag },
  };
}

/** The kernel letter by letter: it is the name of a folder below /lib/modules. */
export function automaticArgs({ kernel, module }: OrderSubject): ReadonlyMap<string, string> {
  return new Map([
    ["KERNEL_VERSION", kernel],
    ["KERNEL_FULL_VERSION", kernel],
    ["MOD_NAME", module.name],
    ["MOD_NAMESPACE", module.namespace],
  ]);
}

/** Machines of another architecture could build it only by pretending to be of this one. */
export function selectorFor(arch: string, own: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return arch === "" ? own : { "kubernetes.io/arch": arch, ...own };
}

/** Equal for equal orders that the same site would carry out in the same manner, different for any others. */
export function orderIdentity(order: BuildOrder, { builder, signerImage }: BuildSite): string {
  const { recipe: _, args, kanikoTag = null, pushSecret = null, rebuildTrigger = null, ...rest } = order;
  const by: Json = builder.is === "template" ? builder.template : [builder.is, builder.image];
  const signer = order.stage === "sign" ? signerImage : null;
  return contentHash(
    canonicalJson({
      ...rest,
      args: [...args].map(([...pair]) => pair),
      kanikoTag,
      pushSecret,
      rebuildTrigger,
      by,
      signer,
    }),
  );
}
