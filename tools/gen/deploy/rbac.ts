// What the operator may do: the least with which everything works. No wildcard, and no verb on Secrets outside its own namespace.
import type { JsonObject } from "../../../src/core/json/json.ts";
import { createKinds } from "../../../src/kinds/all-kinds.ts";
import { DEFAULTER, PATCHES_VALIDATOR, VALIDATOR } from "../../../src/webhooks/webhook-configurations.ts";
import { kindSources } from "../crds.ts";
import { CERTIFICATE_SECRET, labels, NAME, NAMESPACE } from "./names.ts";

const READ = ["get", "list", "watch"];

type Rule = {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
};

const ofOurKinds: readonly Rule[] = kindSources.flatMap(([, { names, versions }]): readonly Rule[] => [
  { apiGroups: [names.group], resources: [names.plural], verbs: READ },
  { apiGroups: [names.group], resources: [`${names.plural}/status`], verbs: ["patch"] },
  ...(versions.some(({ scale }) => scale !== undefined)
    ? [{ apiGroups: [names.group], resources: [`${names.plural}/scale`], verbs: ["patch"] }]
    : []),
  // Where the API server forbids an owner reference that blocks deletion to whoever may not set finalizers.
  { apiGroups: [names.group], resources: [`${names.plural}/finalizers`], verbs: ["update"] },
]);

const crdNames = kindSources.map(([, { names }]) => `${names.plural}.${names.group}`);

/** Another operator for a kind of ours is noticed by its Lease and its webhooks, and by nothing else of it. */
const ofRivals: readonly Rule[] = createKinds().flatMap(({ rival }): readonly Rule[] => {
  if (rival === undefined) return [];
  const { lease, webhooks } = rival;
  const named = (group: string, resource: string, resourceNames: readonly string[]) => ({
    ...{ apiGroups: [group], resources: [resource], resourceNames, verbs: ["get"] },
  });
  const rules = [
    named("coordination.k8s.io", "leases", [lease.name]),
    named("admissionregistration.k8s.io", "mutatingwebhookconfigurations", webhooks.mutating),
    named("admissionregistration.k8s.io", "validatingwebhookconfigurations", webhooks.validating),
  ];
  // A rule without names is one for all of them.
  return rules.filter(({ resourceNames }) => resourceNames.length > 0);
});

export const clusterRules: readonly Rule[] = [
  // Labels are applied to nodes; nothing else of them is written.
  { apiGroups: [""], resources: ["nodes"], verbs: [...READ, "patch"] },
  { apiGroups: [""], resources: ["namespaces"], verbs: READ },
  ...ofOurKinds,
  { apiGroups: [""], resources: ["pods"], verbs: [...READ, "create", "patch", "delete"] },
  { apiGroups: [""], resources: ["pods/status", "pods/resize"], verbs: ["patch"] },
  {
    ...{ apiGroups: ["apps"], resources: ["daemonsets", "controllerrevisions"] },
    verbs: [...READ, "create", "patch", "delete"],
  },
  // The Dockerfiles of builds, by their names: nothing is listed or watched.
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
  { apiGroups: ["batch"], resources: ["jobs"], verbs: [...READ, "create", "patch", "delete"] },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
  {
    ...{ apiGroups: ["admissionregistration.k8s.io"], resources: ["validatingwebhookconfigurations"] },
    ...{ verbs: ["get", "patch"], resourceNames: [VALIDATOR, PATCHES_VALIDATOR] },
  },
  {
    ...{ apiGroups: ["admissionregistration.k8s.io"], resources: ["mutatingwebhookconfigurations"] },
    ...{ verbs: ["get", "patch"], resourceNames: [DEFAULTER] },
  },
  {
    ...{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] },
    ...{ verbs: ["get", "patch"], resourceNames: crdNames },
  },
  ...ofRivals,
];

/** In its own namespace. The Lease and the Secret are installed empty, so that nobody has to be allowed to create any. */
export const ownRules: readonly Rule[] = [
  {
    ...{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: [NAME] },
    verbs: ["get", "update"],
  },
  { apiGroups: [""], resources: ["secrets"], resourceNames: [CERTIFICATE_SECRET], verbs: ["get", "update"] },
];

/** The role of the patch proposal, under its name. The operator needs less and more, so it is bound to nobody: who edits patches can be. */
const PATCHES_ROLE = "kruise-daemonset-patches-controller";
export const patchesRules: readonly Rule[] = [
  { apiGroups: [""], resources: ["nodes"], verbs: READ },
  { apiGroups: ["apps.kruise.io"], resources: ["daemonsets"], verbs: [...READ, "update", "patch"] },
];

/** Identity, roles and bindings. */
export function rbacObjects(): readonly JsonObject[] {
  const subjects = [{ kind: "ServiceAccount", name: NAME, namespace: NAMESPACE }];
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: NAME });
  const own = { name: NAME, namespace: NAMESPACE, labels };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: own, automountServiceAccountToken: false },
    { apiVersion, kind: "ClusterRole", metadata: { name: NAME, labels }, rules: clusterRules },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name: NAME, labels },
      roleRef: roleRef("ClusterRole"),
      subjects,
    },
    { apiVersion, kind: "ClusterRole", metadata: { name: PATCHES_ROLE, labels }, rules: patchesRules },
    { apiVersion, kind: "Role", metadata: own, rules: ownRules },
    { apiVersion, kind: "RoleBinding", metadata: own, roleRef: roleRef("Role"), subjects },
  ];
}
