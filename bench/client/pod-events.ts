// The watch of the benchmark as numbers: which event concerns which pod. Of ten events five add, four change and one
// deletes a pod, so the pods that are left are fewer than the events by far, as in a cluster that rolls something out.

export type PodEvent = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly pod: number };

const CYCLE: readonly PodEvent["type"][] = [
  ...Array.from({ length: 5 }, () => "ADDED" as const),
  ...Array.from({ length: 4 }, () => "MODIFIED" as const),
  "DELETED",
];
const ADDED_PER_CYCLE = CYCLE.filter((type) => type === "ADDED").length;

/** The event of this number, counted from 0. */
export function podEvent(index: number): PodEvent {
  const cycle = Math.floor(index / CYCLE.length);
  const place = index % CYCLE.length;
  const type = CYCLE[place] ?? "ADDED";
  switch (type) {
    case "ADDED":
      return { type, pod: cycle * ADDED_PER_CYCLE + place };
    case "MODIFIED":
      return { type, pod: cycle * ADDED_PER_CYCLE + place - ADDED_PER_CYCLE };
    case "DELETED":
      // The oldest pod that is left: whoever holds pods must let go of old memory, not only of fresh.
      return { type, pod: cycle };
  }
}
