// Settings that nobody would choose: tiny pages, early timeouts, one worker, an order at random. Production code takes its limits as
// arguments, so a seed can turn them without a branch in it; what must hold does not depend on them.
import type { FaultSpec, Faults } from "./faults.ts";

/** The values that a setting may take beside its own, by its name. */
export type OddTable = Readonly<Record<string, readonly number[]>>;

/** What one life of a process has been given: settings that are left out have their usual values. */
export type Oddities<T extends OddTable> = { readonly [Name in keyof T]?: number };

/** Each setting is a fault of its own; this is how often a life of the process has an odd one. */
const ODD_RATE = 0.5;

/** The settings of a process as faults. */
export function oddSettings(role: string, table: OddTable): readonly FaultSpec[] {
  return Object.keys(table).map((name) => ({ name: nameOf(role, name), rate: ODD_RATE }));
}

/** Draws the settings of a process for the life that begins. */
export function drawSettings<T extends OddTable>(faults: Faults, role: string, table: T): Oddities<T> {
  const drawn: { [Name in keyof T]?: number } = {};
  for (const name in table) {
    const fault = faults.fault(nameOf(role, name));
    if (fault.strikes()) drawn[name] = table[name]?.[fault.pick(table[name].length)] ?? 0;
  }
  return drawn;
}

function nameOf(role: string, setting: string): string {
  return `${role}-odd-${setting}`;
}
