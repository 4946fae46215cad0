// The mappings of a Module: each becomes a compiled rule with its image, and with what it inherits from the level above.
import type { z } from "zod";
import type { Parsed } from "../../../core/decision/problem.ts";
import { exactKernelRule, isDefaultRule, type KernelRule, regexpKernelRule } from "../../../core/kernel/kernel-rule.ts";
import { parseKernelRule } from "../../../core/kernel/kernel-rule-grammar.ts";
import { compileGoRegexp } from "../../../core/values/go-regexp.ts";
import type { ImageTemplate } from "../../../core/values/image-template.ts";
import { problem } from "../../schema/admission.ts";
import type { Collected } from "../../schema/collected.ts";
import { type ImageOwner, parseImageField } from "../../schema/image-field.ts";
import { mergedBuild, mergedSign, readTls, type WrittenBuild, type WrittenSign } from "./parse-image.ts";
import type { mappingsSchema } from "./schema-loader.ts";
import type { KernelMapping, RegistryTls } from "./spec.ts";

type WrittenMapping = z.output<typeof mappingsSchema>[number];
type WrittenTls = WrittenMapping["registryTLS"];

/** What mappings inherit. */
export type MappingDefaults = {
  readonly owner: ImageOwner;
  readonly containerImage?: string | undefined;
  readonly build?: WrittenBuild | undefined;
  readonly sign?: WrittenSign | undefined;
  readonly registryTLS?: WrittenTls;
  readonly inTreeModulesToRemove?: readonly string[] | undefined;
  readonly inTreeModuleToRemove?: string | undefined;
  /** Where the level above stands. */
  readonly place: string;
};

/** The mappings in their order; one with problems is left out, and its problems are noted. */
export function parseMappings(
  mappings: readonly WrittenMapping[],
  defaults: MappingDefaults,
  path: string,
  door: Collected,
): readonly KernelMapping[] {
  return mappings.flatMap((written, index): readonly KernelMapping[] => {
    const place = `${path}[${index}]`;
    const kernel = door.take(parseKernel(written, place));
    const image = imageOf(written, defaults, place, door);
    const osImage =
      written.osImage === undefined ? undefined : door.take(compileGoRegexp(written.osImage, `${place}.osImage`));
    if (kernel === undefined || image === undefined) return [];
    const build = mergedBuild(defaults.build, written.build);
    const sign = mergedSign(defaults.sign, written.sign, unsignedOf(written, defaults, place, door));
    if (sign !== undefined && build === undefined && sign.unsignedImage === undefined)
      door.note(problem(`${place}.sign.unsignedImage`, "is required without build: name the image to sign"));
    const registryTls: RegistryTls = readTls(written.registryTLS ?? defaults.registryTLS);
    const inTreeModulesToRemove = removalsOf(written) ?? removalsOf(defaults) ?? [];
    return [{ place, kernel, arch: written.arch, osImage, image, build, sign, registryTls, inTreeModulesToRemove }];
  });
}

/** KMM's empty texts mean that there is none. */
function parseKernel({ literal = "", regexp = "", kernel = "" }: WrittenMapping, place: string): Parsed<KernelRule> {
  if (literal !== "") return exactKernelRule(literal, `${place}.literal`);
  if (regexp !== "") return regexpKernelRule(regexp, `${place}.regexp`);
  const rule = parseKernelRule(kernel, `${place}.kernel`);
  if (!rule.ok || !isDefaultRule(rule.value)) return rule;
  return {
    ok: false,
    problems: problem(`${place}.kernel`, "default matches no kernel by itself; * matches every one"),
  };
}

function imageOf(
  { containerImage = "" }: WrittenMapping,
  { containerImage: inherited = "", owner, place: above }: MappingDefaults,
  place: string,
  door: Collected,
): ImageTemplate | undefined {
  const isOwn = containerImage !== "";
  const text = isOwn ? containerImage : inherited;
  const path = isOwn ? `${place}.containerImage` : `${above}.containerImage`;
  if (text !== "") return door.take(parseImageField(text, owner, { path, needsTag: true }));
  door.note(problem(`${place}.containerImage`, "is required: neither the mapping nor the level above names an image"));
  return undefined;
}

function unsignedOf(
  { sign }: WrittenMapping,
  defaults: MappingDefaults,
  place: string,
  door: Collected,
): ImageTemplate | undefined {
  const own = sign?.unsignedImage ?? "";
  const text = own === "" ? (defaults.sign?.unsignedImage ?? "") : own;
  const path = own === "" ? `${defaults.place}.sign.unsignedImage` : `${place}.sign.unsignedImage`;
  return text === "" ? undefined : door.take(parseImageField(text, defaults.owner, { path, needsTag: true }));
}

function removalsOf(
  level: Pick<MappingDefaults, "inTreeModulesToRemove" | "inTreeModuleToRemove">,
): readonly string[] | undefined {
  const { inTreeModulesToRemove, inTreeModuleToRemove = "" } = level;
  return inTreeModulesToRemove ?? (inTreeModuleToRemove === "" ? undefined : [inTreeModuleToRemove]);
}
