// From the description of a fleet to its machines. Mixes are divided exactly and dealt out by the fleet's seed, so that the
// same file gives the same machines everywhere.
import type { Rand } from "../../src/kube/rand.ts";
import type { MachineSpec } from "../nodes/machine.ts";
import { seededRand } from "../seeded-rand.ts";
import { apportion } from "./apportion.ts";
import type { Fleet, MachineGroup, Mix } from "./fleet.ts";

export type FleetWish = {
  /** As many machines in all, in the proportion of the groups; what the file says when absent. */
  readonly count?: number;
};

/** The machines of a fleet, group by group. */
export function expandFleet(fleet: Fleet, { count }: FleetWish = {}): readonly MachineSpec[] {
  const rand = seededRand(fleet.seed);
  const sizes = fleet.groups.map((group) => group.count);
  const counts = count === undefined ? sizes : apportion(sizes, count);
  return fleet.groups.flatMap((group, place) => expandGroup(group, counts[place] ?? 0, rand));
}

function expandGroup(group: MachineGroup, count: number, rand: Rand): readonly MachineSpec[] {
  const { osImage, arch, taints, capacity } = group;
  const kernels = deal(group.kernel, count, rand);
  const labels = Object.entries(group.labels).map(([key, mix]) => [key, deal(mix, count, rand)] as const);
  return Array.from({ length: count }, (_, place) => ({
    name: numbered(group.name, place + 1),
    kernel: kernels[place] ?? "",
    labels: Object.fromEntries(labels.map(([key, values]) => [key, values[place] ?? ""])),
    ...{ osImage, arch, taints, capacity },
  }));
}

/** The name with the number in place of its last run of `#`, longer than that if it must be. */
export function numbered(pattern: string, number: number): string {
  return pattern.replace(/#+(?=[^#]*$)/, (digits) => String(number).padStart(digits.length, "0"));
}

/** As many values as machines, each in the proportion of its weight, in an order that chance decides. */
function deal(mix: Mix, count: number, rand: Rand): readonly string[] {
  const parts = apportion(
    mix.map(({ weight }) => weight),
    count,
  );
  const values = mix.flatMap(({ value }, place) => Array<string>(parts[place] ?? 0).fill(value));
  return shuffled(values, rand);
}

/** Fisher–Yates, from the back. */
function shuffled(values: readonly string[], rand: Rand): readonly string[] {
  const dealt = [...values];
  for (let last = dealt.length - 1; last > 0; last--) {
    const chosen = Math.floor(rand.next() * (last + 1));
    [dealt[last], dealt[chosen]] = [dealt[chosen] ?? "", dealt[last] ?? ""];
  }
  return dealt;
}
