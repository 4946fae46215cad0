// What YAML makes of a word or a number is often not what the API takes: `"false"` is no flag, `5` is no name. These are the scalars
// of a pod template that people write most, by the struct that has them; of others any scalar is let through.

export type ScalarType = "flag" | "text" | "number";
export type ScalarTypes = Readonly<Record<string, ScalarType>>;

/** The types of a struct's scalars, by field. Assumes that both names are looked for in the schema first. */
export const SCALARS: Readonly<Record<string, ScalarTypes>> = Object.freeze({
  PodSpec: {
    ...{ automountServiceAccountToken: "flag", shareProcessNamespace: "flag", enableServiceLinks: "flag" },
    ...{ setHostnameAsFQDN: "flag", hostUsers: "flag" },
    ...{ serviceAccountName: "text", serviceAccount: "text", nodeName: "text" },
    ...{ schedulerName: "text", priorityClassName: "text", runtimeClassName: "text" },
    ...{ dnsPolicy: "text", hostname: "text", subdomain: "text", preemptionPolicy: "text" },
    priority: "number",
  },
  PodSecurityContext: { runAsNonRoot: "flag", runAsUser: "number", runAsGroup: "number", fsGroup: "number" },
  Container: {
    ...{ stdin: "flag", stdinOnce: "flag", tty: "flag" },
    ...{ workingDir: "text", terminationMessagePath: "text", terminationMessagePolicy: "text" },
  },
  SecurityContext: {
    ...{ privileged: "flag", allowPrivilegeEscalation: "flag", readOnlyRootFilesystem: "flag", runAsNonRoot: "flag" },
    ...{ runAsUser: "number", runAsGroup: "number" },
  },
  VolumeMount: { readOnly: "flag", mountPath: "text", subPath: "text", subPathExpr: "text", mountPropagation: "text" },
  HostPathVolumeSource: { path: "text", type: "text" },
  ConfigMapVolumeSource: { name: "text", optional: "flag" },
  SecretVolumeSource: { secretName: "text", optional: "flag" },
  ConfigMapKeySelector: { name: "text", key: "text", optional: "flag" },
  SecretKeySelector: { name: "text", key: "text", optional: "flag" },
  ObjectFieldSelector: { fieldPath: "text" },
});

/** Whether a value, which is neither a list nor an object, is of the type. */
export function isOfType(value: unknown, type: ScalarType): boolean {
  switch (type) {
    case "flag":
      return typeof value === "boolean";
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number" || typeof value === "bigint";
  }
}
