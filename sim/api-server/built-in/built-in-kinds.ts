// The kinds of the server itself: their names, their schemas as the real server publishes them, and their rules.
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { objectAt, withFields } from "../api-object.ts";
import { KindMemory } from "../kind-memory.ts";
import type { KindRules, ResourceType } from "../resource-type.ts";
import type { Definitions } from "../schema.ts";
import { readDefinitions } from "./definitions.generated.ts";
import { decodeObject } from "./go-object.ts";
import { type GoStruct, GoTypes, zeroOf } from "./go-type.ts";
import {
  bindingRules,
  configMapRules,
  definitionRules,
  eventRules,
  leaseRules,
  namespaceRules,
  nodeRules,
  pathSegmentFaults,
  secretRules,
  serviceRules,
  webhookRules,
} from "./plain-kinds.ts";
import { admitPod, admitPodChange, completePod, newPod, podForbidden, preparePodStatus } from "./pod.ts";
import { podChangeFaults } from "./pod-change.ts";
import { podSpecFaults } from "./pod-faults.ts";
import {
  controllerRevisionRules,
  daemonSetRules,
  deploymentRules,
  jobRules,
  type MoreRules,
  replicaSetRules,
} from "./workloads.ts";

const podRules: MoreRules = {
  complete: completePod,
  forbids: podForbidden,
  admit: admitPod,
  prepareCreate: newPod,
  prepareUpdate: admitPodChange,
  prepareStatus: preparePodStatus,
  validate: (pod, _inMeta, sound = {}) => podSpecFaults(objectAt(pod, "spec"), "spec", objectAt(sound, "spec")),
  validateUpdate: (next, old) => [
    ...podSpecFaults(objectAt(next, "spec"), "spec", objectAt(old, "spec")),
    ...podChangeFaults(next, old),
  ],
};

/** What a kind is beside its names; everything is absent for most. */
type Traits = {
  readonly shortName?: string;
  readonly categories?: readonly string[];
  readonly isClusterWide?: true;
  /** `status` and others; a status is empty in a new object unless the kind's own rules say otherwise. */
  readonly subresources?: readonly string[];
  /** A new object may bring its status along. */
  readonly keepsStatus?: true;
  readonly selectable?: readonly string[];
  readonly countsGenerations?: true;
  readonly countsAnnotations?: true;
  readonly wantsVersion?: true;
  readonly createsOnUpdate?: true;
  readonly returnsDeleted?: true;
  readonly rules?: MoreRules;
};

const all = ["all"];
const extensions = ["api-extensions"];
const status = ["status"];
const scaled = ["status", "scale"];
const role: Traits = { createsOnUpdate: true, rules: { nameFaults: pathSegmentFaults } };
const extension = { isClusterWide: true, categories: extensions, countsGenerations: true, wantsVersion: true } as const;
const webhooks: Traits = { ...extension, rules: webhookRules };
const workload = { categories: all, countsGenerations: true } as const;

const podFields = ["nodeName", "restartPolicy", "schedulerName", "serviceAccountName", "hostNetwork"];
const aboutFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const selectablePod = [
  ...podFields.map((field) => `spec.${field}`),
  "status.phase",
  "status.podIP",
  "status.nominatedNodeName",
];
const selectableEvent = [
  ...aboutFields.map((field) => `involvedObject.${field}`),
  "reason",
  "reportingComponent",
  "source",
  "type",
];

