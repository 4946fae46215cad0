// The definitions of all kinds, for who installs them and for who checks what is installed.

import { daemonSetCrd } from "./daemon-set/api/crd.ts";
import type { Kind } from "./kind.ts";
import { moduleCrd } from "./module/api/crd.ts";
import type { CrdSource } from "./schema/crd.ts";
import { variantSetCrd } from "./variant-set/api/crd.ts";

/** Every kind's definition. */
export const ALL_DEFINITIONS: readonly CrdSource[] = [variantSetCrd, daemonSetCrd, moduleCrd];

/** What our definition of a kind is made from; undefined for a kind that we do not define. */
export function definitionSource({ kind, group }: Pick<Kind, "kind" | "group">): CrdSource | undefined {
  return ALL_DEFINITIONS.find(({ names }) => names.kind === kind && names.group === group);
}
