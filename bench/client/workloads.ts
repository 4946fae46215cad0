// The three works that every subject does, and what each must have done at the end: a subject that did less is no subject.

export type WorkloadName = "patch" | "list" | "watch";

export type Workload = {
  readonly name: WorkloadName;
  readonly title: string;
  /** Objects patched, listed, or left in the cache at the end. */
  readonly objects: number;
};

export const PATCHES = 2_000;
export const PATCHES_IN_FLIGHT = 32;
export const NODES = 5_000;
export const POD_EVENTS = 20_000;
export const PODS_LEFT = 8_000;

export const workloads: readonly Workload[] = [
  { name: "patch", title: "2,000 PATCHes, 32 in flight", objects: PATCHES },
  { name: "list", title: "5,000 nodes of 8 KB", objects: NODES },
  { name: "watch", title: "20,000 events of 4.8 KB", objects: PODS_LEFT },
];
