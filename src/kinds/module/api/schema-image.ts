// Where a Module's image comes from when the registry does not have it: built and signed in the cluster.
import { TEMPLATE_LENGTH_MAX } from "../../../core/values/image-template.ts";
import { durationSchema } from "../../schema/duration-schema.ts";
import { kubeSchema } from "../../schema/kube-schema.ts";

export const BUILD_ARGS_MAX = 100;
export const FILES_TO_SIGN_MAX = 256;
export const BACKOFF_LIMIT_MAX = 10;
const SECRETS_MAX = 32;
const NAME_MAX = 253;

/** Builders that several files of the kind use. */
export const moduleSchema = {
  reference: (description: string) =>
    kubeSchema.shape(description, {
      name: kubeSchema.text("Its name, in the namespace of the Module.", { max: NAME_MAX, min: 1 }),
    }),
  registryTls: (description: string) =>
    kubeSchema.shape(description, {
      insecure: kubeSchema.flag("Speak plain HTTP with the registry.").optional(),
      insecureSkipTLSVerify: kubeSchema.flag("Accept any certificate of the registry.").optional(),
    }),
  image: (description: string) => kubeSchema.text(description, { max: TEMPLATE_LENGTH_MAX }),
} as const;

const buildArgSchema = kubeSchema.shape("One argument of the build.", {
  name: kubeSchema.text("The name, as ARG has it in the Dockerfile.", {
    ...{ max: 128, min: 1, pattern: /^[A-Za-z_][A-Za-z0-9_]*$/ },
    form: "a name of letters, digits and _",
  }),
  value: kubeSchema.text("The value.", { max: 4096 }).optional(),
});

/** A build in the cluster: at the level of a mapping it adds to the one for all. */
export const buildSchema = kubeSchema.shape(
  "How the image is built in the cluster when the registry does not have it.",
  {
    dockerfileConfigMap: moduleSchema.reference("The ConfigMap that holds the Dockerfile under the key dockerfile."),
    buildArgs: kubeSchema
      .list("Arguments; one of a mapping takes the place of the one of the same name.", buildArgSchema, {
        ...{ max: BUILD_ARGS_MAX, type: "atomic" },
      })
      .optional(),
    secrets: kubeSchema
      .list("Secrets for the build, each below /run/secrets.", moduleSchema.reference("A Secret."), {
        ...{ max: SECRETS_MAX, type: "atomic" },
      })
      .optional(),
    baseImageRegistryTLS: moduleSchema.registryTls("How the registry of base images is reached.").optional(),
    kanikoParams: kubeSchema
      .shape("For the builder kaniko.", { tag: kubeSchema.text("The tag of its image.", { max: 128 }).optional() })
      .optional(),
    selector: kubeSchema
      .textMap("Labels of the nodes that may build.", { max: 64, keyMax: 317, valueMax: 63 })
      .optional(),
    timeout: durationSchema.of("How long a build may take; 1h if absent.").optional(),
    backoffLimit: kubeSchema
      .wholeNumber("How often a failed build is tried again; 3 if absent.", { min: 0, max: BACKOFF_LIMIT_MAX })
      .optional(),
  },
);

/** Signing in the cluster: at the level of a mapping it adds to the one for all. */
export const signSchema = kubeSchema.shape("How kernel modules in the image are signed in the cluster.", {
  keySecret: moduleSchema.reference("The Secret that holds the private key under the key key."),
  certSecret: moduleSchema.reference("The Secret that holds the certificate under the key cert."),
  unsignedImage: moduleSchema.image("The image to sign; that of the build without it.").optional(),
  unsignedImageRegistryTLS: moduleSchema.registryTls("How the registry of the unsigned image is reached.").optional(),
  filesToSign: kubeSchema
    .list(
      "Paths of the files in the image, below dirName.",
      kubeSchema.text("A path or pattern.", { max: 1024, min: 1 }),
      {
        ...{ max: FILES_TO_SIGN_MAX, type: "atomic" },
      },
    )
    .optional(),
});
