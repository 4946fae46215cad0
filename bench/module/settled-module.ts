// A Module that has nothing to do in a large fleet of eight kernels.
import type { JsonObject } from "../../src/core/json/json.ts";
import { bindingLabel, KERNEL_VERSION, readyLabel } from "../../src/kinds/module/module-labels.ts";
import { aNodeObject, mappedModule } from "../../src/kinds/module/testing/module-builders.ts";
import { ModuleStage } from "../../src/kinds/module/testing/module-stage.ts";
import { type SettledFleet, settledFleet } from "../core/settled-fleet.ts";

const KERNELS: readonly string[] = Array.from({ length: 8 }, (_, index) => `6.8.0-${40 + index}-generic`);
const MODULE = { namespace: "default", name: "my-kmod" };

/** The Module in a fleet of so many nodes. */
export function settledModule(count: number): SettledFleet {
  const mappings = [{ regexp: "generic$", containerImage: `registry.example.com/kmod:\${KERNEL_FULL_VERSION}` }];
  const stage = new ModuleStage(KERNELS.map((kernel, index) => ({ name: `seed-${index}`, kernel })));
  stage.store(mappedModule(mappings)).settle();
  const { kind, cluster, nowMs } = stage;
  return settledFleet(
    {
      ...{ kind, cluster, nowMs, stored: stage.stored() },
      isBound: ({ kernel }, { labels }) => kernel.raw === labels[KERNEL_VERSION],
    },
    {
      count,
      nodeAt: (place) => boundNode(place, kernelAt(place), kernelAt(place)),
      rebooted: KERNELS.slice(1).map((kernel) => boundNode(0, kernel, kernelAt(0))),
    },
  );
}

function kernelAt(place: number): string {
  return KERNELS[place % KERNELS.length] ?? "";
}

function boundNode(place: number, kernel: string, bound: string): JsonObject {
  const labels = { [bindingLabel(MODULE)]: bound, [readyLabel(MODULE)]: "", [KERNEL_VERSION]: bound };
  return aNodeObject({ name: `node-${String(place).padStart(5, "0")}`, kernel, labels });
}
