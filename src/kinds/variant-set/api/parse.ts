// From a stored VariantSet, which nobody is trusted to have checked, to the value that decisions work with.
//
// This folder is the API of VariantSet. Beside this file:
//   schema.ts, schema-status.ts, crd.ts  the fields and the definition
//   spec.ts                              the parsed value, which the rest of the kind reads
//   validate.ts                          admission
//   idle-rules.ts, match-cover.ts        warnings for variants that never get a node
import type { z } from "zod";
import type { Parsed } from "../../../core/decision/problem.ts";
import { isDefaultRule, type KernelRule } from "../../../core/kernel/kernel-rule.ts";
import { parseKernelRule } from "../../../core/kernel/kernel-rule-grammar.ts";
import { dns1123SubdomainFault, labelKeyFault } from "../../../core/labels/label-syntax.ts";
import { compileGoRegexp } from "../../../core/values/go-regexp.ts";
import { type ImageTemplate, namesKernel } from "../../../core/values/image-template.ts";
import { quoted, shown } from "../../../core/values/shown.ts";
import { containerNames, podTemplateProblems } from "../../pod-template/pod-template-problems.ts";
import { patchProblems } from "../../pod-template/template-patch.ts";
import { problem } from "../../schema/admission.ts";
import { type Collected, collected } from "../../schema/collected.ts";
import { durationMs } from "../../schema/duration-schema.ts";
import { type ImageOwner, parseImageField } from "../../schema/image-field.ts";
import { parseLabelSelector } from "../../schema/label-selector-schema.ts";
import { parseNumberRule } from "../../schema/number-rule.ts";
import { type ReadObject, readObject } from "../../schema/read-spec.ts";
import { schemaProblems } from "../../schema/schema-problems.ts";
import { readUpdateStrategy } from "../../schema/update-strategy-schema.ts";
import { ownLabelProblems } from "../label-reads.ts";
import { ownNodeLabel, SET_NAME_MAX } from "../set-labels.ts";
import { defaultVariantSchema, variantSetSpecSchema } from "./schema.ts";
import {
  DEFAULT_VARIANT,
  type Fallback,
  type RuledVariant,
  type Scope,
  type Variant,
  type VariantMatch,
  type VariantSet,
} from "./spec.ts";

type Written = z.output<typeof variantSetSpecSchema>;
type WrittenVariant = Written["variants"][number];
type WrittenChange = z.output<typeof defaultVariantSchema>;

/** Where a variant stands and what it changes. */
type Ground = { readonly owner: ImageOwner; readonly spec: Written; readonly door: Collected };

/** Parses a VariantSet of any shape; never throws. */
export function parseVariantSet(object: unknown): Parsed<VariantSet> {
  const read = readObject(variantSetSpecSchema, object);
  return read.ok ? parseRead(read.value) : read;
}

function parseRead(read: ReadObject<Written>): Parsed<VariantSet> {
  const { name, namespace, spec } = read;
  const door = collected();
  const ground: Ground = { owner: read, spec, door };
  door.note(podTemplateProblems(spec.template, "spec.template"));
  if (name.length > SET_NAME_MAX)
    door.note(
      problem(
        "metadata.name",
        `has ${name.length} characters; at most ${SET_NAME_MAX} fit a label of a node; choose a shorter one`,
      ),
    );
  const settled = door.settle({
    name,
    namespace,
    scope: scopeOf(spec, door),
    template: spec.template,
    variants: spec.variants.map((variant, index) => ruledVariant(variant, `spec.variants[${index}]`, ground)),
    fallback: fallbackOf(ground),
    onUnknown: spec.onUnknown,
    nodeLabel: nodeLabelOf(read, door),
    updateStrategy: readUpdateStrategy(spec.updateStrategy),
    pruneAfterMs: durationMs(spec.prune.after),
    isImageRequired: spec.requireImage,
    daemonSetsMax: spec.maxVariants,
  });
  const problems = settled.ok ? ownLabelProblems(settled.value) : [];
  return problems.length === 0 ? settled : { ok: false, problems };
}

function nodeLabelOf({ spec, name, namespace }: ReadObject<Written>, door: Collected): string {
  const own = ownNodeLabel({ name, namespace });
  const { nodeLabel = own } = spec;
  const fault = labelKeyFault(nodeLabel);
  if (fault !== undefined) door.note(problem("spec.nodeLabel", `label key ${quoted(nodeLabel)} ${fault}`));
  else if (nodeLabel !== own) door.note(foreignKeyProblems(nodeLabel, own));
  return nodeLabel;
}

