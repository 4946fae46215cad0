// What a node gets from a Module, before anything is rendered: an image for its kernel, nothing, or what it has. Every node
// gets exactly one answer, with the rules that led to it; nodes that agree in all that the rules read share one answer.

import { isUnknown } from "../../core/decision/fact.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import { unfit } from "../../core/decision/resolution.ts";
import type { Verdict } from "../../core/decision/verdict.ts";
import { nearestMiss } from "../../core/kernel/nearest-miss.ts";
import { labelSafe } from "../../core/labels/label-safe.ts";
import { explainLabels } from "../../core/labels/label-selector.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { withDaemonTolerations } from "../../core/scheduling/daemon-tolerations.ts";
import {
  findUntoleratedTaint,
  isLostToTaints,
  parseTolerations,
  type Taint,
  type Toleration,
  taintText,
} from "../../core/scheduling/taints.ts";
import { renderImageTemplate } from "../../core/values/image-template.ts";
import { quoted, shown } from "../../core/values/shown.ts";
import type { Driver, KernelMapping, Module } from "./api/spec.ts";
import { matchMapping } from "./match-mapping.ts";
import { kernelLabelValue, labelIn, wantedVersionLabel } from "./module-labels.ts";

/** What nodes of one kernel run: the content of one DaemonSet. */
export type Fit = {
  /** Names the DaemonSet within the Module; the value of the label that binds a node to it. */
  readonly key: string;
  /** The release, letter by letter. */
  readonly kernel: string;
  readonly mapping: KernelMapping;
  /** The image with its variables filled in. */
  readonly image: string;
  readonly version: string | undefined;
};

export type Outcome = {
  readonly gets:
    | {
        readonly kind: "fit";
        readonly fit: Fit;
        /** Of all nodes that share this answer, in Go's words; empty where they do not say. */
        readonly arch: string;
        /** False: a pod that is there may stay, but none would be started. */
        readonly canStart: boolean;
      }
    | { readonly kind: "nothing" }
    /** It keeps what it runs, also if that is nothing. */
    | { readonly kind: "same" };
  /** The Module is for this node, whether or not it can serve it. */
  readonly isInScope: boolean;
  readonly reason: Reason;
  /** A clause that can follow "because". */
  readonly because: string;
  readonly trail: readonly Verdict[];
};

type Answer = Pick<Outcome, "gets" | "reason" | "because">;

const nothing: Outcome["gets"] = Object.freeze({ kind: "nothing" });
const same: Outcome["gets"] = Object.freeze({ kind: "same" });
const NO_DIRECTORY = /[/:]|[^ -~]|^\.+$/u;
const evicting: readonly string[] = ["NoExecute"];
const blocking: readonly string[] = ["NoExecute", "NoSchedule"];

/** The tolerations that the driver's pods have in the end: daemons bear what drains a node of other pods. */
export function podTolerations({ writtenTolerations }: Module): readonly Toleration[] {
  return parseTolerations(withDaemonTolerations(writtenTolerations, false), { comparisonOperators: true });
}

/** Resolves one node; `tolerations` are those of the pods. */
export function resolveNode(module: Module, tolerations: readonly Toleration[], node: NodeFacts): Outcome {
  const scope = explainLabels("selector", module.selector, node.labels);
  if (!scope.matched) return outside("NotSelected", scope.because, [scope]);
  if (node.isLeaving) return outside("NodeLeaving", "the node is being deleted", [scope]);
  const version = versionVerdict(module, node);
  const taint = findUntoleratedTaint(node.taints, tolerations, blocking);
  const trail = [scope, ...(version === undefined ? [] : [version]), taintVerdict(taint, node)];
  const { driver } = module;
  if (driver === undefined) return inside(pluginAnswer(taint), trail);
  if (version?.matched === false) return inside(versionAnswer(module, node, version), trail);
  const driven = findUntoleratedTaint(node.taints, tolerations, evicting);
  if (driven !== undefined) return inside(taintAnswer(driven), trail);
  const answer = driverAnswer(module, driver, node, trail);
  if (taint === undefined || answer.gets.kind !== "fit") return inside(answer, trail);
  const { reason, because } = taintAnswer(taint);
  const isLost = isLostToTaints(node.taints, tolerations);
  return inside(
    { reason: isLost ? "NodeNotReady" : reason, because, gets: { ...answer.gets, canStart: false } },
    trail,
  );
}

