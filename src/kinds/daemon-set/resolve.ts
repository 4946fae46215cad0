// What each node gets from a set: whether it should run a pod, and which. Nodes are asked once per change of theirs; nodes of one
// class share what was rendered for it.

import type { Parsed, Problem } from "../../core/decision/problem.ts";
import { fitted, type Resolution, unfit } from "../../core/decision/resolution.ts";
import type { Verdict } from "../../core/decision/verdict.ts";
import { explainLabels, matchLabels } from "../../core/labels/label-selector.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import {
  type Eligibility,
  explainDaemonEligibility,
  matchDaemonEligibility,
  type TaintedNode,
} from "../../core/scheduling/daemon-eligibility.ts";
import { shapedParts } from "../pod-template/pod-template-shapes.ts";
import { NOTHING_SOUND, soundParts } from "../pod-template/sound-parts.ts";
import type { AdvancedDaemonSet } from "./api/spec.ts";
import { KRUISE_POD_READY } from "./in-place/in-place-gate.ts";
import { createPatchMatcher, labelKeysOf, matchOf, type PatchMatch } from "./match-patches.ts";
import { IN_PLACE_GATE } from "./pods/pod-keys.ts";
import { type Rendered, type RenderGround, renderPods } from "./render.ts";
import { createTemplateIdentity } from "./revision/revision-template.ts";

export type Placement = Eligibility & {
  /** The pod that the node should run, or why there is none; whether it should run one is another question. */
  readonly rendering: Parsed<Rendered>;
  /** Where the patches of the node stand in spec.patches: the class of nodes that it is of. */
  readonly places: string;
  /** The update strategy lets the node have a new revision. */
  readonly isCandidate: boolean;
};

export type Resolver = {
  /** The same value for the same facts. */
  readonly place: (node: NodeFacts) => Placement;
  /** The answer for one node with every rule that was looked at. */
  readonly explain: (node: NodeFacts) => Resolution<Rendered>;
  /** The patches of a node, whatever they render. */
  readonly match: (node: NodeFacts) => PatchMatch;
  /** The labels by which nodes get their patches. */
  readonly labelKeys: readonly string[];
  /** The template without patches. */
  readonly plain: Parsed<Rendered>;
};

export type ResolveOptions = {
  /** While they are not, every node gets the template as it is. */
  readonly arePatchesEnabled: boolean;
};

const stays: Eligibility = Object.freeze({ shouldRun: false, shouldContinueRunning: true, isNodeLost: false });

/** Returns a resolver for a set, which remembers what it has answered as long as it lives. */
export function createResolver(set: AdvancedDaemonSet, { arePatchesEnabled }: ResolveOptions): Resolver {
  const { updateStrategy: strategy } = set;
  const isRolling = strategy.kind === "RollingUpdate";
  const { plain, render } = createRenderer(set, gatesOf(set));
  const patches = arePatchesEnabled ? set.patches : [];
  const matcher = createPatchMatcher(patches);
  const match = ({ labels }: NodeFacts) => matcher(labels);
  const candidates = isRolling ? strategy.candidates : undefined;
  const isCandidate = ({ labels }: NodeFacts) => candidates === undefined || matchLabels(candidates, labels);
  const placed = new WeakMap<NodeFacts, Placement>();
  return {
    ...{ match, plain, labelKeys: labelKeysOf(patches) },
    explain: (node) => explainPlacement(node, { set, match: match(node), rendering: render(match(node)), plain }),
    place(node) {
      const known = placed.get(node);
      if (known !== undefined) return known;
      const matched = match(node);
      const rendering = render(matched);
      const { places } = matched;
      const placement = { ...eligibilityOf(rendering, plain, node), rendering, places, isCandidate: isCandidate(node) };
      placed.set(node, placement);
      return placement;
    },
  };
}

/** Kruise's webhook for pods gives its gate to every pod of a set; here only those get it that will have to leave the service by it. */
function gatesOf({ updateStrategy: strategy, preDelete }: AdvancedDaemonSet): readonly string[] {
  const isInPlace = strategy.kind === "RollingUpdate" && strategy.isInPlacePreferred;
  return [...(isInPlace ? [IN_PLACE_GATE] : []), ...(preDelete?.isMarkedNotReady === true ? [KRUISE_POD_READY] : [])];
}

type Layers = Pick<AdvancedDaemonSet, "template" | "selector" | "patches">;

/** Renders the classes of one set. What they share is digested and checked once for all of them; of patches that is only the shape of their fields. */
export function createRenderer({ template, selector, patches }: Layers, gates: readonly string[]) {
  const usable = patches.filter(({ faults }) => faults.length === 0).map(({ patch }) => patch);
  const identityOf = createTemplateIdentity(template, usable);
  const untried: RenderGround = { template, selector, gates, identityOf, sound: NOTHING_SOUND };
  const plain = renderPods(untried, matchOf([]));
  const ground: RenderGround = plain.ok
    ? { ...untried, sound: soundParts(template, usable.map(shapedParts)) }
    : untried;
  const byPlaces = new Map([["", plain]]);
  const render = (match: PatchMatch): Parsed<Rendered> => {
    const rendering = byPlaces.get(match.places) ?? renderPods(ground, match);
    byPlaces.set(match.places, rendering);
    return rendering;
  };
  return { ground, plain, render };
}

/** Tolerations of patches count. Where nothing can be rendered, nothing is made, and what runs stays where the template lets it. */
function eligibilityOf(rendering: Parsed<Rendered>, plain: Parsed<Rendered>, node: NodeFacts): Eligibility {
  if (rendering.ok) return matchDaemonEligibility(rendering.value.eligibility, node);
  if (!plain.ok) return stays;
  // Patches cannot choose nodes, but they can tolerate taints: without them only the choice of nodes is certain.
  return matchDaemonEligibility(plain.value.eligibility, untainted(node));
}

function untainted({ name, labels }: NodeFacts): TaintedNode {
  return { name, labels, taints: [] };
}

type Ground = {
  readonly set: AdvancedDaemonSet;
  readonly match: PatchMatch;
  readonly rendering: Parsed<Rendered>;
  readonly plain: Parsed<Rendered>;
};

function explainPlacement(node: NodeFacts, { set, match, rendering, plain }: Ground): Resolution<Rendered> {
  const patches = set.patches.map(({ index, selector }): Verdict => {
    const verdict = explainLabels(`patches[${index}]`, selector, node.labels);
    const isUsed = match.patches.some((patch) => patch.index === index);
    return verdict.matched && !isUsed ? { ...verdict, matched: false, because: "patches are switched off" } : verdict;
  });
  const ground = rendering.ok ? rendering : plain;
  if (!ground.ok) return unfit("InvalidSpec", problemText(ground.problems), patches);
  const asked = rendering.ok ? node : untainted(node);
  const { eligibility, trail } = explainDaemonEligibility(ground.value.eligibility, asked);
  const all = [...patches, ...trail];
  if (!eligibility.shouldRun) {
    const last = trail.at(-1);
    if (eligibility.isNodeLost) return unfit("NodeNotReady", last?.because ?? "the node is not Ready", all);
    const reason = last?.rule === "tolerations" ? "TaintNotTolerated" : "AffinityMismatch";
    return unfit(reason, last?.because ?? "the template does not let it", all);
  }
  if (!rendering.ok) return unfit("PatchRejected", problemText(rendering.problems), all);
  return fitted(rendering.value, all);
}

/** The first problem, and how many more there are. */
export function problemText(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `${first.path}: ${first.message}${others}`;
}
