// One thing said about one object, however often: a Kubernetes Event (v1) and its count.
import type { Patch } from "../../kube/client/client.ts";
import type { Rand } from "../../kube/rand.ts";
import type { KubeObject, Resource } from "../../kube/resource.ts";
import { redactText } from "./redact-text.ts";

export type ObjectReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
};

export type Happening = {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
};

export type Series = {
  readonly happening: Happening;
  readonly name: string;
  readonly firstWallMs: number;
  lastWallMs: number;
  count: number;
  /** The count that the server knows; 0 before the first write. */
  countWritten: number;
};

export type KubeEvent = KubeObject & {
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly type: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
};

export const events: Resource<KubeEvent> = {
  ...{ group: "", version: "v1", plural: "events", kind: "Event", namespaced: true },
};

const MESSAGE_LENGTH_MAX = 1_024;
const NAME_LENGTH_MAX = 253;
const NAME_DIGITS = 16;

/** A happening as it will be told: whatever is longer or secret is not kept, either. */
export function tellable(happening: Happening): Happening {
  return { ...happening, message: shorten(redactText(happening.message)) };
}

/** What makes two happenings the same. */
export function identityOf({ about, type, reason, message }: Happening): string {
  return JSON.stringify([about.uid, type, reason, message]);
}

/** A series that has not been counted yet, under a name that nobody else uses. */
export function aSeries(happening: Happening, wallMs: number, rand: Rand): Series {
  const digits = Array.from({ length: NAME_DIGITS }, () => Math.floor(rand.next() * 16).toString(16)).join("");
  const stem = happening.about.name.slice(0, NAME_LENGTH_MAX - NAME_DIGITS - 1).replace(/[^a-z0-9]+$/, "");
  return {
    ...{ happening, name: `${stem}.${digits}`, count: 0, countWritten: 0 },
    ...{ firstWallMs: wallMs, lastWallMs: wallMs },
  };
}

/** The Event for a series as it stands. */
export function toEvent(
  series: Series,
  from: { readonly component: string; readonly instance: string },
): KubeEvent & { readonly metadata: { readonly namespace: string } } {
  const { about, type, reason, message } = series.happening;
  return {
    ...{ apiVersion: "v1", kind: "Event" },
    // An event about an object without a namespace lives in the default one, where `kubectl describe` looks for it.
    metadata: { name: series.name, namespace: about.namespace ?? "default" },
    involvedObject: about,
    ...{ type, reason, message },
    count: series.count,
    firstTimestamp: timestamp(series.firstWallMs),
    lastTimestamp: timestamp(series.lastWallMs),
    source: { component: from.component },
    reportingComponent: from.component,
    reportingInstance: from.instance,
  };
}

/** What changes in the Event when the same thing happens again. */
export function toPatch(series: Series): Patch {
  return { type: "merge", body: { count: series.count, lastTimestamp: timestamp(series.lastWallMs) } };
}

/** API servers refuse messages beyond 1,024 bytes in some versions. */
function shorten(message: string): string {
  if (new TextEncoder().encode(message).length <= MESSAGE_LENGTH_MAX) return message;
  const bytes = new TextEncoder().encode(message).subarray(0, MESSAGE_LENGTH_MAX - "…".length * 3);
  return `${new TextDecoder().decode(bytes).replace(/\uFFFD+$/, "")}…`;
}

function timestamp(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.\d+Z$/, "Z");
}
