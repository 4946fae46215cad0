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

const NO_DAEMON = "there is no daemon on the nodes here";
const NO_POD_WEBHOOK = "there is no webhook for pods here";
const AS_WRITTEN = "templates are stored as they were written";
const NO_GUARD = "nothing is kept from being deleted here";

/** Gates of Kruise that are accepted and change nothing, with the reason: whoever comes from there keeps the flags of the manager. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ["DaemonSetPruneIneligibleNodes", "nodes that should not run the pod never take part in an update here"],
  [
    "InPlaceUpdateEnvFromMetadata",
    "a container that reads changed metadata is recreated: it needs no daemon on the node",
  ],
  ["PreDownloadImageForDaemonSetUpdate", "images are not pulled ahead of an update here"],
  ["KruiseDaemon", NO_DAEMON],
  ["DaemonWatchingPod", NO_DAEMON],
  ["KruisePodReadinessGate", NO_POD_WEBHOOK],
  ["PodWebhook", NO_POD_WEBHOOK],
  ["EnhancedLivenessProbe", NO_POD_WEBHOOK],
  ["DefaultHostNetworkHostPortsInPodTemplates", AS_WRITTEN],
  ["TemplateNoDefaults", AS_WRITTEN],
  ["ResourcesDeletionProtection", NO_GUARD],
  ["DeletionProtectionForCRDCascadingGate", NO_GUARD],
  ["EnableExternalCerts", "certificates are issued and rotated by this program"],
  ["ForceDeleteTimeoutExpectationGate", "writes that are not seen are always forgotten after a time"],
]);

/** Gates of Kruise for kinds that are not served here. */
const OF_OTHER_KINDS: ReadonlyMap<string, string> = new Map([
  ["CloneSetShortHash", "CloneSet"],
  ["CloneSetPartitionRollback", "CloneSet"],
  ["CloneSetEventHandlerOptimization", "CloneSet"],
  ["RecreatePodWhenChangeVCTInCloneSetGate", "CloneSet"],
  ["PreparingUpdateAsUpdate", "CloneSet"],
  ["PreDownloadImageForInPlaceUpdate", "CloneSet"],
  ["StatefulSetAutoDeletePVC", "StatefulSet"],
  ["StatefulSetAutoResizePVCGate", "StatefulSet"],
  ["StatefulSetStartOrdinal", "StatefulSet"],
  ["PodIndexLabel", "StatefulSet"],
  ["PodUnavailableBudgetDeleteGate", "PodUnavailableBudget"],
  ["PodUnavailableBudgetUpdateGate", "PodUnavailableBudget"],
  ["InPlacePodVerticalScaling", "PodUnavailableBudget"],
  ["SidecarSetPatchPodMetadataDefaultsAllowed", "SidecarSet"],
  ["EnableSortSidecarContainerByName", "SidecarSet"],
  ["SidecarTerminator", "SidecarSet"],
  ["PodProbeMarkerGate", "PodProbeMarker"],
  ["EnablePodProbeMarkerOnServerless", "PodProbeMarker"],
  ["ImagePullJobGate", "ImagePullJob"],
  ["ResourceDistributionGate", "ResourceDistribution"],
  ["WorkloadSpread", "WorkloadSpread"],
]);

export type ReadGates = {
  readonly gates: Gates;
  /** What whoever set the gates should know. */
  readonly notes: readonly string[];
  /** What cannot be understood; the process should not start with it. */
  readonly problems: readonly string[];
};

/** Reads `Name=true,Other=false`; gates that nobody knows are problems. A gate's own word counts before that of its stage. */
export function parseGates(text: string): ReadGates {
  const notes: string[] = [];
  const problems: string[] = [];
  let stage: Partial<Gates> = {};
  let own: Partial<Gates> = {};
  for (const item of text.split(",").map((each) => each.trim())) {
    if (item === "") continue;
    const [name = "", value = "", ...rest] = item.split("=").map((each) => each.trim());
    const isOn = value === "true";
    const because = whyIdle(name);
    if (rest.length > 0 || (value !== "true" && value !== "false")) {
      problems.push(`feature gate "${item}": write name=true or name=false`);
    } else if (name === "AllAlpha") stage = { ...stage, InPlaceWorkloadVerticalScaling: isOn };
    else if (name === "AllBeta") stage = { ...stage, AdvancedDaemonSetNodeLabelPatches: isOn };
    else if (Object.hasOwn(DEFAULT_GATES, name)) own = { ...own, [name]: isOn };
    else if (because !== undefined) notes.push(`feature gate ${name} has no effect: ${because}`);
    else problems.push(`feature gate "${name}" is not known; known are ${knownGates().join(", ")}`);
  }
  return { gates: { ...DEFAULT_GATES, ...stage, ...own }, notes, problems };
}

function whyIdle(name: string): string | undefined {
  const kind = OF_OTHER_KINDS.get(name);
  return kind === undefined ? WITHOUT_EFFECT.get(name) : `it concerns ${kind}, which is not served here`;
}

/** Every gate that is accepted, by its name. */
export function knownGates(): readonly string[] {
  return [...Object.keys(DEFAULT_GATES), ...WITHOUT_EFFECT.keys(), ...OF_OTHER_KINDS.keys(), "AllAlpha", "AllBeta"];
}
