// A step is one write that a plan asks for, with its why. The controller performs it, the command line prints it.
import type { Json, JsonObject } from "../json/json.ts";
import type { Labels } from "../labels/label-requirement.ts";
import type { Reason } from "./reasons.ts";

/** Names one object of the cluster. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
};

/** A whole object as we would write it. */
export type ObjectBody = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
};

export type Step = CreateStep | ApplyStep | PatchStep | DeleteStep | StatusStep | EventStep;

type Reasoned = {
  /** A sentence without its full stop, for a person: `w-17 now resolves to el9`. */
  readonly why: string;
  /** Ids of steps that must have succeeded first: a label waits for its DaemonSet. */
  readonly after?: readonly string[];
  /** It starts nothing that takes its time, so it may wait behind what does: a long plan is performed in parts. */
  readonly isPatient?: boolean;
  /**
   * What it follows from besides the object that the plan is for; absent where it is right whatever that asks for by now. Where another replica
   * may act at the same time, the object and all of these are read again before.
   */
  readonly premises?: readonly Premise[];
};

/** Creates an object under a name that follows from its content, so that a repeat meets AlreadyExists. */
export type CreateStep = Reasoned & { readonly do: "create"; readonly object: ObjectBody };

/** Another object as it was seen. */
export type Premise = {
  readonly target: ObjectRef;
  readonly uid: string;
  /** Undefined for a label that was not there. */
  readonly labels: Readonly<Record<string, string | undefined>>;
  /** It counts only while nobody has asked for its deletion. */
  readonly isStaying?: boolean;
};

/**
 * Server-side apply of the fields that we own, in the name of the object that the plan is for.
 * What we did not make carries its UID, so that an apply that comes too late does not make it anew.
 */
export type ApplyStep = Reasoned & {
  readonly do: "apply";
  readonly object: ObjectBody;
  /** Labels, as they are, that must be gone afterwards. One that somebody else holds too stays: then the step is undone and refused. */
  readonly gone?: Labels;
};

/** A patch of an object, or of a subresource of it, that is harmless to repeat. */
export type PatchStep = Reasoned & {
  readonly do: "patch";
  readonly target: ObjectRef;
  readonly subresource?: string;
  readonly patchType: "merge" | "json" | "strategic";
  readonly patch: Json;
};

/** Deletes exactly the object that was seen: the UID is a precondition. */
export type DeleteStep = Reasoned & {
  readonly do: "delete";
  readonly target: ObjectRef;
  readonly uid: string;
  readonly propagation: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  /** Only as it was seen: what is taken because it serves nobody may have begun to serve since. */
  readonly resourceVersion?: string;
};

/** Sets the status that we own. */
export type StatusStep = Reasoned & { readonly do: "status"; readonly target: ObjectRef; readonly status: JsonObject };

/** Tells the people who watch the object. */
export type EventStep = Reasoned & {
  readonly do: "event";
  readonly about: ObjectRef;
  readonly severity: "Normal" | "Warning";
  readonly reason: Reason;
  readonly message: string;
};

/** The object that a step is about. */
export function targetOf(step: Step): ObjectRef {
  switch (step.do) {
    case "create":
    case "apply":
      return refOf(step.object);
    case "patch":
    case "delete":
    case "status":
      return step.target;
    case "event":
      return step.about;
  }
}

/** The identity of a step within its plan. */
export function stepId(step: Step): string {
  const part = step.do === "patch" && step.subresource !== undefined ? `${step.do} ${step.subresource}` : step.do;
  const tail = step.do === "event" ? ` ${step.reason}` : "";
  return `${part} ${refText(targetOf(step))}${tail}`;
}

/** `apps/v1 DaemonSet storage/nydus`: how an object is called in identities and messages. */
export function refText(ref: ObjectRef): string {
  return `${ref.apiVersion} ${ref.kind} ${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}`;
}

function refOf(object: ObjectBody): ObjectRef {
  const { namespace, name } = object.metadata;
  const { apiVersion, kind } = object;
  return namespace === undefined ? { apiVersion, kind, name } : { apiVersion, kind, namespace, name };
}
