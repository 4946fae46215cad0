// Where each webhook is served: the paths that the installed configurations name. Those of Kruise and of the patch proposal are
// kept, so that configurations which people have already work.
import type { Kind } from "../kinds/kind.ts";

export const CONVERT_PATH = "/convert";

type Named = Pick<Kind, "group" | "kind">;

/** Further paths of validators, by `group kind`: the proposal for patches gives its own one a path. */
const FURTHER_PATHS: Readonly<Record<string, string>> = { "apps.kruise.io DaemonSet": "/validate-daemonset-patches" };

/** `/validate-apps-kruise-io-daemonset` and the like: where objects of a kind are judged, our own path first. */
export function validatePaths(kind: Named): readonly string[] {
  const further = FURTHER_PATHS[`${kind.group} ${kind.kind}`];
  return [`/validate-${slug(kind)}`, ...(further === undefined ? [] : [further])];
}

/** `/mutate-apps-kruise-io-daemonset`: where objects of a kind get their defaults. */
export function defaultsPath(kind: Named): string {
  return `/mutate-${slug(kind)}`;
}

function slug({ group, kind }: Named): string {
  return `${group.replaceAll(".", "-")}-${kind.toLowerCase()}`;
}
