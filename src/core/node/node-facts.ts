// What we know about one node: parsed once per Node object at the door, and trusted from there on. The object may have
// any shape: what is missing or wrong becomes Unknown with a reason, for this node alone.
//
// This folder holds what decisions know of a node and write to it. Beside this file:
//   os-release.ts, os-names.ts  the operating system, from free text
//   container-runtime.ts        containerd, CRI-O and their versions
//   same-facts.ts               whether two readings describe the same node
//   node-label.ts               labels that we write to a node, as steps
//   node-pinning.ts             binds a pod to its node by affinity, and reads the node back

import { type Fact, unknownFact } from "../decision/fact.ts";
import { textIn, textsIn } from "../decision/object-identity.ts";
import { isJsonObject, type Json, type JsonObject } from "../json/json.ts";
import { type KernelRelease, parseKernelRelease } from "../kernel/kernel-release.ts";
import type { Labels } from "../labels/label-requirement.ts";
import { parseTaints, type Taint } from "../scheduling/taints.ts";
import { memoised } from "../values/memoised.ts";
import { type ContainerRuntime, parseContainerRuntime } from "./container-runtime.ts";
import { type OsRelease, parseOsRelease } from "./os-release.ts";

export type NodeFacts = {
  /** Empty if the object has none; no real node is so. */
  readonly name: string;
  /** Empty if the object has none, as in a snapshot that was written by hand. */
  readonly uid: string;
  /** The very object of the input: look keys up with Object.hasOwn. */
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  /** The object is being deleted. */
  readonly isLeaving: boolean;
  /** True, false, or Unknown while nobody reports for the node. */
  readonly ready: Fact<boolean>;
  readonly kernel: Fact<KernelRelease>;
  readonly os: Fact<OsRelease>;
  readonly runtime: Fact<ContainerRuntime>;
  readonly architecture: Fact<string>;
  readonly operatingSystem: Fact<string>;
  readonly bootId: Fact<string>;
};

type TextParsers = {
  readonly kernel: (raw: string) => Fact<KernelRelease>;
  readonly os: (raw: string) => Fact<OsRelease>;
  readonly runtime: (raw: string) => Fact<ContainerRuntime>;
};

const PLAIN_PARSERS: TextParsers = {
  kernel: parseKernelRelease,
  os: parseOsRelease,
  runtime: parseContainerRuntime,
};

const NO_OBJECT: JsonObject = Object.freeze({});
const NO_TAINTS: readonly Taint[] = Object.freeze([]);

/** Returns the facts of one Node object of whatever shape; never throws. */
export function parseNodeFacts(node: unknown): NodeFacts {
  return factsOf(node, PLAIN_PARSERS);
}

/**
 * Returns a `parseNodeFacts` that remembers the kernels, OS images and runtimes it has seen (a bounded number of each),
 * so that equal texts of many nodes share one parsed value.
 */
export function createFactsParser(): (node: unknown) => NodeFacts {
  const parsers: TextParsers = {
    kernel: memoised(parseKernelRelease),
    os: memoised(parseOsRelease),
    runtime: memoised(parseContainerRuntime),
  };
  return (node) => factsOf(node, parsers);
}

function factsOf(node: unknown, parsers: TextParsers): NodeFacts {
  const root = isJsonObject(node) ? node : NO_OBJECT;
  const metadata = objectIn(root.metadata);
  const spec = objectIn(root.spec);
  const status = objectIn(root.status);
  const nodeInfo = objectIn(status.nodeInfo);
  return {
    name: textIn(metadata.name),
    uid: textIn(metadata.uid),
    labels: textsIn(metadata.labels),
    taints: spec.taints === undefined ? NO_TAINTS : parseTaints(spec.taints),
    isUnschedulable: spec.unschedulable === true,
    isLeaving: textIn(metadata.deletionTimestamp) !== "",
    ready: readinessIn(status.conditions),
    kernel: read(nodeInfo.kernelVersion, "kernelVersion", parsers.kernel),
    os: read(nodeInfo.osImage, "osImage", parsers.os),
    runtime: read(nodeInfo.containerRuntimeVersion, "containerRuntimeVersion", parsers.runtime),
    architecture: reported(nodeInfo.architecture, "architecture"),
    operatingSystem: reported(nodeInfo.operatingSystem, "operatingSystem"),
    bootId: reported(nodeInfo.bootID, "bootID"),
  };
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : NO_OBJECT;
}

/** The parsed text of a field; a value that is no text is not the same as none. */
function read<T>(value: Json | undefined, field: string, parse: (raw: string) => Fact<T>): Fact<T> {
  if (value === undefined || value === null || typeof value === "string") return parse(textIn(value));
  return unknownFact(`status.nodeInfo.${field} is not a text`);
}

function reported(value: Json | undefined, field: string): Fact<string> {
  if (typeof value === "string" && value !== "") return value;
  return unknownFact(`status.nodeInfo.${field} is ${value === undefined || value === "" ? "missing" : "not a text"}`);
}

/** As in Kubernetes' own helpers the first Ready condition counts. */
function readinessIn(conditions: Json | undefined): Fact<boolean> {
  if (!Array.isArray(conditions)) return unknownFact("the node has no Ready condition");
  for (const condition of conditions) {
    if (!isJsonObject(condition) || condition.type !== "Ready") continue;
    if (condition.status === "True") return true;
    if (condition.status === "False") return false;
    return unknownFact("the node's Ready condition is Unknown: its kubelet stopped reporting");
  }
  return unknownFact("the node has no Ready condition");
}
