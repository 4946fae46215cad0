// The kubeconfig of the embedded API server: the file that makes stock kubectl, and our own client, talk to it.
import { stringify } from "yaml";

/** The name of cluster, user and context alike. */
export const CONTEXT_NAME = "farrier-demo";

/** The server looks at no token, but clients that have none may ask a person for a password. */
const ANY_TOKEN = "every-token-may-do-everything";

export type KubeconfigWish = {
  /** "https://127.0.0.1:6443". */
  readonly url: string;
  /** The authority to trust, as PEM; none for plain HTTP. */
  readonly ca?: string | undefined;
  readonly namespace?: string;
};

/** The text of a kubeconfig with one context, which is the current one. */
export function writeKubeconfig({ url, ca, namespace = "default" }: KubeconfigWish): string {
  const trust = ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": CONTEXT_NAME,
    clusters: [{ name: CONTEXT_NAME, cluster: { server: url, ...trust } }],
    users: [{ name: CONTEXT_NAME, user: { token: ANY_TOKEN } }],
    contexts: [{ name: CONTEXT_NAME, context: { cluster: CONTEXT_NAME, user: CONTEXT_NAME, namespace } }],
  };
  return stringify(config, { lineWidth: 0 });
}
