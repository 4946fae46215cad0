// A kind is one door of Farrier as a value: how its objects are judged at admission, what is decided for one of them, and how
// that is explained. The reconcile loop, the command line, the webhooks and the simulator work on any kind alike.
//
// Each kind is a folder with the same files, read in this order: api/ (schema, parse, validate),
// observe, resolve, render, decide, explain. For all kinds:
//   all-kinds.ts, all-definitions.ts            the list of kinds, and of their definitions
//   schema/kube-schema.ts, schema/read-spec.ts  schemas, and the door for objects
//   pod-template/template-patch.ts              pod templates, and patches on them
//   forecast/forecast.ts                        plays decisions through on a dry-run cluster

import type { Plan } from "../core/decision/plan.ts";
import type { Problem } from "../core/decision/problem.ts";
import type { Reason } from "../core/decision/reasons.ts";
import type { ConfigKey, ImageState, Snapshot, StoredObject } from "../core/decision/snapshot.ts";
import type { EventStep, Step } from "../core/decision/step.ts";
import type { Verdict } from "../core/decision/verdict.ts";
import type { JsonObject } from "../core/json/json.ts";
import type { Labels } from "../core/labels/label-requirement.ts";
import type { NodeFacts } from "../core/node/node-facts.ts";

export type Kind = {
  readonly group: string;
  /** The version that is stored, and that everything below is told about. */
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** What this kind's decisions read besides nodes and its own objects. */
  readonly reads: readonly Source[];
  /** What clients of other versions are told and write; absent for a kind of one version. */
  readonly conversion?: Conversion;
  /** The object with the defaults that no schema can say, the very object if it has them; absent for a kind without any. */
  withDefaults?(object: JsonObject): JsonObject;
  /** Judges an object, in any of its versions, that somebody wants to store; `before` is what was stored until now. */
  admit(object: unknown, before: unknown): Admission;
  /** Takes from the whole picture what concerns one object. A bad object is observed too: its decision says what is wrong. */
  observe(snapshot: Snapshot, object: StoredObject): Observation;
  /** The ConfigMaps of its own namespace that decisions about an object read; absent for a kind that reads none. */
  textsOf?(object: StoredObject): readonly ConfigKey[];
  /** Whether a change of a node may change what is decided for the object; wrong alarms cost time, missed ones cost nodes. */
  concerns(object: StoredObject, was: NodeFacts | undefined, now: NodeFacts | undefined): boolean;
  /** Whether two states of an object ask for the same on every node; absent where every edit may ask for something else. */
  isSameWish?(was: StoredObject, now: StoredObject): boolean;
  /** What objects leave on nodes, where no owner reference takes it away; absent for a kind that writes nothing there. */
  readonly traces?: Traces;
  /** What there is to tell and to count of a pass, once it is known what came of it; absent where the plan tells all. */
  review?(object: StoredObject, pass: Pass): Review;
  /** Another operator that serves this kind, to which it is left while that one is at work; absent for a kind of our own. */
  readonly rival?: Rival;
};

/** A plan that has been performed. */
export type Pass = {
  readonly plan: Plan;
  readonly fateOf: (step: Step) => Fate;
};

export type Fate =
  | { readonly did: "done" }
  | { readonly did: "failed" | "refused"; readonly because: string }
  /** It was not tried, or there was nobody left to do it for; whatever it waited for has a fate of its own. */
  | { readonly did: "unsent" };

export type Review = {
  readonly events: readonly EventStep[];
  readonly tallies: readonly Tally[];
  /** Nodes whose patches cannot be applied, whether or not that is news. */
  readonly refused: readonly string[];
};

/** So many pods got patches, or were refused with them. */
export type Tally = { readonly of: "applied" | "errors"; readonly result: string; readonly count: number };

/** How another operator shows that it is at work. */
export type Rival = {
  readonly name: string;
  /** The Lease that its leader renews. */
  readonly lease: ObjectName;
  /** The names of its configurations of webhooks, which may answer for the kind. */
  readonly webhooks: { readonly mutating: readonly string[]; readonly validating: readonly string[] };
};

export type Conversion = {
  /** The versions besides the stored one. */
  readonly otherVersions: readonly string[];
  /** The object in another version; one that is in it already stays as it is. */
  convert(object: JsonObject, version: string): JsonObject;
};

export type Traces = {
  /** The objects of this kind, there or not, that the node's labels speak of. */
  leftOn(node: NodeFacts): readonly ObjectName[];
  /** The labels that an object writes to nodes, where their keys alone do not tell whose they are. */
  keysOf?(object: JsonObject): readonly string[];
  /** What remains to be done for an object that is not there any more. */
  clear(snapshot: Snapshot, gone: ObjectName): Plan;
};

/** An object of a kind, whether or not there is one of that name. */
export type ObjectName = { readonly namespace: string; readonly name: string };

/** Kinds of the cluster that decisions may read. */
export type Source = "daemonsets" | "pods" | "jobs" | "controllerrevisions" | "images";

export type Admission = {
  readonly problems: readonly Problem[];
  /** What is allowed and probably not meant. */
  readonly warnings: readonly string[];
};

/** One object in the light of one snapshot. */
export type Observation = {
  decide(nowMs: number): Decision;
  /** What the node gets from the object, and why; for a node that is not in the snapshot, undefined. */
  explain(node: string, nowMs: number): Explanation | undefined;
};

export type Decision = {
  /** Its status step, if any, says `Stalled` as far as the object itself goes; what the cluster refuses is added to it. */
  readonly plan: Plan;
  /** Images of which the registry should be asked before the next decision. */
  readonly asks: readonly ImageQuestion[];
};

export type ImageQuestion = {
  readonly image: string;
  /** Names of secrets of the object's namespace, to be read only for this. */
  readonly pullSecrets: readonly string[];
  readonly was: ImageState;
  /** Whether the object would have it made where the registry does not have it. */
  readonly isMadeHere?: boolean;
  /** An answer from before this instant, in wall ms, is none: something was pushed since. The registry is asked at once. */
  readonly newerThanMs?: number;
  /** Where the registry is less safe than it should be; absent means TLS with a certificate that is checked. */
  readonly tls?: { readonly isPlain: boolean; readonly skipsVerification: boolean };
};

export type Explanation = {
  readonly node: string;
  readonly reason: Reason;
  /** A clause that can follow "because". */
  readonly because: string;
  readonly trail: readonly Verdict[];
  /** What the node should run and what it runs, by name; empty when it is nothing. */
  readonly gets: string;
  readonly runs: string;
  /** Further facts in the order of printing: image, DaemonSet, pod, what the rollout waits for. */
  readonly facts: Labels;
  /** The fields of the node's pod that were changed on the way to it; absent for a node that gets none. */
  readonly fields?: readonly FieldOrigin[];
  /** What has all other fields, as a phrase: `the template`. */
  readonly otherFields?: string;
};

/** Where a field comes from, and what stood there before, the newest first. */
export type FieldOrigin = {
  readonly field: string;
  /** As JSON; empty when it was taken away. */
  readonly value: string;
  readonly from: string;
  readonly was: readonly { readonly value: string; readonly from: string }[];
};
