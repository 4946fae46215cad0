// What a node of the fleet gets from a VariantSet, before anything is rendered: a variant, nothing, or what it has.
// Every node gets exactly one answer, with the rules that led to it.
import { isUnknown } from "../../core/decision/fact.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { Verdict } from "../../core/decision/verdict.ts";
import { explainLabels } from "../../core/labels/label-selector.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { quoted, shown } from "../../core/values/shown.ts";
import type { Scope, Variant, VariantSet } from "./api/spec.ts";
import { matchVariant } from "./match.ts";

export type Outcome = {
  readonly gets:
    | { readonly kind: "variant"; readonly variant: Variant }
    | { readonly kind: "nothing" }
    /** It keeps what it runs, also if that is nothing. */
    | { readonly kind: "same" };
  /** Out of scope: the node counts nowhere, and our label leaves it. */
  readonly isExcluded: boolean;
  readonly reason: Reason;
  /** The variant that the rules give it, also where it cannot run there; undefined where they give none. */
  readonly variant: string | undefined;
  /** A clause that can follow "because". */
  readonly because: string;
  readonly trail: readonly Verdict[];
};

type Answer = Omit<Outcome, "trail" | "isExcluded" | "variant"> & { readonly isExcluded?: boolean };

/** Resolves one node. */
export function resolveNode(set: VariantSet, node: NodeFacts): Outcome {
  const scope = scopeVerdict(set.scope, node);
  // Nobody knows whether the set is for it at all, so it gets nothing new, whatever onUnknown says of nodes in scope.
  if (scope === "unknown") return answer(kept("the node reports no operating system yet"), []);
  if (!scope.matched) return answer(excluded("NotSelected", scope.because), [scope]);
  if (node.isLeaving) return answer(excluded("NodeLeaving", "the node is being deleted"), [scope]);
  const trail: Verdict[] = [scope];
  let unread: string | undefined;
  for (const variant of set.variants) {
    const { suits, because } = matchVariant(variant.match, node);
    trail.push({
      rule: `variants[${quoted(variant.name)}]`,
      matched: suits === "yes" && unread === undefined,
      because,
    });
    // A rule that stands before the one that matches might have won: first match wins only among rules that can be read.
    if (suits === "unknown") unread ??= `${because}, which variant ${quoted(variant.name)} asks for`;
    else if (suits === "yes") {
      return answer(unread === undefined ? fits(variant, because) : unknownAnswer(set, unread), trail);
    }
  }
  if (unread !== undefined) return answer(unknownAnswer(set, unread), trail);
  return answer(fallbackAnswer(set, "no variant matches the node"), trail);
}

/** What the set does with a node of which nobody can tell what it needs. */
function unknownAnswer(set: VariantSet, because: string): Answer {
  switch (set.onUnknown) {
    case "Hold":
      return kept(because);
    case "None":
      return { gets: { kind: "nothing" }, reason: "FactUnknown", because };
    case "Default":
      return fallbackAnswer(set, because);
  }
}

function fallbackAnswer({ fallback }: VariantSet, because: string): Answer {
  switch (fallback.kind) {
    case "none":
      return { gets: { kind: "nothing" }, reason: "NoVariant", because: `${because}, and the set has no default` };
    case "hold":
      return { gets: { kind: "same" }, reason: "NoVariant", because: `${because}, and the set's default is to hold` };
    case "variant":
      return { gets: fallback, reason: "DefaultUsed", because };
  }
}

function fits(variant: Variant, because: string): Answer {
  return { gets: { kind: "variant", variant }, reason: "Fitted", because };
}

function kept(because: string): Answer {
  return { gets: { kind: "same" }, reason: "FactUnknown", because };
}

function excluded(reason: Reason, because: string): Answer {
  return { gets: { kind: "nothing" }, isExcluded: true, reason, because };
}

function answer(given: Answer, trail: readonly Verdict[]): Outcome {
  const variant = given.gets.kind === "variant" ? given.gets.variant.name : undefined;
  return { isExcluded: false, ...given, variant, trail };
}

const OS_LABEL = "kubernetes.io/os";

function scopeVerdict(scope: Scope, node: NodeFacts): Verdict | "unknown" {
  if (scope.kind === "selected") return explainLabels("nodeSelector", scope.selector, node.labels);
  const { operatingSystem: reported, labels } = node;
  // A kubelet labels its node before it reports more.
  const system = isUnknown(reported) && Object.hasOwn(labels, OS_LABEL) ? (labels[OS_LABEL] ?? "") : reported;
  if (isUnknown(system)) return "unknown";
  return { rule: "nodeSelector", matched: system === "linux", because: `the operating system is ${shown(system)}` };
}
