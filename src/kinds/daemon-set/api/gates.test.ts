// Feature gates as users of Kruise write them.
import { expect, test } from "vitest";
import { DEFAULT_GATES, parseGates } from "./gates.ts";

test.each<[string, Partial<typeof DEFAULT_GATES>]>([
  ["", {}],
  ["AdvancedDaemonSetNodeLabelPatches=false", { AdvancedDaemonSetNodeLabelPatches: false }],
  [" InPlaceWorkloadVerticalScaling = true , AllBeta=true", { InPlaceWorkloadVerticalScaling: true }],
  ["AllAlpha=true", { InPlaceWorkloadVerticalScaling: true }],
  ["InPlaceWorkloadVerticalScaling=false,AllAlpha=true", { InPlaceWorkloadVerticalScaling: false }],
  ["AllBeta=false,AllAlpha=true", { AdvancedDaemonSetNodeLabelPatches: false, InPlaceWorkloadVerticalScaling: true }],
  ["AdvancedDaemonSetNodeLabelPatches=true,AllBeta=false", {}],
  ["AdvancedDaemonSetNodeLabelPatches=false,AllBeta=true", { AdvancedDaemonSetNodeLabelPatches: false }],
])("parseGates() reads %j", (text, changed) => {
  expect(parseGates(text)).toEqual({ gates: { ...DEFAULT_GATES, ...changed }, notes: [], problems: [] });
});

test("parseGates() says of a gate that does nothing here why that is so", () => {
  const { gates, notes, problems } = parseGates("DaemonSetPruneIneligibleNodes=true,PodWebhook=false");
  expect([gates, problems]).toEqual([DEFAULT_GATES, []]);
  expect(notes).toEqual([
    ...[expect.stringContaining("never take part in an update"), expect.stringContaining("no webhook for pods")],
  ]);
});

test("parseGates() takes the flags with which Kruise's own manager is deployed for its end-to-end tests", () => {
  const { gates, notes, problems } = parseGates(
    "AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false",
  );
  expect([gates.InPlaceWorkloadVerticalScaling, problems]).toEqual([true, []]);
  expect(notes).toEqual([expect.stringContaining("certificates"), expect.stringContaining("as they were written")]);
});

test("parseGates() knows every gate of Kruise", () => {
  const everyGate = [
    ...["PodWebhook", "KruiseDaemon", "DaemonWatchingPod", "CloneSetShortHash", "KruisePodReadinessGate"],
    ...["PreDownloadImageForInPlaceUpdate", "CloneSetPartitionRollback", "ResourcesDeletionProtection"],
    ...["WorkloadSpread", "PodUnavailableBudgetDeleteGate", "PodUnavailableBudgetUpdateGate", "TemplateNoDefaults"],
    ...["InPlaceUpdateEnvFromMetadata", "StatefulSetAutoDeletePVC", "SidecarSetPatchPodMetadataDefaultsAllowed"],
    ...["SidecarTerminator", "PodProbeMarkerGate", "PreDownloadImageForDaemonSetUpdate", "PreparingUpdateAsUpdate"],
    ...["CloneSetEventHandlerOptimization", "ImagePullJobGate", "ResourceDistributionGate", "EnhancedLivenessProbe"],
    ...["DeletionProtectionForCRDCascadingGate", "RecreatePodWhenChangeVCTInCloneSetGate", "StatefulSetStartOrdinal"],
    ...["PodIndexLabel", "EnableExternalCerts", "StatefulSetAutoResizePVCGate", "ForceDeleteTimeoutExpectationGate"],
    ...["InPlaceWorkloadVerticalScaling", "EnablePodProbeMarkerOnServerless", "EnableSortSidecarContainerByName"],
    ...["InPlacePodVerticalScaling", "DefaultHostNetworkHostPortsInPodTemplates", "DaemonSetPruneIneligibleNodes"],
  ];
  const { notes, problems } = parseGates(everyGate.map((gate) => `${gate}=false`).join());
  expect(problems).toEqual([]);
  expect(notes).toHaveLength(everyGate.length - 1);
});

test.each(["Unheard=true", "AdvancedDaemonSetNodeLabelPatches", "AllAlpha=yes", "A=true=false", "constructor=true"])(
  "parseGates() refuses %j",
  (text) => {
    const { gates, problems } = parseGates(text);
    expect(gates).toEqual(DEFAULT_GATES);
    expect(problems).toHaveLength(1);
  },
);
