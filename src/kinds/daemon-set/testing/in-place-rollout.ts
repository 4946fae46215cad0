// A pod that is taken from template to template, for tests: each look begins an update in place or tends the one that runs.

import { orderPlan } from "../../../core/decision/plan.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { type InPlaceProgress, startInPlace, tendInPlace } from "../in-place/in-place.ts";
import { changeInPlace } from "../in-place/in-place-change.ts";
import { REVISION_HASH } from "../pods/pod-keys.ts";
import { InPlacePod } from "./in-place-pod.ts";

type Images = Readonly<Record<string, string>>;

/** A template of these containers; those with a priority are updated in that order. */
export function templateOf(images: Images, priorities: Readonly<Record<string, string>> = {}): JsonObject {
  const containers = Object.entries(images).map(([name, image]) => {
    const value = priorities[name];
    return { name, image, ...(value === undefined ? {} : { env: [{ name: "KRUISE_CONTAINER_PRIORITY", value }] }) };
  });
  return { metadata: { labels: { app: "a" } }, spec: { containers } };
}

export class InPlaceRollout {
  readonly pod: InPlacePod;
  readonly templates: Record<string, JsonObject>;
  target: string;

  constructor(templates: Record<string, JsonObject>, gates?: readonly string[]) {
    this.templates = templates;
    const [first = ""] = Object.keys(templates);
    this.target = first;
    this.pod = new InPlacePod(
      mergeObject(templates[first] ?? {}, { metadata: { labels: { [REVISION_HASH]: first } } }),
      gates,
    );
  }

  get revision(): string {
    return this.pod.seen.labels[REVISION_HASH] ?? "";
  }

  look(graceSeconds = 0): InPlaceProgress {
    const pod = this.pod.seen;
    if (this.revision === this.target) return tendInPlace(pod, this.pod.nowMs);
    const [before = {}, after = {}] = [this.templates[this.revision], this.templates[this.target]];
    const verdict = changeInPlace(before, after, { resizing: "growing" });
    if (!verdict.can) throw new Error(verdict.because);
    const target = {
      change: verdict.change,
      revision: this.target,
      labels: { [REVISION_HASH]: this.target },
      annotations: {},
    };
    return startInPlace(pod, { ...target, graceSeconds }, this.pod.nowMs);
  }

  /** Looks, and performs as many of the steps as are asked for; then a second passes. */
  act(steps = Number.POSITIVE_INFINITY, graceSeconds = 0): InPlaceProgress {
    const progress = this.look(graceSeconds);
    const ordered = orderPlan({ steps: progress.steps, held: [] }).steps.slice(0, steps);
    for (const step of ordered) if (step.do === "patch") this.pod.perform(step);
    this.pod.nowMs += 1_000;
    return progress;
  }

  /** Operator and kubelet take turns until nothing is left to do. */
  settle(): void {
    for (let turn = 0; turn < 30; turn++) {
      this.pod.sync();
      if (this.act().is === "settled" && this.revision === this.target) {
        this.pod.sync();
        return;
      }
    }
    throw new Error(`it does not settle: ${this.look().because}`);
  }
}

/** A template of one container. */
export const one = (image: string) => templateOf({ main: image });

/** A pod of the first template that serves. */
export function opened(templates: Record<string, JsonObject>): InPlaceRollout {
  const rollout = new InPlaceRollout(templates);
  rollout.settle();
  return rollout;
}
