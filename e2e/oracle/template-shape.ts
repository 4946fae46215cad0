// The part of a pod template that random merges play with: few fields of every way of merging, and few names in each,
// so that original and patch meet often.

import type { Rand } from "../../src/kube/rand.ts";

export type Shape =
  /** Any scalar. */
  | { readonly kind: "scalar" }
  /** A list of scalars; the values are what its elements are drawn from. */
  | { readonly kind: "scalars"; readonly values: readonly (string | number | bigint)[] }
  /** A map from text to text or to amounts. */
  | { readonly kind: "dictionary" }
  /** A struct. */
  | { readonly kind: "struct"; readonly fields: Fields }
  /** A list of structs with a field that tells them apart, whether or not Kubernetes merges by it. */
  | {
      readonly kind: "list";
      readonly key: string;
      readonly keyValues: readonly (string | number | bigint)[];
      readonly fields: Fields;
    };

export type Fields = { readonly [name: string]: Shape };

const scalar: Shape = { kind: "scalar" };
const dictionary: Shape = { kind: "dictionary" };
const names = ["a", "b", "c", "d"];
const words: Shape = { kind: "scalars", values: names };

const struct = (fields: Fields): Shape => ({ kind: "struct", fields });
const list = (key: string, keyValues: readonly (string | number | bigint)[], fields: Fields): Shape => ({
  kind: "list",
  key,
  keyValues,
  fields,
});

const handler: Fields = {
  httpGet: struct({ path: scalar, port: scalar, httpHeaders: list("name", names, { value: scalar }) }),
  exec: struct({ command: words }),
};

const container: Fields = {
  image: scalar,
  args: words,
  command: words,
  env: list("name", names, {
    value: scalar,
    valueFrom: struct({ fieldRef: struct({ fieldPath: scalar }), secretKeyRef: struct({ name: scalar, key: scalar }) }),
  }),
  envFrom: list("prefix", names, { configMapRef: struct({ name: scalar }) }),
  ports: list("containerPort", [80, 53, 443, 9007199254740993n], { name: scalar, protocol: scalar }),
  volumeMounts: list("mountPath", ["/a", "/b", "/c"], { name: scalar, readOnly: scalar }),
  volumeDevices: list("devicePath", ["/a", "/b", "/c"], { name: scalar }),
  resources: struct({ limits: dictionary, requests: dictionary, claims: list("name", names, { request: scalar }) }),
  securityContext: struct({ runAsUser: scalar, capabilities: struct({ add: words, drop: words }) }),
  livenessProbe: struct({ periodSeconds: scalar, ...handler }),
  lifecycle: struct({ preStop: struct(handler) }),
  restartPolicyRules: list("action", names, {}),
  unknown: struct({ inner: dictionary }),
};

const volume: Fields = {
  emptyDir: struct({ medium: scalar, sizeLimit: scalar }),
  hostPath: struct({ path: scalar, type: scalar }),
  configMap: struct({ name: scalar, items: list("key", names, { path: scalar }) }),
  projected: struct({ sources: list("x", names, { secret: struct({ name: scalar }) }) }),
  csi: struct({ driver: scalar, volumeAttributes: dictionary }),
};

const spread: Fields = { maxSkew: scalar, labelSelector: struct({ matchLabels: dictionary }), matchLabelKeys: words };

const nodeSelectorTerms = list("x", names, {
  matchExpressions: list("key", names, { operator: scalar, values: words }),
});

const spec: Fields = {
  containers: list("name", names, container),
  ephemeralContainers: list("name", names, container),
  volumes: list("name", names, volume),
  tolerations: list("key", names, { operator: scalar, effect: scalar }),
  nodeSelector: dictionary,
  affinity: struct({
    nodeAffinity: struct({ requiredDuringSchedulingIgnoredDuringExecution: struct({ nodeSelectorTerms }) }),
    podAntiAffinity: struct({
      preferredDuringSchedulingIgnoredDuringExecution: list("weight", [1, 2], { podAffinityTerm: struct({}) }),
    }),
  }),
  hostAliases: list("ip", ["10.0.0.1", "10.0.0.2", "::1"], { hostnames: words }),
  imagePullSecrets: list("name", names, {}),
  topologySpreadConstraints: list("topologyKey", names, spread),
  schedulingGates: list("name", names, {}),
  resourceClaims: list("name", names, { resourceClaimName: scalar }),
  securityContext: struct({
    runAsUser: scalar,
    sysctls: list("name", names, { value: scalar }),
    seLinuxOptions: dictionary,
  }),
  dnsConfig: struct({ nameservers: words, options: list("name", names, { value: scalar }) }),
  hostNetwork: scalar,
  terminationGracePeriodSeconds: scalar,
  overhead: dictionary,
  readinessGates: list("conditionType", names, {}),
  // Go finds a field by its name in any case; these are other keys of the same field, and keys of no field.
  Containers: list("name", names, { image: scalar }),
  NODESELECTOR: dictionary,
  unknownWords: words,
};

const metadata: Fields = {
  labels: dictionary,
  annotations: dictionary,
  finalizers: { kind: "scalars", values: [...names, "e", "f", "g", "h", "i"] },
  ownerReferences: list("uid", names, { kind: scalar, controller: scalar }),
  managedFields: list("manager", names, { fieldsV1: dictionary }),
  name: scalar,
  creationTimestamp: scalar,
};

/** A pod template, as far as the random merges know it. */
export const templateShape: Fields = { metadata: struct(metadata), spec: struct(spec) };

const FOCUS_FIELDS = 3;

/** The shape with at most a few fields in each struct, so that what original and patch say is about the same fields. */
export function focusOn(fields: Fields, rand: Rand): Fields {
  const names = Object.keys(fields);
  while (names.length > FOCUS_FIELDS) names.splice(Math.floor(rand.next() * names.length), 1);
  const kept = Object.entries(fields).filter(([name]) => names.includes(name));
  return Object.fromEntries(kept.map(([name, shape]) => [name, focusShape(shape, rand)]));
}

function focusShape(shape: Shape, rand: Rand): Shape {
  return "fields" in shape ? { ...shape, fields: focusOn(shape.fields, rand) } : shape;
}
