// How a site builds: with which builder, how much at once, and whether registries may be asked. Handed in when the kind is made.
import type { JsonObject } from "../../../core/json/json.ts";

export type BuildSite = {
  readonly builder: Builder;
  /** The image that signs: it must have `sign-file` and a shell. */
  readonly signerImage: string;
  /** Builds that run at once in the whole cluster. */
  readonly runningMax: number;
  /** What the container of a builder may use. */
  readonly resources: JsonObject;
  /**
   * Whether the operator asks registries. Where it does not, and for images whose pull secret it may not read, a build that succeeded
   * is believed, its Job is kept as the memory of that, and what is not built is left to the kubelet to find.
   */
  readonly registry: "asked" | "unasked";
};

export type Builder =
  | { readonly is: "buildkit" | "buildah" | "kaniko"; readonly image: string }
  /** The site's own pod template; what it is given is in build-pod-template.ts. */
  | { readonly is: "template"; readonly template: JsonObject };

export const BUILDER_IMAGES = Object.freeze({
  buildkit: "docker.io/moby/buildkit:v0.25.1-rootless",
  buildah: "quay.io/buildah/stable:v1.41.5",
  kaniko: "gcr.io/kaniko-project/executor:v1.24.0",
});

export const BUILD_SITE: BuildSite = Object.freeze({
  builder: Object.freeze({ is: "buildkit", image: BUILDER_IMAGES.buildkit }),
  signerImage: "quay.io/edge-infrastructure/kernel-module-management-signimage:latest",
  runningMax: 4,
  resources: Object.freeze({ requests: Object.freeze({ cpu: "500m", memory: "512Mi" }) }),
  registry: "asked",
});
