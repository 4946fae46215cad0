// Where the cluster is and who we are there. Explicit wishes come first, then the pod we run in, then the user's kubeconfig.
//
// Beside this file:
//   config-in-cluster.ts: the service account of a pod
//   config-kubeconfig.ts, config-kubeconfig-file.ts, located-yaml.ts: the user's kubeconfig
//   config-exec.ts, exec-credential.ts: credential plugins
//   credentials.ts, credential-parts.ts, reread-file.ts: tokens and certificates that rotate
//   cluster-config.ts: what all of these produce
import type { ClusterConfig, ConfigParts, ConfigWishes } from "./cluster-config.ts";
import { inClusterConfig, isInCluster } from "./config-in-cluster.ts";
import { kubeconfigConfig } from "./config-kubeconfig.ts";

/** Finds the configuration; throws an error that says where it looked and what is wrong there. */
export function loadConfig(parts: ConfigParts, wishes: ConfigWishes = {}): Promise<ClusterConfig> {
  const hasWish = [wishes.kubeconfig, wishes.context, parts.env.KUBECONFIG].some(
    (wish) => wish !== undefined && wish !== "",
  );
  return !hasWish && isInCluster(parts.env) ? inClusterConfig(parts) : kubeconfigConfig(parts, wishes);
}
