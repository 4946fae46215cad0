// An image registry in a simulated cluster, and what befalls it: images that are missing for a while, a registry that nobody
// reaches, and one that answers differently from one moment to the next. Kubelets pull from it; others may ask it.
import type { Clock } from "../../src/kube/clock.ts";
import type { Registry } from "../nodes/registry.ts";
import { slowMsOf } from "./faults.ts";
import type { WorldFault } from "./scenario.ts";
import type { World } from "./world.ts";

export type ImageWeather = "there" | "missing" | "unreachable";

/** A registry that flaps changes its mind this often. */
const FLAP_MS = 700;
/** Images that faults choose from; those that were asked for first. */
const KNOWN_MAX = 100;

export class WeatheredRegistry {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #asked = new Set<string>();
  readonly #missingUntilMs = new Map<string, number>();
  #unreachableUntilMs = 0;
  #flapsUntilMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** What somebody finds out who asks for an image now. */
  stateOf(image: string): ImageWeather {
    if (this.#asked.size < KNOWN_MAX) this.#asked.add(image);
    const nowMs = this.#clock.monotonicMs();
    const isFlapping = this.#flapsUntilMs > nowMs && Math.floor(nowMs / FLAP_MS) % 2 === 0;
    if (this.#unreachableUntilMs > nowMs || isFlapping) return "unreachable";
    return (this.#missingUntilMs.get(image) ?? 0) > nowMs ? "missing" : "there";
  }

  /** The same for kubelets, to whom an image that cannot be had is missing, whatever the reason. */
  readonly pull: Registry = (image) =>
    this.stateOf(image) === "there" ? { is: "there", pullMs: 0 } : { is: "missing" };

  /** The images that were asked for. */
  get asked(): readonly string[] {
    return [...this.#asked].sort();
  }

  lose(image: string, forMs: number): void {
    this.#missingUntilMs.set(image, this.#clock.monotonicMs() + forMs);
  }

  beUnreachable(forMs: number): void {
    this.#unreachableUntilMs = this.#clock.monotonicMs() + forMs;
  }

  flap(forMs: number): void {
    this.#flapsUntilMs = this.#clock.monotonicMs() + forMs;
  }
}

/** The faults of a registry; `registryOf` gives that of the run. */
export function registryFaults(registryOf: (world: World) => WeatheredRegistry | undefined): readonly WorldFault[] {
  const whole = (name: string, strike: (registry: WeatheredRegistry, forMs: number) => void): WorldFault => ({
    ...{ name, rate: 0.03 },
    strike: (world, fault) => {
      const registry = registryOf(world);
      if (registry === undefined) return undefined;
      const forMs = slowMsOf(fault) * 2;
      strike(registry, forMs);
      return `for ${forMs} ms`;
    },
  });
  return [
    whole("registry-unreachable", (registry, forMs) => registry.beUnreachable(forMs)),
    whole("registry-flaps", (registry, forMs) => registry.flap(forMs)),
    {
      ...{ name: "registry-loses-image", rate: 0.05 },
      strike: (world, fault) => {
        const registry = registryOf(world);
        const images = registry?.asked ?? [];
        const image = images.length === 0 ? undefined : images[fault.pick(images.length)];
        if (registry === undefined || image === undefined) return undefined;
        const forMs = slowMsOf(fault) * 2;
        registry.lose(image, forMs);
        return `${image} for ${forMs} ms`;
      },
    },
  ];
}
