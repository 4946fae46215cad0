// The messages that `kubectl create` sends: it writes namespaces, config maps, deployments and their like as protobuf, which the
// real server reads for all kinds. Numbers are those of Kubernetes' published .proto files; what is not in these tables is
// refused by the reader, with a way round.

/** How a field is written: a text, bytes as base64, a number, a yes, another message. */
export type FieldForm =
  | "text"
  | "bytes"
  | "yes"
  /** Left out when it is 0, as Go leaves it out. */
  | "number"
  /** Means something when it is 0. */
  | "count"
  | (string & {});

export type Field = readonly [name: string, form: FieldForm, many?: "list" | "map"];
export type Message = Readonly<Record<number, Field>>;

const metadata = { 1: ["metadata", "ObjectMeta"] } as const;
const withSpec = (name: string): Message => ({ ...metadata, 2: ["spec", name] });
const rules: Message = { ...metadata, 2: ["rules", "PolicyRule", "list"] };
const binding: Message = { ...metadata, 2: ["subjects", "Subject", "list"], 3: ["roleRef", "RoleRef"] };

/** Messages by name; those of kinds are called like them. */
export const messages: Readonly<Record<string, Message>> = {
  ObjectMeta: {
    ...{ 1: ["name", "text"], 2: ["generateName", "text"], 3: ["namespace", "text"] },
    ...{ 11: ["labels", "text", "map"], 12: ["annotations", "text", "map"] },
  },
  Namespace: metadata,
  ServiceAccount: { ...metadata, 4: ["automountServiceAccountToken", "yes"] },
  ConfigMap: {
    ...metadata,
    ...{ 2: ["data", "text", "map"], 3: ["binaryData", "bytes", "map"], 4: ["immutable", "yes"] },
  },
  Secret: {
    ...metadata,
    ...{ 2: ["data", "bytes", "map"], 3: ["type", "text"], 4: ["stringData", "text", "map"], 5: ["immutable", "yes"] },
  },
  Service: withSpec("ServiceSpec"),
  ServiceSpec: {
    ...{ 1: ["ports", "ServicePort", "list"], 2: ["selector", "text", "map"], 3: ["clusterIP", "text"] },
    ...{ 4: ["type", "text"], 5: ["externalIPs", "text", "list"], 10: ["externalName", "text"] },
  },
  ServicePort: {
    ...{ 1: ["name", "text"], 2: ["protocol", "text"], 3: ["port", "number"] },
    ...{ 4: ["targetPort", "IntOrString"], 5: ["nodePort", "number"] },
  },
  Deployment: withSpec("DeploymentSpec"),
  DeploymentSpec: {
    ...{ 1: ["replicas", "count"], 2: ["selector", "LabelSelector"], 3: ["template", "PodTemplateSpec"] },
    ...{ 4: ["strategy", "DeploymentStrategy"], 5: ["minReadySeconds", "number"] },
  },
  DeploymentStrategy: { 1: ["type", "text"] },
  Job: withSpec("JobSpec"),
  JobSpec: {
    ...{ 1: ["parallelism", "count"], 2: ["completions", "count"], 6: ["template", "PodTemplateSpec"] },
    7: ["backoffLimit", "count"],
  },
  LabelSelector: { 1: ["matchLabels", "text", "map"], 2: ["matchExpressions", "LabelSelectorRequirement", "list"] },
  LabelSelectorRequirement: { 1: ["key", "text"], 2: ["operator", "text"], 3: ["values", "text", "list"] },
  PodTemplateSpec: withSpec("PodSpec"),
  PodSpec: {
    ...{ 2: ["containers", "Container", "list"], 3: ["restartPolicy", "text"], 7: ["nodeSelector", "text", "map"] },
    ...{ 8: ["serviceAccountName", "text"], 10: ["nodeName", "text"] },
  },
  Container: {
    ...{ 1: ["name", "text"], 2: ["image", "text"], 3: ["command", "text", "list"], 4: ["args", "text", "list"] },
    ...{ 6: ["ports", "ContainerPort", "list"], 7: ["env", "EnvVar", "list"], 14: ["imagePullPolicy", "text"] },
  },
  ContainerPort: {
    ...{ 1: ["name", "text"], 2: ["hostPort", "number"], 3: ["containerPort", "number"] },
    ...{ 4: ["protocol", "text"], 5: ["hostIP", "text"] },
  },
  EnvVar: { 1: ["name", "text"], 2: ["value", "text"] },
  PodDisruptionBudget: withSpec("PodDisruptionBudgetSpec"),
  PodDisruptionBudgetSpec: {
    ...{ 1: ["minAvailable", "IntOrString"], 2: ["selector", "LabelSelector"], 3: ["maxUnavailable", "IntOrString"] },
  },
  ResourceQuota: withSpec("ResourceQuotaSpec"),
  ResourceQuotaSpec: { 1: ["hard", "Quantity", "map"], 2: ["scopes", "text", "list"] },
  Role: rules,
  ClusterRole: rules,
  PolicyRule: {
    ...{ 1: ["verbs", "text", "list"], 2: ["apiGroups", "text", "list"], 3: ["resources", "text", "list"] },
    ...{ 4: ["resourceNames", "text", "list"], 5: ["nonResourceURLs", "text", "list"] },
  },
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  Subject: { 1: ["kind", "text"], 2: ["apiGroup", "text"], 3: ["name", "text"], 4: ["namespace", "text"] },
  RoleRef: { 1: ["apiGroup", "text"], 2: ["kind", "text"], 3: ["name", "text"] },
};
