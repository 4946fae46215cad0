// The versions in which objects of a kind come to the webhooks.
import type { Kind } from "../kinds/kind.ts";

/** `v1beta1` and the like, the stored one first. */
export function versionsOf({ version, conversion }: Pick<Kind, "version" | "conversion">): readonly string[] {
  return [version, ...(conversion?.otherVersions ?? [])];
}

/** `apps.kruise.io/v1beta1` and the like, the stored one first. */
export function apiVersionsOf(kind: Kind): readonly string[] {
  return versionsOf(kind).map((each) => `${kind.group}/${each}`);
}
