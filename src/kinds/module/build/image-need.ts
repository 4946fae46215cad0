// Where the two halves of a Module meet: deciding says which images its nodes need, building says how far each of them is.
// A node is given an image only when it is ready; until then it keeps what it has.
import type { Reason } from "../../../core/decision/reasons.ts";
import type { Snapshot, StoredObject } from "../../../core/decision/snapshot.ts";
import type { Step } from "../../../core/decision/step.ts";
import type { ImageQuestion } from "../../kind.ts";
import type { KernelMapping, Module } from "../api/spec.ts";

/** One image that nodes of one kernel need. */
export type ImageNeed = {
  /** The release, letter by letter. */
  readonly kernel: string;
  readonly mapping: KernelMapping;
  /** The image with its variables filled in. */
  readonly image: string;
  /** In Go's words; empty where the nodes do not say. */
  readonly arch: string;
  /** How many nodes need it. */
  readonly nodes: number;
};

/** How far an image is. */
export type ImageProgress =
  | {
      readonly is: "ready";
      readonly digest?: string;
      /** Pods are to name it by the digest: it was made here, or its author asked for it to be looked up anew. */
      readonly isPinned?: boolean;
      /** What it was made from and by which Job, where that was here. */
      readonly recipe?: string;
      readonly madeBy?: string;
      /** The digest that its tag stands for by now, if pods are pinned to another. */
      readonly movedTo?: string;
    }
  | {
      readonly is: "waiting" | "building" | "signing" | "failed" | "missing" | "unreachable";
      readonly reason: Reason;
      /** A clause that can follow "because". */
      readonly because: string;
    };

export type BuildInput = {
  readonly module: Module;
  readonly stored: StoredObject;
  /** In the order of kernel, image and architecture, each combination once. */
  readonly wanted: readonly ImageNeed[];
  readonly snapshot: Snapshot;
  readonly nowMs: number;
};

export type BuildPlan = {
  /** Jobs to create and delete, and what people should be told of them. */
  readonly steps: readonly Step[];
  readonly asks: readonly ImageQuestion[];
  /** By image: every wanted one has an entry. */
  readonly images: ReadonlyMap<string, ImageProgress>;
  /** What the status should give as the value of the rebuild trigger that the images were last made for; absent when there is none. */
  readonly rebuiltFor?: number;
  /** Since when a new value of the trigger is being served, in wall ms; absent when it has been. */
  readonly rebuildingSinceMs?: number;
  readonly lookAgainAtMs?: number;
};
