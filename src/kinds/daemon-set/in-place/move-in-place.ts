// Taking a node in place: whether the pod that it runs can become the one that it should run, and the writes for it.

import { isJsonObject, type JsonObject } from "../../../core/json/json.ts";
import type { DaemonPod } from "../../../core/pod/daemon-pod.ts";
import { matchOf } from "../match-patches.ts";
import type { Observed } from "../observe.ts";
import type { NodeView } from "../pods/node-pods.ts";
import { identityLabels } from "../pods/pod-body.ts";
import { APPLIED_PATCHES, REVISION_HASH } from "../pods/pod-keys.ts";
import { mergePatches, type Rendered } from "../render.ts";
import { revisionWithHash } from "../revision/history.ts";
import { patchesAt } from "../revision/revision.ts";
import { type InPlaceProgress, isMadeForInPlace, startInPlace } from "./in-place.ts";
import { changeInPlace, type InPlaceRules, type InPlaceVerdict } from "./in-place-change.ts";

export type InPlaceMover = (view: NodeView, nowMs: number) => InPlaceProgress | undefined;

/** Returns a function that takes a node in place; undefined says that its pod has to be made anew. */
export function createInPlaceMover(observed: Observed, rules: InPlaceRules): InPlaceMover {
  const { set, history } = observed;
  const isPreferred = set.updateStrategy.kind === "RollingUpdate" && set.updateStrategy.isInPlacePreferred;
  const verdicts = new Map<string, InPlaceVerdict>();
  return ({ old: [pod], placement }, nowMs) => {
    if (!isPreferred || pod === undefined || !placement.rendering.ok || !isMadeForInPlace(pod)) return undefined;
    // What the kubelet cannot do is not tried again in the same way.
    if (pod.resizePending === "Infeasible") return undefined;
    const rendered = placement.rendering.value;
    const key = `${recordOf(pod).revision} ${recordOf(pod).places} ${rendered.places}`;
    const verdict = verdicts.get(key) ?? verdictOf(pod, rendered, observed, rules);
    verdicts.set(key, verdict);
    if (!verdict.can) return undefined;
    const revision = history.update.hash;
    const annotations = { [APPLIED_PATCHES]: rendered.places === "" ? null : rendered.places };
    const target = { change: verdict.change, revision, labels: identityLabels(rendered, revision), annotations };
    return startInPlace(pod, target, nowMs);
  };
}

function verdictOf(pod: DaemonPod, rendered: Rendered, observed: Observed, rules: InPlaceRules): InPlaceVerdict {
  const template = oldTemplate(pod, observed);
  if (template === undefined) return { can: false, because: "nobody knows what the pod was made of" };
  return changeInPlace(template, rendered.template, rules);
}

/** The template that the pod was made of, rebuilt from its revision and the patches that it records. */
function oldTemplate(pod: DaemonPod, { history }: Observed): JsonObject | undefined {
  const { revision, places } = recordOf(pod);
  const recording = revisionWithHash(history, revision)?.recording;
  const patches = recording && patchesAt(recording, places);
  if (recording === undefined || patches === undefined) return undefined;
  const layers = patches.map(({ patch }, index) => ({
    ...{ index, priority: 0, selector: { kind: "nothing" as const }, faults: [] },
    patch: isJsonObject(patch) ? patch : {},
  }));
  const merged = mergePatches(recording.template, matchOf(layers));
  return merged.ok ? merged.value : undefined;
}

function recordOf({ labels, annotations }: DaemonPod) {
  return { revision: labels[REVISION_HASH] ?? "", places: annotations[APPLIED_PATCHES] ?? "" };
}
