// Which patches of a set apply to a node, by its labels. A fleet has many nodes and few distinct sets of the labels that the
// selectors ask for, so each of those is matched once.
import type { Labels } from "../../core/labels/label-requirement.ts";
import { type LabelSelector, matchLabels } from "../../core/labels/label-selector.ts";
import type { NodePatch } from "./api/spec.ts";

/** The patches of one class of nodes, in the order in which they are applied; equal classes share one value. */
export type PatchMatch = {
  /** Their places in spec.patches in the order of application, as the pod records them: `2,0`; empty for none. */
  readonly places: string;
  readonly patches: readonly NodePatch[];
};

/** So many distinct sets of labels are remembered; whoever has more gains nothing from remembering. */
export const LABEL_SETS_MAX = 4096;

/** A label cannot hold either of these, so no two sets of labels have one text. */
const ABSENT = "-";
const PRESENT = "=";

/** Returns a matcher for these patches, which stand in the order of application. */
export function createPatchMatcher(patches: readonly NodePatch[]): (labels: Labels) => PatchMatch {
  const keys = labelKeysOf(patches);
  const byLabels = new Map<string, PatchMatch>();
  const byPlaces = new Map<string, PatchMatch>();
  return (labels) => {
    const asked = askedLabels(keys, labels);
    const known = byLabels.get(asked);
    if (known !== undefined) return known;
    const found = matchOf(patches.filter(({ selector }) => matchLabels(selector, labels)));
    const match = byPlaces.get(found.places) ?? found;
    if (byLabels.size === LABEL_SETS_MAX) byLabels.clear();
    byLabels.set(asked, match);
    byPlaces.set(match.places, match);
    return match;
  };
}

/** The labels that decide which of the patches apply to a node. */
export function labelKeysOf(patches: readonly NodePatch[]): readonly string[] {
  return [...new Set(patches.flatMap(({ selector }) => keysOf(selector)))];
}

/** The match of exactly these patches. */
export function matchOf(patches: readonly NodePatch[]): PatchMatch {
  return { places: patches.map(({ index }) => index).join(","), patches };
}

function keysOf(selector: LabelSelector): readonly string[] {
  return selector.kind === "nothing" ? [] : selector.requirements.map(({ key }) => key);
}

function askedLabels(keys: readonly string[], labels: Labels): string {
  let text = "";
  for (const key of keys) text += Object.hasOwn(labels, key) ? `${PRESENT}${labels[key]}\n` : `${ABSENT}\n`;
  return text;
}
