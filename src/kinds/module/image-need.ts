// Where the two halves of a Module meet: deciding says which images its nodes need, building says how far each of them is.
// A node is given an image only when it is ready; until then it keeps what it has.
import type { Reason } from "../../core/reasons.ts";
import type { Snapshot, StoredObject } from "../../core/snapshot.ts";
import type { Step } from "../../core/step.ts";
import type { ImageQuestion } from "../kind.ts";
import type { KernelMapping, Module } from "./spec.ts";

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
  | { readonly is: "ready"; readonly digest?: string }
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
  readonly lookAgainAtMs?: number;
};
