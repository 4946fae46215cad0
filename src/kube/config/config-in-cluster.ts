// The configuration that Kubernetes gives every pod: an address in the environment, and a service account's token,
// authority and namespace in files that the kubelet keeps current.
import type { ClusterConfig, ConfigParts } from "./cluster-config.ts";
import { credentialSource } from "./credential-parts.ts";
import { faultOfPem, faultOfToken, RereadFile } from "./reread-file.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** True when the environment is that of a pod. */
export function isInCluster(env: ConfigParts["env"]): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST) && Boolean(env.KUBERNETES_SERVICE_PORT);
}

/** The pod's own configuration; throws when the token is not mounted. */
export async function inClusterConfig(parts: ConfigParts): Promise<ClusterConfig> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = parts.env;
  const token = new RereadFile(parts, `${folder}/token`, faultOfToken);
  const ca = new RereadFile(parts, `${folder}/ca.crt`, faultOfPem);
  try {
    await Promise.all([token.read(), ca.read()]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy = "give the pod a service account and leave automountServiceAccountToken on";
    throw new Error(`this pod has no credentials for its cluster: ${why}; ${remedy}`, { cause });
  }
  return {
    origin: "the service account of this pod",
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: await ownNamespace(parts),
    credentials: credentialSource({ token, ca }),
  };
}

async function ownNamespace(parts: ConfigParts): Promise<string> {
  try {
    return new TextDecoder().decode(await parts.files.read(`${folder}/namespace`)).trim() || "default";
  } catch {
    // The file is a convenience; a pod with projected credentials of its own may leave it out.
    return "default";
  }
}