/** Keys of Kubernetes and of other sets are not ours to write. */
function foreignKeyProblems(key: string, own: string) {
  const [prefix = ""] = key.includes("/") ? key.split("/") : [];
  const owner = /(^|\.)(kubernetes\.io|k8s\.io)$/.test(prefix)
    ? "Kubernetes"
    : /(^|\.)farrier\.dev$/.test(prefix)
      ? "another VariantSet"
      : undefined;
  if (owner === undefined) return [];
  return problem("spec.nodeLabel", `label key ${quoted(key)} belongs to ${owner}; leave the field out to use ${own}`);
}

function scopeOf({ nodeSelector }: Written, door: Collected): Scope {
  const selector = nodeSelector && door.take(parseLabelSelector(nodeSelector, "spec.nodeSelector"));
  return selector === undefined ? { kind: "all-linux" } : { kind: "selected", selector };
}

function fallbackOf(ground: Ground): Fallback {
  const { default: written } = ground.spec;
  if (written === undefined || written === "None") return { kind: "none" };
  if (written === "Hold") return { kind: "hold" };
  const path = "spec.default";
  const parsed = defaultVariantSchema.safeParse(written);
  if (parsed.success) return { kind: "variant", variant: variantOf(DEFAULT_VARIANT, parsed.data, path, ground) };
  ground.door.note(schemaProblems(parsed.error.issues, written, path));
  return { kind: "none" };
}

function ruledVariant(written: WrittenVariant, path: string, ground: Ground): RuledVariant {
  const { name, match } = written;
  if (name === DEFAULT_VARIANT)
    ground.door.note(problem(`${path}.name`, `${quoted(name)} is the name of spec.default; choose another`));
  return { ...variantOf(name, written, path, ground), match: matchOf(match, `${path}.match`, ground.door) };
}

function variantOf(name: string, written: WrittenChange, path: string, ground: Ground): Variant {
  const { images = {}, patch, daemonSetName } = written;
  const { spec, door } = ground;
  if (patch !== undefined) {
    const templateProblems = podTemplateProblems(spec.template, "");
    door.note(
      patchProblems(patch, { template: spec.template, selector: undefined, templateProblems }, `${path}.patch`),
    );
  }
  const parsed = imagesOf(images, `${path}.images`, ground);
  const kernelImage = [...parsed.values()].find(namesKernel);
  if (daemonSetName !== undefined && kernelImage !== undefined) {
    const why = `names one DaemonSet, and image ${quoted(kernelImage.text)} gives each kernel its own; leave one of them out`;
    door.note(problem(`${path}.daemonSetName`, why));
  }
  const nameFault = daemonSetName && dns1123SubdomainFault(daemonSetName);
  if (nameFault) door.note(problem(`${path}.daemonSetName`, `${quoted(daemonSetName)} ${nameFault}`));
  return { name, place: path, images: parsed, patch, daemonSetName };
}

/** Containers that a message names. */
const CONTAINERS_SHOWN_MAX = 8;

function imagesOf(
  images: Readonly<Record<string, string>>,
  path: string,
  { owner, spec, door }: Ground,
): ReadonlyMap<string, ImageTemplate> {
  const known = containerNames(spec.template);
  const entries = Object.entries(images).flatMap(([container, text]): readonly (readonly [string, ImageTemplate])[] => {
    const at = `${path}[${quoted(container)}]`;
    if (!known.includes(container))
      door.note(
        problem(
          at,
          `the template has no container ${quoted(container)}; it has ${known.slice(0, CONTAINERS_SHOWN_MAX).map(shown).join(", ")}`,
        ),
      );
    const image = door.take(parseImageField(text, owner, { path: at, needsTag: false }));
    return image === undefined ? [] : [[container, image]];
  });
  return new Map(entries);
}

function matchOf(written: WrittenVariant["match"], path: string, door: Collected): VariantMatch {
  const { kernel, os, osImage, arch, runtime, labels } = written;
  return {
    kernel: kernel === undefined ? undefined : kernelOf(kernel, `${path}.kernel`, door),
    os: os && {
      id: os.id,
      version: os.version === undefined ? undefined : door.take(parseNumberRule(os.version, `${path}.os.version`)),
    },
    osImage: osImage === undefined ? undefined : door.take(compileGoRegexp(osImage, `${path}.osImage`)),
    arch,
    runtime,
    labels: labels && door.take(parseLabelSelector(labels, `${path}.labels`)),
  };
}

function kernelOf(text: string, path: string, door: Collected): KernelRule | undefined {
  const rule = door.take(parseKernelRule(text, path));
  if (rule !== undefined && isDefaultRule(rule))
    door.note(problem(path, `${quoted(text)} matches no kernel by itself; say in spec.default what other nodes get`));
  return rule;
}
