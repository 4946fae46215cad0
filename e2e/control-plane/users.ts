// Who may call the API server: a static token per user, with the rights of its groups. Pure but for the tokens.
import { randomBytes } from "node:crypto";

export type User = { readonly name: string; readonly groups: readonly string[] };

const ALL_RIGHTS = "system:masters";

/** May do everything. */
export const ADMIN: User = { name: "admin", groups: [ALL_RIGHTS] };
/** Is known to the API server and has no rights but those of every authenticated user. */
export const NOBODY: User = { name: "nobody", groups: [] };
/** The simulated kubelets; a name of their own keeps them apart in the audit log. */
export const KUBELETS: User = { name: "simulated-kubelets", groups: [ALL_RIGHTS] };
export const CONTROLLERS: User = { name: "system:kube-controller-manager", groups: [ALL_RIGHTS] };
export const SCHEDULER: User = { name: "system:kube-scheduler", groups: [ALL_RIGHTS] };

export const BUILT_IN_USERS: readonly User[] = [ADMIN, NOBODY, KUBELETS, CONTROLLERS, SCHEDULER];

/** A secret that nobody can guess. */
export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

/** The content of a token-auth-file: token, user, uid and the quoted groups on each line. */
export function tokenFile(tokens: ReadonlyMap<string, string>, users: readonly User[]): string {
  const lines = users.map(({ name, groups }) => {
    const rights = groups.length > 0 ? `,"${groups.join(",")}"` : "";
    return `${tokens.get(name)},${name},uid-${name.replaceAll(":", "-")}${rights}`;
  });
  return `${lines.join("\n")}\n`;
}

export type ServerAddress = { readonly url: string; readonly ca: string };

/** A kubeconfig for one user of one server; JSON is YAML, so no writer is needed. */
export function kubeconfig(server: ServerAddress, user: string, token: string): string {
  const ca = Buffer.from(server.ca).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "e2e", cluster: { server: server.url, "certificate-authority-data": ca } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: "e2e", context: { cluster: "e2e", user, namespace: "default" } }],
    "current-context": "e2e",
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
