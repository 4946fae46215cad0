// Why a node has the driver that it has, or has none: the rules of resolving, then how far image, DaemonSet and pod are.

import type { Reason } from "../../core/decision/reasons.ts";
import type { Labels } from "../../core/labels/label-requirement.ts";
import type { NodeFacts } from "../../core/node/node-facts.ts";
import { hasEnded } from "../../core/pod/daemon-pod.ts";
import type { Explanation } from "../kind.ts";
import type { ImageProgress } from "./build/image-need.ts";
import { type PlanBuilds, type Worked, workOut } from "./decide.ts";
import { explainFields } from "./explain-fields.ts";
import { boundTo, type DriverPod, type Observed, servesOn } from "./observe.ts";
import type { Outcome } from "./resolve.ts";

type Answer = { readonly reason: Reason; readonly because: string };

/** Explains one node; undefined if there is no node of that name. */
export function explainNode(
  observed: Observed,
  planBuilds: PlanBuilds,
  name: string,
  nowMs: number,
): Explanation | undefined {
  const node = observed.snapshot.nodes.find((each) => each.name === name);
  if (node === undefined) return undefined;
  const outcome = observed.known.resolve(node);
  const worked = workOut(observed, planBuilds, nowMs);
  const pods = worked.survey.podsOn(name);
  const bound = boundTo(observed, node);
  const serving = pods.find((pod) => pod.set.key === bound && servesOn(node, pod, nowMs));
  const { gets } = outcome;
  const wanted = gets.kind === "fit" ? gets.fit.key : gets.kind === "same" ? (bound ?? "") : "";
  return {
    node: name,
    ...answerOf(outcome, worked, node, serving),
    trail: outcome.trail,
    gets: gets.kind === "fit" ? gets.fit.image : "",
    runs: pods.map(({ pod }) => pod.name).join(", "),
    facts: {
      ...imageFacts(outcome, worked.builds.images),
      ...(bound === undefined ? {} : { "bound to": bound }),
      ...workloadFacts(observed, wanted),
      ...Object.fromEntries(pods.map((pod) => [`pod ${pod.pod.name}`, podText(node, pod, nowMs)])),
      ...waitFacts(worked, name),
    },
    ...(gets.kind === "fit" ? explainFields(observed.known.module, gets.fit, worked.builds.images) : {}),
  };
}

/** A node that does not get what it wants is told why; one that gets nothing is told which rule said so. */
function answerOf(outcome: Outcome, worked: Worked, { name }: NodeFacts, serving: DriverPod | undefined): Answer {
  const hold = worked.held.find(({ node }) => node === name);
  if (hold !== undefined) return { reason: hold.reason, because: hold.because };
  const { reason, because, gets } = outcome;
  if (gets.kind !== "fit" || reason !== "Fitted") return { reason, because };
  if (serving !== undefined) return { reason, because };
  return { reason: "Progressing", because: `${because}, and its pod is not ready yet` };
}

function imageFacts({ gets }: Outcome, images: ReadonlyMap<string, ImageProgress>): Labels {
  if (gets.kind !== "fit") return {};
  const { kernel, image, mapping } = gets.fit;
  return { kernel, mapping: mapping.place, image, "image state": imageText(images.get(image)) };
}

function imageText(progress: ImageProgress | undefined): string {
  if (progress === undefined) return "not asked for";
  if (progress.is !== "ready") return `${progress.is}: ${progress.because}`;
  return progress.digest === undefined ? "ready" : `ready, ${progress.digest}`;
}

function workloadFacts({ drivers }: Observed, key: string): Labels {
  const set = drivers.get(key);
  if (set === undefined) return key === "" ? {} : { DaemonSet: "does not exist yet" };
  const { name, status } = set.workload;
  return { DaemonSet: `${name}, ${status.ready} of ${status.desired} pods ready` };
}

function podText(node: NodeFacts, driverPod: DriverPod, nowMs: number): string {
  const { pod, isCurrent, set } = driverPod;
  const age = isCurrent ? "of the newest template" : "of an older template";
  if (pod.isLeaving) return `${age}, leaving`;
  if (hasEnded(pod)) return `${age}, ${pod.phase} ${pod.phaseReason}`.trimEnd();
  if (set.kernel !== node.kernel.raw) return `for kernel ${set.kernel}, which does not run`;
  return `${age}, ${servesOn(node, driverPod, nowMs) ? "ready" : "not ready"}`;
}

function waitFacts({ held, plan }: Worked, name: string): Labels {
  const hold = held.find(({ node }) => node === name);
  const next = plan.steps.find((step) => step.do === "apply" && step.object.metadata.name === name);
  return {
    ...(hold === undefined ? {} : { "waits for": `${hold.reason}: ${hold.because}` }),
    ...(next === undefined ? {} : { "next step": next.why }),
  };
}