/** The first mapping that matches wins; the trail is added to. */
function driverAnswer(module: Module, driver: Driver, node: NodeFacts, trail: Verdict[]): Answer {
  const { kernel } = node;
  if (kernel.raw === "")
    return unknownAnswer(isUnknown(kernel) ? kernel.unknown : "the node reports no kernel release");
  // The loader mounts a directory of that name: what Kubernetes refuses there would hold up more than this node.
  if (NO_DIRECTORY.test(kernel.raw)) return unknownAnswer(`kernel release ${quoted(kernel.raw)} cannot be a directory`);
  let unread: string | undefined;
  for (const mapping of driver.mappings) {
    const { suits, because } = matchMapping(mapping, node);
    trail.push({ rule: mapping.place, matched: suits === "yes" && unread === undefined, because });
    // A mapping that stands before the one that matches might have won: nobody can tell.
    if (suits === "unknown") unread ??= `${because}, which ${mapping.place} asks for`;
    else if (suits === "yes")
      return unread === undefined ? fitAnswer(module, driver, mapping, node, because) : unknownAnswer(unread);
  }
  return unread === undefined ? unmappedAnswer(driver, node) : unknownAnswer(unread);
}

function fitAnswer(
  module: Module,
  { version }: Driver,
  mapping: KernelMapping,
  { kernel, architecture }: NodeFacts,
  because: string,
): Answer {
  const subject = { kernel, moduleName: module.name, moduleNamespace: module.namespace };
  const image = renderImageTemplate(mapping.image, subject, `${mapping.place}.containerImage`);
  if (!image.ok) {
    const message = image.problems.map(({ message: text }) => text).join("; ");
    return { gets: same, reason: "ImageInvalid", because: message };
  }
  const fit: Fit = {
    key: fitKey(kernel.raw, mapping, version),
    kernel: kernel.raw,
    mapping,
    image: image.value,
    version,
  };
  const arch = typeof architecture === "string" ? architecture : "";
  return { gets: { kind: "fit", fit, arch, canStart: true }, reason: "Fitted", because };
}

/**
 * One kernel, one DaemonSet; but where mappings tell nodes of one kernel apart by more than that, or versions follow each other,
 * that counts too. The image does not: another image for the same nodes is an update.
 */
function fitKey(kernel: string, { arch, osImage }: KernelMapping, version: string | undefined): string {
  if (arch === undefined && osImage === undefined && version === undefined) return kernelLabelValue(kernel);
  return labelSafe(JSON.stringify([kernel, version ?? null, arch ?? null, osImage?.pattern ?? null]));
}

function unmappedAnswer({ mappings }: Driver, { kernel }: NodeFacts): Answer {
  const miss = nearestMiss(
    mappings.map((mapping) => mapping.kernel),
    kernel,
  );
  const nearest = miss === undefined ? "" : `; the nearest miss: ${miss.because}`;
  const because = `kernel ${shown(kernel.raw)} ${matchesNone(mappings.length)}${nearest}`;
  return { gets: nothing, reason: "KernelUnmapped", because };
}

function matchesNone(count: number): string {
  if (count === 0) return "has no mapping to match";
  return count === 1 ? "does not match the only mapping" : `matches none of the ${count} mappings`;
}

function unknownAnswer(because: string): Answer {
  return { gets: same, reason: "FactUnknown", because };
}

function taintAnswer(taint: Taint): Answer {
  return {
    gets: nothing,
    reason: "TaintNotTolerated",
    because: `no toleration covers taint ${shown(taintText(taint))}`,
  };
}

/** A Module without a driver has nothing to load: its device plugin runs wherever it may. */
function pluginAnswer(taint: Taint | undefined): Answer {
  return taint === undefined
    ? { gets: nothing, reason: "Fitted", because: "the Module is a device plugin alone" }
    : taintAnswer(taint);
}

/** Which version the node's owner asks for; undefined for a Module without versions. */
function versionVerdict(module: Module, { labels }: NodeFacts): Verdict | undefined {
  const version = module.driver?.version;
  if (version === undefined) return undefined;
  const label = wantedVersionLabel(module);
  const wanted = labelIn(labels, label);
  const finding = wanted === undefined ? "absent" : quoted(wanted);
  return { rule: "version", matched: wanted === version, because: `label ${label} is ${finding}` };
}

/** Upgrades are ordered by the owners of nodes: another version stays, and a node without one is given up. */
function versionAnswer(module: Module, { labels }: NodeFacts, { because }: Verdict): Answer {
  const isHeld = labelIn(labels, wantedVersionLabel(module)) !== undefined;
  const asked = `${because}, and the Module's version is ${quoted(module.driver?.version)}`;
  return { gets: isHeld ? same : nothing, reason: "VersionNotAsked", because: asked };
}

function taintVerdict(taint: Taint | undefined, { taints }: NodeFacts): Verdict {
  const rule = "tolerations";
  if (taint !== undefined) return { rule, matched: false, because: taintAnswer(taint).because };
  return { rule, matched: true, because: taints.length === 0 ? "there are no taints" : "all taints are tolerated" };
}

function inside({ gets, reason, because }: Answer, trail: readonly Verdict[]): Outcome {
  return { gets, isInScope: true, reason, because, trail: unfit(reason, because, trail).trail };
}

function outside(reason: Reason, because: string, trail: readonly Verdict[]): Outcome {
  return { gets: nothing, isInScope: false, reason, because, trail };
}
