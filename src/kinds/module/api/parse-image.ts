// Build and sign instructions of a mapping: its own over those for all mappings, as KMM merges them, but with nothing of the
// mapping ignored.
import type { z } from "zod";
import type { ImageTemplate } from "../../../core/values/image-template.ts";
import { durationMs } from "../../schema/duration-schema.ts";
import type { buildSchema, moduleSchema, signSchema } from "./schema-image.ts";
import type { Build, RegistryTls, Sign } from "./spec.ts";

const BUILD_TIMEOUT = "1h";
const BACKOFF_LIMIT = 3;

export type WrittenBuild = z.output<typeof buildSchema>;
export type WrittenSign = z.output<typeof signSchema>;
type WrittenTls = z.output<ReturnType<typeof moduleSchema.registryTls>>;

/** The build of a mapping; undefined where neither level has one. */
export function mergedBuild(all: WrittenBuild | undefined, own: WrittenBuild | undefined): Build | undefined {
  const written = own ?? all;
  if (written === undefined) return undefined;
  const args = [...(all?.buildArgs ?? []), ...(own?.buildArgs ?? [])];
  const secrets = [...(all?.secrets ?? []), ...(own?.secrets ?? [])].map(({ name }) => name);
  return {
    dockerfileConfigMap: written.dockerfileConfigMap.name,
    args: new Map(args.map(({ name, value = "" }) => [name, value])),
    secrets: [...new Set(secrets)],
    baseImageTls: readTls(own?.baseImageRegistryTLS ?? all?.baseImageRegistryTLS),
    kanikoTag: own?.kanikoParams?.tag ?? all?.kanikoParams?.tag,
    nodeSelector: own?.selector ?? all?.selector ?? {},
    timeoutMs: durationMs(own?.timeout ?? all?.timeout ?? BUILD_TIMEOUT),
    backoffLimit: own?.backoffLimit ?? all?.backoffLimit ?? BACKOFF_LIMIT,
  };
}

/** The signing of a mapping; the unsigned image is parsed by the caller, who knows where it stands. */
export function mergedSign(
  all: WrittenSign | undefined,
  own: WrittenSign | undefined,
  unsignedImage: ImageTemplate | undefined,
): Sign | undefined {
  const written = own ?? all;
  if (written === undefined) return undefined;
  const files = [...(all?.filesToSign ?? []), ...(own?.filesToSign ?? [])];
  return {
    keySecret: written.keySecret.name,
    certSecret: written.certSecret.name,
    unsignedImage,
    unsignedImageTls: readTls(own?.unsignedImageRegistryTLS ?? all?.unsignedImageRegistryTLS),
    files: [...new Set(files)],
  };
}

/** How a registry is reached; safely, if nothing else was written. */
export function readTls(written: WrittenTls | undefined): RegistryTls {
  return {
    isPlainHttp: written?.insecure === true,
    isAnyCertificateFine: written?.insecureSkipTLSVerify === true,
  };
}
