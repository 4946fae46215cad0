// All benchmarks, in the order in which they are listed.
import type { Benchmark } from "./benchmark.ts";
import { client } from "./client/index.ts";
import { core } from "./core/index.ts";
import { daemonSet } from "./daemon-set/index.ts";
import { daemonSetPatches } from "./daemon-set-patches/index.ts";
import { module } from "./module/index.ts";
import { sim } from "./sim/index.ts";
import { variantSet } from "./variant-set/index.ts";

export const benchmarks: readonly Benchmark[] = [core, client, sim, module, variantSet, daemonSetPatches, daemonSet];
