// What befalls an image registry: images that are missing for a while, tags that are moved, a registry that nobody reaches, that
// wants credentials, that takes long, and one that answers differently from one moment to the next.

import type { WeatheredRegistry } from "../network/weathered-registry.ts";
import type { WorldFault } from "../scenario.ts";
import type { World } from "../world.ts";
import { slowMsOf } from "./faults.ts";

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
  const onImage = (
    { name, rate }: { readonly name: string; readonly rate: number },
    strike: (registry: WeatheredRegistry, image: string, forMs: number) => void,
  ): WorldFault => ({
    ...{ name, rate },
    strike: (world, fault) => {
      const registry = registryOf(world);
      const images = registry?.asked ?? [];
      const image = images.length === 0 ? undefined : images[fault.pick(images.length)];
      if (registry === undefined || image === undefined) return undefined;
      const forMs = slowMsOf(fault) * 2;
      strike(registry, image, forMs);
      return `${image} for ${forMs} ms`;
    },
  });
  return [
    whole("registry-unreachable", (registry, forMs) => registry.beUnreachable(forMs)),
    whole("registry-flaps", (registry, forMs) => registry.flap(forMs)),
    whole("registry-denies", (registry, forMs) => registry.deny(forMs)),
    whole("registry-slow", (registry, forMs) => registry.slowDown(forMs)),
    onImage({ name: "registry-loses-image", rate: 0.05 }, (registry, image, forMs) => registry.lose(image, forMs)),
    onImage({ name: "registry-moves-tag", rate: 0.03 }, (registry, image) => registry.move(image)),
  ];
}
