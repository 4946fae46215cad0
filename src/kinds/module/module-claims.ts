// The conditions of a Module: whether every kernel has a mapping, whether every image is there, whether the newest of them runs
// everywhere, and the three that tools wait for.
import type { Claim } from "../../core/decision/conditions.ts";
import type { Hold } from "../../core/decision/plan.ts";
import { counted } from "../../core/values/counted.ts";
import { cut } from "../../core/values/shown.ts";
import { EXAMPLE_NODES_MAX } from "../schema/status-schema.ts";
import type { KernelEntry } from "./kernel-status.ts";
import type { Observed } from "./observe.ts";
import type { StatusParts } from "./status.ts";

const MESSAGE_LENGTH_MAX = 4000;

type Parts = StatusParts & { readonly unfit: readonly Hold[]; readonly entries: readonly KernelEntry[] };

/** All six, in a fixed order. */
export function moduleClaims(observed: Observed, parts: Parts): readonly Claim[] {
  const mapped = mappedClaim(parts);
  const images = imagesClaim(parts);
  const rolledOut = rolledOutClaim(observed, parts);
  const stalled = stalledClaim(parts);
  const ready = readyClaim(parts, [images, rolledOut, stalled, mapped]);
  // A kernel without a mapping waits for a person; nothing of ours goes on.
  const isBusy = ready.status === "False" && stalled.status === "False" && ready.reason !== mapped.reason;
  const reconciling: Claim = { ...ready, type: "Reconciling", status: isBusy ? "True" : "False" };
  return [ready, reconciling, stalled, mapped, images, rolledOut].map((claim) => ({
    ...claim,
    message: cut(claim.message, MESSAGE_LENGTH_MAX),
  }));
}

function mappedClaim({ unfit, survey }: Parts): Claim {
  const type = "Mapped";
  if (survey.inScope === 0) {
    return { type, status: "True", reason: "SelectorMatchesNothing", message: "no node matches the selector" };
  }
  const unmapped = unfit.filter(({ reason }) => reason === "KernelUnmapped");
  const [first] = unmapped;
  if (first === undefined)
    return { type, status: "True", reason: "KernelsMapped", message: "every kernel has a mapping" };
  const message = `${counted(unmapped.length, "node has", "nodes have")} a kernel without a mapping; ${first.node}: ${first.because}`;
  return { type, status: "False", reason: "KernelUnmapped", message };
}

/** The trouble that needs a person comes before one that passes. */
const IMAGE_ORDER: readonly string[] = ["failed", "missing", "unreachable", "signing", "building", "waiting"];

function imagesClaim({ builds }: Parts): Claim {
  const type = "ImagesAvailable";
  const open = [...builds.images].flatMap(([image, progress]) =>
    progress.is === "ready" ? [] : [{ image, progress }],
  );
  const rank = ({ progress }: (typeof open)[number]) => IMAGE_ORDER.indexOf(progress.is);
  const [first] = open.sort((a, b) => rank(a) - rank(b) || (a.image < b.image ? -1 : 1));
  if (first === undefined) {
    const message = `${counted(builds.images.size, "image is", "images are")} there`;
    return { type, status: "True", reason: "ImagesAvailable", message };
  }
  const { reason, because } = first.progress;
  const message = `${open.length} of ${counted(builds.images.size, "image is", "images are")} not there; ${first.image}: ${because}`;
  return { type, status: "False", reason, message };
}

function rolledOutClaim({ known }: Observed, { survey, fitting, drivers, unfit }: Parts): Claim {
  const type = "RolledOut";
  const moving = fitting.starting.length + fitting.unbinds.length + fitting.binds.length + fitting.deletes.length;
  const open = survey.outdated + fitting.held.length;
  const isBehind = [...drivers.family.values()].some(({ behind }) => behind !== undefined);
  const lost = unfit.filter(({ reason }) => reason === "NodeNotReady").length;
  if (moving === 0 && open === 0 && !isBehind && lost === 0) {
    return {
      type,
      status: "True",
      reason: "RolloutComplete",
      message: `${counted(survey.fitted, "node has", "nodes have")} the newest driver`,
    };
  }
  const message = `${readyText(survey)}, ${survey.outdated} of them an old one; ${moving} on the move`;
  if (known.module.updateStrategy.isPaused && moving === 0)
    return { type, status: "False", reason: "PausedByUser", message };
  const [starting] = fitting.starting;
  const isStuck = starting !== undefined && fitting.held.some(({ reason }) => reason === "BudgetSpent");
  if (!isStuck) return { type, status: "False", reason: "RolloutInProgress", message };
  return {
    type,
    status: "False",
    reason: "RolloutInProgress",
    message: `${message}; ${starting.node}: ${starting.because}`,
  };
}

/** What does not go on without a person. */
function stalledClaim({ drivers, plugins, builds }: Parts): Claim {
  const type = "Stalled";
  const conflict = drivers.conflict ?? plugins.conflict;
  if (conflict !== undefined) return { type, status: "True", reason: "NameConflict", message: conflict };
  for (const [image, progress] of builds.images) {
    if (progress.is !== "failed") continue;
    return { type, status: "True", reason: progress.reason, message: `${image}: ${progress.because}` };
  }
  return { type, status: "False", reason: "Succeeded", message: "" };
}

function readyClaim({ survey, unfit }: Parts, others: readonly Claim[]): Claim {
  const type = "Ready";
  const bad = others.find(({ type: other, status }) => status === (other === "Stalled" ? "True" : "False"));
  const lost = unfit.filter(({ reason }) => reason === "NodeNotReady");
  if (lost.length > 0 && (bad === undefined || bad.type === "RolledOut")) {
    return { type, status: "False", reason: "NodeNotReady", message: `${readyText(survey)}; ${notReadyText(lost)}` };
  }
  if (bad !== undefined) return { ...bad, type, status: "False" };
  const trouble = unfit.find(({ reason }) => reason === "FactUnknown" || reason === "ImageInvalid");
  if (trouble !== undefined) {
    return { type, status: "False", reason: trouble.reason, message: `${trouble.node}: ${trouble.because}` };
  }
  const message = readyText(survey);
  if (survey.fitted < survey.wanting) return { type, status: "False", reason: "Progressing", message };
  return { type, status: "True", reason: "AllNodesFitted", message };
}

function notReadyText(lost: readonly Hold[]): string {
  const names = lost.slice(0, EXAMPLE_NODES_MAX).map(({ node }) => node);
  const more = lost.length > names.length ? ` and ${lost.length - names.length} more` : "";
  return `${counted(lost.length, "node is", "nodes are")} not Ready: ${names.join(", ")}${more}`;
}

function readyText({ fitted, wanting }: Parts["survey"]): string {
  return `${fitted} of ${counted(wanting, "node has", "nodes have")} a ready driver`;
}
