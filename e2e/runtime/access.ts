// Who may do what, given and taken away again while a test runs: rights on ConfigMaps, and tokens that can be revoked.

import type { Client } from "../../src/kube/client/client.ts";
import { type KubeObject, namedKey, type Resource } from "../../src/kube/resource.ts";
import type { Cluster } from "../control-plane/cluster.ts";
import { eventually } from "../control-plane/eventually.ts";
import { call } from "../control-plane/https-call.ts";
import { field } from "./etcd-gateway.ts";

export type ServiceAccount = { readonly kind: "ServiceAccount"; readonly name: string; readonly namespace: string };
export type Subject = ServiceAccount | { readonly kind: "User"; readonly name: string };

/** A right that can be withdrawn and given back. */
export type Grant = { withdraw(): Promise<void>; giveBack(): Promise<void> };

/** A token and the way to make it worthless. */
export type IssuedToken = { readonly token: string; revoke(): Promise<void> };

type Role = KubeObject & { readonly rules: readonly unknown[] };
type Binding = KubeObject & { readonly roleRef: unknown; readonly subjects: readonly Subject[] };

const RBAC = "rbac.authorization.k8s.io";
const roles: Resource<Role> = { group: RBAC, version: "v1", plural: "roles", kind: "Role", namespaced: true };
const bindings: Resource<Binding> = {
  ...{ group: RBAC, version: "v1", plural: "rolebindings", kind: "RoleBinding" },
  namespaced: true,
};
const accounts: Resource = {
  ...{ group: "", version: "v1", plural: "serviceaccounts", kind: "ServiceAccount" },
  namespaced: true,
};
const secrets: Resource = { group: "", version: "v1", plural: "secrets", kind: "Secret", namespaced: true };

/** Servers remember for ten seconds that a token was good. */
const REVOKED_DEADLINE = { deadlineMs: 30_000, everyMs: 250 };
const TOKEN_SECONDS = 3_600;

/** Lets a subject do this to the ConfigMaps of a namespace. */
export async function grant(
  client: Client,
  namespace: string,
  subject: Subject,
  verbs: readonly string[],
): Promise<Grant> {
  const metadata = { name: subject.name, namespace };
  const role = { apiVersion: `${RBAC}/v1`, kind: "Role", metadata };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs }];
  await client.create(roles, { ...role, rules });
  const binding: Binding = {
    ...{ apiVersion: `${RBAC}/v1`, kind: "RoleBinding", metadata, subjects: [subject] },
    roleRef: { apiGroup: RBAC, kind: "Role", name: subject.name },
  };
  const giveBack = async () => void (await client.create(bindings, binding));
  await giveBack();
  return { giveBack, withdraw: async () => void (await client.remove(bindings, namedKey(subject.name, namespace))) };
}

/** Makes a service account without any rights. */
export async function makeServiceAccount(client: Client, namespace: string, name: string): Promise<ServiceAccount> {
  await client.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
  return { kind: "ServiceAccount", name, namespace };
}

/** Issues a token of a service account that is good as long as a Secret of this name exists. */
export async function issueToken(
  cluster: Cluster,
  client: Client,
  account: ServiceAccount,
  name: string,
): Promise<IssuedToken> {
  const { namespace } = account;
  const anchor = await client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: { name, namespace } });
  const answer = await client.call({
    ...{ verb: "create", resource: "serviceaccounts/token", method: "POST", repeatable: true },
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account.name}/token`,
    body: {
      ...{ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
      spec: {
        expirationSeconds: TOKEN_SECONDS,
        boundObjectRef: { apiVersion: "v1", kind: "Secret", name, uid: anchor.metadata.uid },
      },
    },
  });
  const token = String(field(field(JSON.parse(new TextDecoder().decode(answer.body)), "status"), "token"));
  const revoke = async () => {
    await client.remove(secrets, namedKey(name, namespace));
    const isRefused = async () => (await statusFor(cluster, token, namespace)) === 401 || undefined;
    await eventually(`token "${name}" is refused`, isRefused, REVOKED_DEADLINE);
  };
  return { token, revoke };
}

/** The status with which the server answers the bearer of a token who lists the ConfigMaps of a namespace. */
export async function statusFor(cluster: Cluster, token: string, namespace: string): Promise<number> {
  const { url, ca } = cluster.address;
  return (await call(`${url}/api/v1/namespaces/${namespace}/configmaps`, { ca, token })).status;
}
