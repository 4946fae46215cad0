// BuildKit without root, its daemon and its client in one container for one build.

import type { JsonObject } from "../../../core/json/json.ts";
import { imageLocation, parseImageReference } from "../../../core/values/image-reference.ts";
import {
  CONTEXT,
  fromAnnotation,
  givenTo,
  LAST_WORDS,
  REGISTRY_FOLDER,
  secretFolder,
  verbatim,
} from "./build-given.ts";
import type { BuildOrder } from "./build-order.ts";
import { rootless } from "./build-rootless.ts";
import { CERT_FILE, KEY_FILE } from "./sign-dockerfile.ts";

/** The annotation of the pod that becomes the daemon's configuration. */
export const BUILDKITD_ANNOTATION = "module.farrier.dev/buildkitd";
const CONFIG_FOLDER = "/run/buildkitd";
const STORAGE = "/home/user/.local/share/buildkit";

/**
 * Builds with the arguments that it is given, letter by letter, and leaves the digest as the last words. The client replaces the file that
 * it writes, which it could not do with the one that the kubelet reads.
 */
const METADATA = `${STORAGE}/metadata.json`;
const DIGEST = 's/.*"containerimage.digest": *"\\(sha256:[a-f0-9]*\\)".*/\\1/p';
const SCRIPT = `"$0" "$@" --metadata-file=${METADATA} && sed -n '${DIGEST}' ${METADATA} > ${LAST_WORDS}`;

/** The pod. A secret of a build is a context of its name: `RUN --mount=type=bind,from=<secret>,target=/run/secrets/<secret>`. */
export function buildkitPod(order: BuildOrder, image: string) {
  const { volumes, mounts } = givenTo(order);
  const config = daemonConfig(order);
  const hasConfig = config !== "";
  const flags = ["--oci-worker-no-process-sandbox", ...(hasConfig ? [`--config=${CONFIG_FOLDER}/buildkitd.toml`] : [])];
  const configVolume = { name: "buildkitd", ...fromAnnotation(BUILDKITD_ANNOTATION, "buildkitd.toml") };
  const env = [
    { name: "BUILDKITD_FLAGS", value: flags.join(" ") },
    { name: "DOCKER_CONFIG", value: REGISTRY_FOLDER },
  ];
  const volumeMounts = [
    ...[...mounts, { name: "storage", mountPath: STORAGE }],
    ...(hasConfig ? [{ name: "buildkitd", mountPath: CONFIG_FOLDER, readOnly: true }] : []),
  ];
  const command = ["sh", "-c", SCRIPT, "buildctl-daemonless.sh"];
  const args = argsOf(order).map(verbatim);
  const spec: JsonObject = {
    containers: [{ ...{ name: "build", image, command, args, env }, securityContext: rootless, volumeMounts }],
    volumes: [...volumes, { name: "storage", emptyDir: {} }, ...(hasConfig ? [configVolume] : [])],
  };
  return { annotations: hasConfig ? { [BUILDKITD_ANNOTATION]: config } : {}, spec };
}

function argsOf({ stage, args, secrets, image, imageTls }: BuildOrder): readonly string[] {
  const isInsecure = imageTls.isPlainHttp || imageTls.isAnyCertificateFine;
  const contexts = secrets.flatMap(({ place }) => [
    ...[`--local=${place}=${secretFolder(place)}`, `--opt=context:${place}=local:${place}`],
  ]);
  const keys = [`--secret=id=key,src=${KEY_FILE}`, `--secret=id=cert,src=${CERT_FILE}`];
  return [
    ...["build", "--progress=plain", "--frontend=dockerfile.v0"],
    ...[`--local=context=${CONTEXT}`, `--local=dockerfile=${CONTEXT}`],
    ...[...args].map(([name, value]) => `--opt=build-arg:${name}=${value}`),
    ...(stage === "sign" ? keys : contexts),
    `--output=type=image,name=${image},push=true${isInsecure ? ",registry.insecure=true" : ""}`,
  ];
}

/** The daemon is told of unsafe registries by host. Of base images only a host that we know can be named: that of the target. */
function daemonConfig({ image, imageTls, sourceTls }: BuildOrder): string {
  const isPlain = imageTls.isPlainHttp || sourceTls.isPlainHttp;
  const isUnsafe = isPlain || imageTls.isAnyCertificateFine || sourceTls.isAnyCertificateFine;
  const parsed = parseImageReference(image);
  if (!parsed.ok || !isUnsafe) return "";
  const { domain } = imageLocation(parsed.value);
  return `[registry.${JSON.stringify(domain)}]\n${isPlain ? "http = true\n" : ""}insecure = true\n`;
}
