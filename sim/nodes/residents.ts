// The machines that have joined, and what the API knows of each.
import type { Rand } from "../../src/kube/rand.ts";
import type { Machine, MachineSpec } from "./machine.ts";

/** A machine of ours and what the API knows of it. */
export type Resident = {
  readonly machine: Machine;
  /** Undefined until the kubelet has registered its node since it was started. */
  readonly nodeUid: string | undefined;
  /** Whether the API has the status of this boot. */
  readonly isReported: boolean;
  readonly hasLease: boolean;
};

const ADDRESSES = 2 ** 23;

export class Residents {
  readonly #byName = new Map<string, Resident>();
  readonly #rand: Rand;
  #addressesGiven: number;

  constructor(rand: Rand) {
    this.#rand = rand;
    // Not from the beginning: kubelets that were started again must not give the addresses of pods that are there.
    this.#addressesGiven = Math.floor(rand.next() * ADDRESSES);
  }

  get size(): number {
    return this.#byName.size;
  }

  names(): Iterable<string> {
    return this.#byName.keys();
  }

  specs(): readonly MachineSpec[] {
    return [...this.#byName.values()].map(({ machine }) => machine.spec);
  }

  get(name: string): Resident | undefined {
    return this.#byName.get(name);
  }

  /** A machine that must be there; throws otherwise. */
  known(name: string): Resident {
    const resident = this.#byName.get(name);
    if (resident === undefined) throw new Error(`no machine "${name}" has joined`);
    return resident;
  }

  set(name: string, resident: Resident): void {
    this.#byName.set(name, resident);
  }

  /** Replaces a resident unless it has changed since it was read. */
  replace(name: string, was: Resident, now: Resident): boolean {
    if (this.#byName.get(name) !== was) return false;
    this.#byName.set(name, now);
    return true;
  }

  delete(name: string): void {
    this.#byName.delete(name);
  }

  newBootId(): string {
    const word = () =>
      Math.floor(this.#rand.next() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return Array.from({ length: 4 }, word)
      .join("")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  newAddress(): string {
    const number = ++this.#addressesGiven % ADDRESSES;
    return `10.${64 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
  }
}
