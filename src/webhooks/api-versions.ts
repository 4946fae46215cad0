// The versions in which objects of a kind come to the webhooks.
import type { Kind } from "../kinds/kind.ts";

/** `apps.kruise.io/v1beta1` and the like, the stored one first. */
export function apiVersionsOf({ group, version, conversion }: Kind): readonly string[] {
  return [version, ...(conversion?.otherVersions ?? [])].map((each) => `${group}/${each}`);
}
