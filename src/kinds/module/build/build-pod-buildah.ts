// Buildah without root: two containers in place of a shell that runs two commands; the first builds, the second pushes.
import type { JsonObject } from "../../../core/json/json.ts";
import type { RegistryTls } from "../api/spec.ts";
import { CONTEXT, DOCKERFILE, givenTo, LAST_WORDS, REGISTRY_FOLDER, secretFolder, verbatim } from "./build-given.ts";
import type { BuildOrder } from "./build-order.ts";
import { rootless } from "./build-rootless.ts";
import { CERT_FILE, KEY_FILE } from "./sign-dockerfile.ts";

const STORAGE = "/storage";

/** The pod spec. The secrets of a build are where KMM's Dockerfiles look for them, in every command. */
export function buildahPod(order: BuildOrder, image: string): JsonObject {
  const { volumes, mounts } = givenTo(order);
  const auth = { name: "REGISTRY_AUTH_FILE", value: `${REGISTRY_FOLDER}/config.json` };
  const store = [`--root=${STORAGE}/root`, `--runroot=${STORAGE}/run`, "--storage-driver=vfs"];
  const step = (name: string, args: readonly string[]) => ({
    ...{ name, image, command: ["buildah"], args: [...store, ...args].map(verbatim) },
    env: order.pushSecret === undefined ? [] : [auth],
    securityContext: { ...rootless, capabilities: { add: ["SETUID", "SETGID"] } },
    volumeMounts: [...mounts, { name: "storage", mountPath: STORAGE }],
  });
  return {
    initContainers: [step("build", buildArgs(order))],
    containers: [step("push", pushArgs(order))],
    volumes: [...volumes, { name: "storage", emptyDir: {} }],
  };
}

function buildArgs({ stage, args, secrets, sourceTls, image }: BuildOrder): readonly string[] {
  const keys = [`--secret=id=key,src=${KEY_FILE}`, `--secret=id=cert,src=${CERT_FILE}`];
  const folders = secrets.map(({ place }) => `--volume=${secretFolder(place)}:${secretFolder(place)}:ro`);
  return [
    ...["build", "--isolation=chroot", `--tls-verify=${isVerified(sourceTls)}`],
    ...(stage === "sign" ? keys : folders),
    ...[...args].map(([name, value]) => `--build-arg=${name}=${value}`),
    ...[`--file=${DOCKERFILE}`, `--tag=${image}`, CONTEXT],
  ];
}

function pushArgs({ image, imageTls }: BuildOrder): readonly string[] {
  return ["push", `--tls-verify=${isVerified(imageTls)}`, `--digestfile=${LAST_WORDS}`, image];
}

function isVerified({ isPlainHttp, isAnyCertificateFine }: RegistryTls): boolean {
  return !isPlainHttp && !isAnyCertificateFine;
}
