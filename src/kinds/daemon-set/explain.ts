// What one node gets from a set, and why: the rules that were looked at, the fields that patches set, and what the rollout waits for.

import type { Hold } from "../../core/decision/plan.ts";
import type { Reason } from "../../core/decision/reasons.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import type { PatchLayer } from "../../core/strategic-merge/strategic-merge.ts";
import type { Explanation, FieldOrigin } from "../kind.ts";
import { fieldOrigins } from "../pod-template/field-origins.ts";
import type { PatchMatch } from "./match-patches.ts";
import type { Observed } from "./observe.ts";
import { isAvailable, livingPods, type NodeView, standingOn } from "./pods/node-pods.ts";
import { REVISION_HASH } from "./pods/pod-keys.ts";
import type { Standing } from "./pods/standing.ts";
import { withoutDirective } from "./revision/revision-template.ts";

/** Fields of patches that an explanation lists; more are counted. */
export const FIELDS_MAX = 50;

/** What is known of the whole set. */
export type ExplainGround = {
  readonly observed: Observed;
  readonly views: ReadonlyMap<string, NodeView>;
  /** What the decision holds nodes back for. */
  readonly held: ReadonlyMap<string, Hold>;
  readonly nowMs: number;
};

/** Explains one node. */
export function explainNode({ observed, views, held, nowMs }: ExplainGround, node: NodeFacts): Explanation {
  const { resolver, set } = observed;
  const resolution = resolver.explain(node);
  const view = views.get(node.name);
  const match = resolver.match(node);
  const rendered = resolution.outcome === "fitted" ? resolution.variant : undefined;
  const hold = held.get(node.name);
  const fields = rendered && fieldOrigins(withoutDirective(set.template), layersOf(match));
  return {
    ...{ node: node.name, ...verdictOf(resolution, view, hold, { minReadySeconds: set.minReadySeconds, nowMs }) },
    trail: resolution.trail,
    gets: rendered === undefined ? "" : variantName(rendered.places),
    runs: (view === undefined ? [] : livingPods(view)).map(({ name }) => name).join(", "),
    facts: {
      ...revisionFacts(observed, view),
      ...(rendered === undefined ? {} : { rendered: rendered.hash }),
      ...(hold === undefined ? {} : { "waits for": hold.because }),
      ...provenance(fields ?? []),
    },
    ...(fields === undefined ? {} : { fields, otherFields: "the template" }),
  };
}

/** How a class of nodes is called: `template`, or `template + patches 2,0`. */
export function variantName(places: string): string {
  return places === "" ? "template" : `template + patches ${places}`;
}

type Verdict = { readonly reason: Reason; readonly because: string };
type Age = { readonly minReadySeconds: number; readonly nowMs: number };

function verdictOf(
  resolution: ReturnType<Observed["resolver"]["explain"]>,
  view: NodeView | undefined,
  hold: Hold | undefined,
  { minReadySeconds, nowMs }: Age,
): Verdict {
  if (resolution.outcome === "unfit") return { reason: resolution.reason, because: resolution.because };
  if (hold !== undefined) return { reason: hold.reason, because: hold.because };
  const [pod] = view?.current ?? [];
  if (pod === undefined) return { reason: "RolloutInProgress", because: "the pod that it should run is not there yet" };
  if (isAvailable(pod, minReadySeconds, nowMs)) return { reason: "Fitted", because: `pod ${pod.name} serves` };
  return { reason: "Progressing", because: `pod ${pod.name} does not serve yet` };
}

function revisionFacts({ history, rule }: Observed, view: NodeView | undefined): Labels {
  if (view === undefined) return { revision: history.update.hash };
  const standing = (pod: DaemonPod): Standing => standingOn(pod, view.placement, rule);
  const running = livingPods(view).map((pod) => `${pod.labels[REVISION_HASH] ?? "none"} (${standing(pod)})`);
  return { revision: history.update.hash, ...(running.length === 0 ? {} : { "runs revision": running.join(", ") }) };
}

function layersOf({ patches }: PatchMatch): readonly PatchLayer[] {
  return patches.map(({ index, patch }) => ({ name: `patches[${index}]`, patch }));
}

/** The same as facts, for who did not ask for all of it. */
function provenance(fields: readonly FieldOrigin[]): Labels {
  const shown = fields
    .slice(0, FIELDS_MAX)
    .map(({ field, value, from }) => [field, `${value === "" ? "gone" : value} (${from})`] as const);
  const more = fields.length - shown.length;
  return Object.fromEntries(more > 0 ? [...shown, ["…", `${more} more fields`]] : shown);
}
