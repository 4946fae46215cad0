// The definitions of all kinds, for who installs them and for who checks what is installed.
import type { CrdSource } from "./crd.ts";
import { daemonSetCrd } from "./daemon-set/crd.ts";
import { moduleCrd } from "./module/crd.ts";
import { variantSetCrd } from "./variant-set/crd.ts";

/** Every kind's definition. */
export const ALL_DEFINITIONS: readonly CrdSource[] = [variantSetCrd, daemonSetCrd, moduleCrd];
