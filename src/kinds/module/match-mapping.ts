// Whether a mapping suits a node: yes, no, or nobody can tell, since a fact that it asks for could not be read. One part that
// says no decides; a fact that is missing is never taken for a no.
import { type Fact, isUnknown } from "../../core/decision/fact.ts";
import { type KernelRelease, parseKernelRelease } from "../../core/kernel/kernel-release.ts";
import { type KernelRule, matchKernel } from "../../core/kernel/kernel-rule.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { type GoRegexp, matchesGoRegexp } from "../../core/values/go-regexp.ts";
import { shown, shownPattern } from "../../core/values/shown.ts";
import type { KernelMapping } from "./api/spec.ts";

export type Suits = { readonly suits: "yes" | "no" | "unknown"; readonly because: string };

/** Says whether every part of the mapping holds for the node, and why. */
export function matchMapping({ kernel, arch, osImage }: KernelMapping, node: NodeFacts): Suits {
  const parts = [
    kernelPart(kernel, node.kernel),
    ...(arch === undefined ? [] : [archPart(arch, node.architecture)]),
    ...(osImage === undefined ? [] : [osImagePart(osImage, node.os.raw)]),
  ];
  const decisive = parts.find(({ suits }) => suits === "no") ?? parts.find(({ suits }) => suits === "unknown");
  return decisive ?? { suits: "yes", because: parts.map(({ because }) => because).join(" and ") };
}

/** A plus sign at the end of a release may be left out, as in KMM, which never shows it to mappings. */
function kernelPart(rule: KernelRule, kernel: Fact<KernelRelease>): Suits {
  const whole = matchKernel(rule, kernel);
  if (whole.matched || !kernel.raw.endsWith("+")) return verdict(whole.matched, whole.because);
  const trimmed = matchKernel(rule, parseKernelRelease(kernel.raw.slice(0, -1)));
  return verdict(trimmed.matched, trimmed.matched ? trimmed.because : whole.because);
}

function archPart(wanted: string, arch: Fact<string>): Suits {
  if (isUnknown(arch)) return { suits: "unknown", because: arch.unknown };
  const because = `the architecture is ${shown(arch)}`;
  return arch === wanted ? verdict(true, because) : verdict(false, `${because}, not ${shown(wanted)}`);
}

/** The text itself is enough: a system that nobody knows can still be searched. */
function osImagePart(regexp: GoRegexp, osImage: string): Suits {
  if (osImage === "") return { suits: "unknown", because: "the node reports no OS image" };
  const matched = matchesGoRegexp(regexp, osImage);
  const verb = matched ? "matches" : "does not match";
  return verdict(matched, `OS image ${shown(osImage)} ${verb} ${shownPattern(regexp.pattern)}`);
}

function verdict(matched: boolean, because: string): Suits {
  return { suits: matched ? "yes" : "no", because };
}
