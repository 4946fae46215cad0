// A cluster on which the operator is installed as far as its rights go: the roles of `deploy/` and a token of its service account, which the
// API server issues. Whatever acts as the operator in the kinds' end-to-end tests acts so.
// Guarantees: `stop` fails, and with it the file of tests, if the operator ever asked for something that its roles do not allow.
import type { JsonObject } from "../../src/core/json/json.ts";
import type { KubeObject, Resource } from "../../src/kube/resource.ts";
import { installObjects } from "../../tools/gen/deploy/install.ts";
import { NAME, NAMESPACE } from "../../tools/gen/deploy/names.ts";
import type { AuditedRequest } from "../control-plane/audit.ts";
import { type Connection, connect } from "../control-plane/connect.ts";
import { eventually } from "../control-plane/eventually.ts";
import {
  type ClusterWithNodes,
  type ClusterWithNodesOptions,
  startClusterWithNodes,
} from "../kubelets/cluster-with-nodes.ts";
import { issueToken } from "../runtime/access.ts";

/** As the API server calls the operator. */
export const OPERATOR = `system:serviceaccount:${NAMESPACE}:${NAME}`;

export type InstalledCluster = ClusterWithNodes & {
  /** The operator's client: its rights and no others. */
  readonly operator: Connection;
  /** A file with which a process of its own is the operator. */
  readonly operatorKubeconfig: string;
};

type AnyObject = KubeObject & JsonObject;

const RBAC = "rbac.authorization.k8s.io";
const SOON = { deadlineMs: 20_000, everyMs: 50 };
/** What gives the operator its rights, and what it may change but not create. */
const installed: readonly Resource<AnyObject>[] = [
  resource("", "namespaces", "Namespace", false),
  resource("", "serviceaccounts", "ServiceAccount"),
  resource(RBAC, "clusterroles", "ClusterRole", false),
  resource(RBAC, "clusterrolebindings", "ClusterRoleBinding", false),
  resource(RBAC, "roles", "Role"),
  resource(RBAC, "rolebindings", "RoleBinding"),
  resource("coordination.k8s.io", "leases", "Lease"),
  resource("", "secrets", "Secret"),
];

/** Starts everything and resolves when every machine is a node and the operator has its rights. */
export async function startInstalledCluster(options: ClusterWithNodesOptions): Promise<InstalledCluster> {
  const world = await startClusterWithNodes(options);
  try {
    const token = await installIdentity(world);
    const operator = connect(world.cluster.address, token, NAME);
    const operatorKubeconfig = world.cluster.kubeconfigFile(OPERATOR, world.cluster.address, token);
    const stop = async () => {
      operator.close();
      const lacking = await lackingRights(world).finally(world.stop);
      if (lacking.length > 0) throw new Error(`the operator's roles lack: ${lacking.join("; ")}`);
    };
    return { ...world, operator, operatorKubeconfig, stop };
  } catch (error) {
    await world.stop();
    throw error;
  }
}

async function installIdentity({ cluster, admin: { client } }: ClusterWithNodes): Promise<string> {
  for (const object of installObjects()) {
    const place = installed.find(({ kind }) => kind === object.kind);
    if (place !== undefined) await client.create(place, JSON.parse(JSON.stringify(object)));
  }
  // The authorizer learns of roles and of their bindings a moment after they are stored.
  for (const right of [
    { verb: "patch", group: "", resource: "nodes" },
    { verb: "get", group: "coordination.k8s.io", resource: "leases", name: NAME, namespace: NAMESPACE },
  ]) {
    await eventually(`the operator may ${right.verb} ${right.resource}`, () => mayDo(client, right), SOON);
  }
  const account = { kind: "ServiceAccount", name: NAME, namespace: NAMESPACE } as const;
  return (await issueToken(cluster, client, account, "operator-token")).token;
}

async function mayDo(client: Connection["client"], resourceAttributes: object): Promise<true | undefined> {
  const answer = await client.call({
    ...{ verb: "create", resource: "subjectaccessreviews", method: "POST", repeatable: true },
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: {
      ...{ apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview" },
      spec: { user: OPERATOR, resourceAttributes },
    },
  });
  return JSON.parse(new TextDecoder().decode(answer.body)).status.allowed === true || undefined;
}

/** What the operator was refused for want of a right. A server that has just started knows no roles yet, so each is asked for again. */
async function lackingRights({ cluster, admin: { client } }: ClusterWithNodes): Promise<readonly string[]> {
  const forbidden = new Map(cluster.forbidden(OPERATOR).map((request) => [sentenceOf(request), request]));
  const lacking = await Promise.all(
    [...forbidden].map(async ([sentence, { verb, apiGroup: group, resource: plural, subresource, namespace, name }]) =>
      (await mayDo(client, { verb, group, resource: plural, subresource, namespace, name })) ? [] : [sentence],
    ),
  );
  return lacking.flat().sort();
}

function sentenceOf({ verb, resource: plural, subresource, apiGroup, namespace, name }: AuditedRequest): string {
  const what = [plural, subresource].filter(Boolean).join("/");
  return `${verb} ${what}${apiGroup ? `.${apiGroup}` : ""} ${[namespace, name].filter(Boolean).join("/")}`.trim();
}

function resource(group: string, plural: string, kind: string, namespaced = true): Resource<AnyObject> {
  return { group, version: "v1", plural, kind, namespaced };
}
