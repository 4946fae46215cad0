// The labels and annotations of a Module: what its DaemonSets and pods carry, and what it writes to nodes.
import type { Labels } from "../../core/labels/label-requirement.ts";
import { labelSafe } from "../../core/labels/label-safe.ts";
import type { ObjectName } from "../kind.ts";

const KMM = "kmm.node.kubernetes.io";
const OURS = "module.farrier.dev";

/** On DaemonSets and pods: the Module. */
export const MODULE_NAME = `${KMM}/module.name`;
/** On DaemonSets, pods and nodes: the kernel, as far as a label can hold it. */
export const KERNEL_VERSION = `${KMM}/kernel-version.full`;
/** On DaemonSets and pods. */
export const ROLE = `${KMM}/role`;
export const LOADER_ROLE = "module-loader";
export const PLUGIN_ROLE = "device-plugin";
/** On driver DaemonSets and their pods: the same value that binds nodes to them. */
export const FIT = `${OURS}/fit`;

/** An annotation of driver DaemonSets: the kernel, letter by letter. */
export const EXACT_KERNEL = `${OURS}/kernel`;
/** An annotation of driver DaemonSets and plugin DaemonSets of a versioned Module. */
export const VERSION = `${OURS}/version`;
/** An annotation of loader pods: the order of loading, as modprobe reads it. */
export const MODULES_ORDER = `${KMM}/modules-order`;

/** The value of labels that only have to be there. */
export const PRESENT = "";

/** The keys that DaemonSets of earlier designs name their Module by, newest first. */
export const MODULE_NAME_KEYS: readonly string[] = Object.freeze([
  MODULE_NAME,
  "oot.node.kubernetes.io/module.name",
  "ooto.sigs.k8s.io/module-name",
]);
const KERNEL_KEYS: readonly string[] = Object.freeze([KERNEL_VERSION, "oot.node.kubernetes.io/kernel-version.full"]);

/** On nodes: which of the Module's DaemonSets the node is bound to. */
export function bindingLabel({ namespace, name }: ObjectName): string {
  return `${OURS}/${namespace}.${name}`;
}

/** The Module that a binding label speaks of; undefined for any other label. */
export function moduleOfBinding(key: string): ObjectName | undefined {
  return key.startsWith(`${OURS}/`) ? splitAtDot(key.slice(OURS.length + 1)) : undefined;
}

/** The Module that a label of readiness speaks of; undefined for any other label. */
export function moduleOfReady(key: string): ObjectName | undefined {
  const end = [".version.ready", ".ready"].find((ending) => key.endsWith(ending));
  if (end === undefined || !key.startsWith(`${KMM}/`)) return undefined;
  return splitAtDot(key.slice(KMM.length + 1, -end.length));
}

/** Namespaces hold no dots, so the first one divides. */
function splitAtDot(text: string): ObjectName | undefined {
  const dot = text.indexOf(".");
  return dot < 0 ? undefined : { namespace: text.slice(0, dot), name: text.slice(dot + 1) };
}

/** On nodes: the driver is loaded, as it should be. */
export function readyLabel({ namespace, name }: ObjectName): string {
  return `${KMM}/${namespace}.${name}.ready`;
}

/** On nodes: the version of the driver that is loaded. */
export function versionReadyLabel({ namespace, name }: ObjectName): string {
  return `${KMM}/${namespace}.${name}.version.ready`;
}

/** On nodes, written by their owners: the version that the node should have. */
export function wantedVersionLabel({ namespace, name }: ObjectName): string {
  return `${KMM}/version-module.${namespace}.${name}`;
}

/** The value of a label, or undefined; what objects inherit is no label. */
export function labelIn(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** The label value for a kernel: no two kernels share one. */
export function kernelLabelValue(kernel: string): string {
  return labelSafe(kernel);
}

/** The kernel label of a DaemonSet of ours or of an earlier design; undefined if it has none. */
export function kernelLabelOf(labels: Labels): string | undefined {
  return KERNEL_KEYS.map((key) => labelIn(labels, key)).find((value) => value !== undefined);
}

/** Whether a kernel label, of ours or of an earlier design, means this kernel: those dropped a plus sign at the end. */
export function isLabelOfKernel(value: string, kernel: string): boolean {
  return value === kernelLabelValue(kernel) || value === kernel.replace(/\+$/, "");
}