/** Kinds by group and version, each with the package of its definition. */
const groups: readonly (readonly [apiVersion: string, definedIn: string, kinds: Readonly<Record<string, Traits>>])[] = [
  [
    "v1",
    "api.core.v1",
    {
      Pod: {
        shortName: "po",
        ...workload,
        subresources: ["status", "binding", "eviction", "log", "resize"],
        selectable: selectablePod,
        returnsDeleted: true,
        rules: podRules,
      },
      Node: {
        shortName: "no",
        isClusterWide: true,
        subresources: status,
        keepsStatus: true,
        selectable: ["spec.unschedulable"],
        rules: nodeRules,
      },
      ConfigMap: { shortName: "cm", rules: configMapRules },
      Secret: { selectable: ["type"], rules: secretRules },
      Namespace: {
        shortName: "ns",
        isClusterWide: true,
        subresources: ["status", "finalize"],
        selectable: ["status.phase"],
        returnsDeleted: true,
        rules: namespaceRules,
      },
      ServiceAccount: { shortName: "sa", returnsDeleted: true },
      Service: {
        shortName: "svc",
        categories: all,
        subresources: status,
        selectable: ["spec.clusterIP", "spec.type"],
        createsOnUpdate: true,
        returnsDeleted: true,
        rules: serviceRules,
      },
      Event: { shortName: "ev", createsOnUpdate: true, selectable: selectableEvent, rules: eventRules },
      ResourceQuota: { shortName: "quota", subresources: status, returnsDeleted: true },
    },
  ],
  [
    "apps/v1",
    "api.apps.v1",
    {
      DaemonSet: { shortName: "ds", ...workload, subresources: status, rules: daemonSetRules },
      Deployment: {
        shortName: "deploy",
        ...workload,
        countsAnnotations: true,
        subresources: scaled,
        rules: deploymentRules,
      },
      ReplicaSet: {
        shortName: "rs",
        ...workload,
        subresources: scaled,
        rules: replicaSetRules,
      },
      ControllerRevision: { rules: controllerRevisionRules },
    },
  ],
  [
    "batch/v1",
    "api.batch.v1",
    { Job: { ...workload, subresources: status, selectable: ["status.successful"], rules: jobRules } },
  ],
  [
    "coordination.k8s.io/v1",
    "api.coordination.v1",
    { Lease: { wantsVersion: true, createsOnUpdate: true, rules: leaseRules } },
  ],
  [
    "policy/v1",
    "api.policy.v1",
    { PodDisruptionBudget: { shortName: "pdb", subresources: status, countsGenerations: true, wantsVersion: true } },
  ],
  [
    "rbac.authorization.k8s.io/v1",
    "api.rbac.v1",
    {
      Role: role,
      RoleBinding: { createsOnUpdate: true, rules: bindingRules },
      ClusterRole: { ...role, isClusterWide: true },
      ClusterRoleBinding: { createsOnUpdate: true, rules: bindingRules, isClusterWide: true },
    },
  ],
  [
    "admissionregistration.k8s.io/v1",
    "api.admissionregistration.v1",
    { ValidatingWebhookConfiguration: webhooks, MutatingWebhookConfiguration: webhooks },
  ],
  [
    "apiextensions.k8s.io/v1",
    "apiextensions-apiserver.pkg.apis.apiextensions.v1",
    { CustomResourceDefinition: { ...extension, shortName: "crd", subresources: status, rules: definitionRules } },
  ],
];

/** All built-in kinds with a common memory; servers of one process had better share them, since schemas are read from text. */
export function builtInKinds(): readonly ResourceType[] {
  const definitions = readDefinitions();
  const types = new GoTypes(definitions);
  const memory = new KindMemory();
  return groups.flatMap(([apiVersion, definedIn, kinds]) =>
    Object.entries(kinds).map(([kind, traits]) => {
      const name = `io.k8s.${definedIn}.${kind}`;
      return {
        ...namesOf(apiVersion, kind, traits),
        ...traitsOf(name, traits, definitions, types.struct(name)),
        memory,
      };
    }),
  );
}

function namesOf(apiVersion: string, kind: string, { shortName, categories }: Traits) {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const singular = kind.toLowerCase();
  return {
    ...{ group, version, kind, singular, plural: `${singular}s` },
    ...(shortName === undefined ? {} : { shortNames: shortName === "crd" ? ["crd", "crds"] : [shortName] }),
    ...(categories === undefined ? {} : { categories }),
  };
}

const replicaPaths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

function traitsOf(name: string, traits: Traits, definitions: Definitions, struct: GoStruct) {
  const { subresources = [], selectable = [], rules = {} } = traits;
  const zero = zeroOf(struct);
  return {
    namespaced: traits.isClusterWide !== true,
    isCustom: false,
    schema: definitions[name] ?? {},
    definitions,
    ...(isJsonObject(zero) ? { zero } : {}),
    subresources,
    ...(subresources.includes("scale") ? { scale: { ...replicaPaths, labelSelectorPath: ".spec.selector" } } : {}),
    selectableFields: selectable,
    countsGenerations: traits.countsGenerations === true,
    countsAnnotations: traits.countsAnnotations === true,
    allowsUnconditionalUpdate: traits.wantsVersion !== true,
    createsOnUpdate: traits.createsOnUpdate === true,
    returnsDeleted: traits.returnsDeleted === true,
    rules: rulesOf(struct, subresources.includes("status") && traits.keepsStatus !== true, rules),
  };
}

function rulesOf(
  struct: GoStruct,
  resetsStatus: boolean,
  { complete = (object) => object, ...rules }: MoreRules,
): KindRules {
  const noStatus = struct.fields.get("status")?.absent;
  const prepareCreate = rules.prepareCreate ?? ((object: JsonObject) => object);
  return {
    decode: (sent, known) => {
      const decoded = decodeObject(struct, sent, known);
      return decoded.ok ? { ...decoded, value: complete(decoded.value) } : decoded;
    },
    ...rules,
    ...(resetsStatus ? { prepareCreate: (object) => prepareCreate(withFields(object, { status: noStatus })) } : {}),
  };
}
