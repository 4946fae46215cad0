// Kaniko, as kernel-module-management runs it: as root inside its container, with nothing beyond what any container has.
import type { JsonObject } from "../../../core/json/json.ts";
import { CONTEXT, DOCKERFILE, givenTo, LAST_WORDS, verbatim } from "./build-given.ts";
import type { BuildOrder } from "./build-order.ts";

/** Where kaniko looks for credentials, and does not clean up between stages. */
const REGISTRY_FOLDER = "/kaniko/.docker";

/** The pod spec; it meets the baseline of pod security. */
export function kanikoPod(order: BuildOrder, image: string): JsonObject {
  const { volumes, mounts } = givenTo(order, REGISTRY_FOLDER);
  return {
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        ...{ name: "build", image: withTag(image, order.kanikoTag), args: argsOf(order).map(verbatim) },
        ...{ securityContext: { allowPrivilegeEscalation: false }, volumeMounts: [...mounts] },
      },
    ],
    volumes: [...volumes],
  };
}

function argsOf({ image, args, imageTls, sourceTls }: BuildOrder): readonly string[] {
  const flag = (name: string, isSet: boolean) => (isSet ? [name] : []);
  return [
    ...[`--dockerfile=${DOCKERFILE}`, `--context=dir://${CONTEXT}`, `--destination=${image}`],
    ...[...args].map(([name, value]) => `--build-arg=${name}=${value}`),
    ...flag("--insecure", imageTls.isPlainHttp),
    ...flag("--skip-tls-verify", imageTls.isAnyCertificateFine),
    ...flag("--insecure-pull", sourceTls.isPlainHttp),
    ...flag("--skip-tls-verify-pull", sourceTls.isAnyCertificateFine),
    `--digest-file=${LAST_WORDS}`,
  ];
}

function withTag(image: string, tag = ""): string {
  return tag === "" ? image : `${image.replace(/@.*$/, "").replace(/:[^:/]*$/, "")}:${tag}`;
}
