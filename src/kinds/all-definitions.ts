// The definitions of all kinds, for who installs them and for who checks what is installed.
import type { CrdSource } from "./crd.ts";
import { daemonSetCrd } from "./daemon-set/crd.ts";
import type { Kind } from "./kind.ts";
import { moduleCrd } from "./module/crd.ts";
import { variantSetCrd } from "./variant-set/crd.ts";

/** Every kind's definition. */
export const ALL_DEFINITIONS: readonly CrdSource[] = [variantSetCrd, daemonSetCrd, moduleCrd];

/** What our definition of a kind is made from; undefined for a kind that we do not define. */
export function definitionSource({ kind, group }: Pick<Kind, "kind" | "group">): CrdSource | undefined {
  return ALL_DEFINITIONS.find(({ names }) => names.kind === kind && names.group === group);
}
