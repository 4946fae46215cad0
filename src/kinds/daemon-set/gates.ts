// The feature gates that users of advanced DaemonSets know, what they do here, and why some of them do nothing.

export type Gates = {
  /** Patches by node label; while it is off they are ignored and what runs stays. */
  readonly AdvancedDaemonSetNodeLabelPatches: boolean;
  /** Updates in place may change cpu and memory, through the server's resize subresource. */
  readonly InPlaceWorkloadVerticalScaling: boolean;
};

export const DEFAULT_GATES: Gates = Object.freeze({
  AdvancedDaemonSetNodeLabelPatches: true,
  InPlaceWorkloadVerticalScaling: false,
});

/** Gates of Kruise that are accepted and change nothing, with the reason. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ["DaemonSetPruneIneligibleNodes", "nodes that should not run the pod never take part in an update here"],
  [
    "InPlaceUpdateEnvFromMetadata",
    "a container that reads changed metadata is recreated: it needs no daemon on the node",
  ],
  ["InPlacePodVerticalScaling", "it concerns PodUnavailableBudget, which is not served here"],
  ["PreDownloadImageForDaemonSetUpdate", "images are not pulled ahead of an update here"],
  ["ImagePullJobGate", "ImagePullJob is not served here"],
  ["KruiseDaemon", "there is no daemon on the nodes here"],
  ["KruisePodReadinessGate", "there is no webhook for pods here"],
  ["PodWebhook", "there is no webhook for pods here"],
  ["DefaultHostNetworkHostPortsInPodTemplates", "templates are stored as they were written"],
  ["TemplateNoDefaults", "templates are stored as they were written"],
]);

export type ReadGates = {
  readonly gates: Gates;
  /** What whoever set the gates should know. */
  readonly notes: readonly string[];
  /** What cannot be understood; the process should not start with it. */
  readonly problems: readonly string[];
};

/** Reads `Name=true,Other=false`; gates that nobody knows are problems. */
export function parseGates(text: string): ReadGates {
  const notes: string[] = [];
  const problems: string[] = [];
  let gates = DEFAULT_GATES;
  for (const item of text.split(",").map((each) => each.trim())) {
    if (item === "") continue;
    const [name = "", value = "", ...rest] = item.split("=").map((each) => each.trim());
    const isOn = value === "true";
    const because = WITHOUT_EFFECT.get(name);
    if (rest.length > 0 || (value !== "true" && value !== "false")) {
      problems.push(`feature gate "${item}": write name=true or name=false`);
    } else if (name === "AllAlpha") {
      gates = { ...gates, InPlaceWorkloadVerticalScaling: isOn };
    } else if (name === "AllBeta" || Object.hasOwn(gates, name)) {
      if (name !== "AllBeta") gates = { ...gates, [name]: isOn };
    } else if (because !== undefined) notes.push(`feature gate ${name} has no effect: ${because}`);
    else problems.push(`feature gate "${name}" is not known; known are ${knownGates().join(", ")}`);
  }
  return { gates, notes, problems };
}

function knownGates(): readonly string[] {
  return [...Object.keys(DEFAULT_GATES), ...WITHOUT_EFFECT.keys(), "AllAlpha", "AllBeta"];
}
