// Writes sim/api-server/built-in/definitions.generated.ts: the schemas of the built-in kinds that the embedded API server
// serves, as a real server publishes them, with what the Go types say about zero values and the defaults of those types.
// Its inputs are not in the repository, so it is run by hand for a new version of Kubernetes:
//   npm run cluster -- …                                   (prints a kubeconfig)
//   kubectl get --raw /openapi/v2 > openapi.json
//   go mod download k8s.io/api@v0.35.4 …apimachinery …apiextensions-apiserver
//   node tools/gen/built-in-definitions.ts openapi.json "$(go env GOMODCACHE)/k8s.io" v0.35.4
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { repositoryRoot } from "../repository.ts";
import { type GoField, readTypes, structFields } from "./go-structs.ts";

const DESCRIPTION_CHARS_MAX = 120;

const kinds: Readonly<Record<string, readonly string[]>> = {
  "api.core.v1": [
    ..."Pod Node ConfigMap Secret Namespace ServiceAccount Service Event ResourceQuota Binding".split(" "),
  ],
  "api.apps.v1": ["DaemonSet", "Deployment", "ReplicaSet", "ControllerRevision"],
  "api.batch.v1": ["Job"],
  "api.coordination.v1": ["Lease"],
  "api.policy.v1": ["PodDisruptionBudget", "Eviction"],
  "api.rbac.v1": ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
  "api.admissionregistration.v1": ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
  "api.authorization.v1": ["SelfSubjectAccessReview"],
  "api.autoscaling.v1": ["Scale"],
  "apiextensions-apiserver.pkg.apis.apiextensions.v1": ["CustomResourceDefinition"],
  "apimachinery.pkg.apis.meta.v1": ["DeleteOptions"],
};

const mode = { defaultMode: 420 };
const webhook = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};
const terminationMessage = { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" };

/** Defaults that depend on nothing else (`pkg/apis/…/defaults.go`); the others are code, in built-in/. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "core.v1.Container": terminationMessage,
  "core.v1.EphemeralContainer": terminationMessage,
  "core.v1.ContainerPort": { protocol: "TCP" },
  "core.v1.PodSpec": {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: "default-scheduler",
  },
  "core.v1.Probe": { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  "core.v1.HTTPGetAction": { path: "/", scheme: "HTTP" },
  "core.v1.GRPCAction": { service: "" },
  "core.v1.SecretVolumeSource": mode,
  "core.v1.ConfigMapVolumeSource": mode,
  "core.v1.DownwardAPIVolumeSource": mode,
  "core.v1.ProjectedVolumeSource": mode,
  "core.v1.ServiceAccountTokenProjection": { expirationSeconds: 3600 },
  "core.v1.HostPathVolumeSource": { type: "" },
  "core.v1.ObjectFieldSelector": { apiVersion: "v1" },
  "core.v1.Secret": { type: "Opaque" },
  "core.v1.NamespaceStatus": { phase: "Active" },
  "core.v1.ServicePort": { protocol: "TCP" },
  "core.v1.ServiceSpec": { sessionAffinity: "None", type: "ClusterIP" },
  "apps.v1.DaemonSetSpec": { revisionHistoryLimit: 10 },
  "apps.v1.DaemonSetUpdateStrategy": { type: "RollingUpdate" },
  "apps.v1.RollingUpdateDaemonSet": { maxUnavailable: 1, maxSurge: 0 },
  "apps.v1.DeploymentSpec": { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
  "apps.v1.DeploymentStrategy": { type: "RollingUpdate" },
  "apps.v1.RollingUpdateDeployment": { maxUnavailable: "25%", maxSurge: "25%" },
  "apps.v1.ReplicaSetSpec": { replicas: 1 },
  "batch.v1.JobSpec": { backoffLimit: 6, completionMode: "NonIndexed", suspend: false, manualSelector: false },
  "batch.v1.PodFailurePolicyOnPodConditionsPattern": { status: "True" },
  "admissionregistration.v1.ValidatingWebhook": webhook,
  "admissionregistration.v1.MutatingWebhook": { ...webhook, reinvocationPolicy: "Never" },
  "admissionregistration.v1.RuleWithOperations": { scope: "*" },
  "admissionregistration.v1.ServiceReference": { port: 443 },
  "apiextensions.v1.CustomResourceDefinitionSpec": { conversion: { strategy: "None" } },
  "apiextensions.v1.ServiceReference": { port: 443 },
  "rbac.v1.RoleRef": { apiGroup: "rbac.authorization.k8s.io" },
};

/** The types that OpenAPI calls strings or objects although they are more. */
const special: Readonly<Record<string, object>> = {
  "apimachinery.pkg.api.resource.Quantity": { type: "string", format: "quantity" },
  "apimachinery.pkg.apis.meta.v1.MicroTime": { type: "string", format: "micro-time" },
  "apimachinery.pkg.util.intstr.IntOrString": {
    type: "string",
    format: "int-or-string",
    "x-kubernetes-int-or-string": true,
  },
};

type Definition = z.infer<typeof definition>;
const property = z.looseObject({ description: z.string().optional() });
const definition = z.looseObject({
  description: z.string().optional(),
  properties: z.record(z.string(), property).optional(),
});
const openApi = z.object({ definitions: z.record(z.string(), definition) });

/** Embedded in every kind, from another package. */
const typeMeta: readonly GoField[] = ["kind", "apiVersion"].map((json) => ({
  ...{ name: json, type: "string", json },
  ...{ isOmitted: true, isOmittedWhenZero: false, isEmbedded: false },
}));

const [openApiPath, modules, version] = process.argv.slice(2);
if (openApiPath === undefined || modules === undefined || version === undefined)
  throw new Error("usage: node tools/gen/built-in-definitions.ts <openapi.json> <k8s.io modules> <version>");

const published = openApi.parse(JSON.parse(readFileSync(openApiPath, "utf8"))).definitions;
const target = "sim/api-server/built-in/definitions.generated.ts";
writeFileSync(join(repositoryRoot, target), fileText(reachable(), modules, version));
console.log(`wrote ${target}`);

/** The definitions of the kinds and of all that they mention. */
function reachable(): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const [, ref] of JSON.stringify(published[name]).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g))
      visit(ref ?? "");
  };
  for (const [group, members] of Object.entries(kinds)) for (const kind of members) visit(`io.k8s.${group}.${kind}`);
  return names;
}

function fileText(names: ReadonlySet<string>, folder: string, goVersion: string): string {
  const goFiles = new Map<string, string>();
  const lines = [...names].sort().map((name) => {
    const source = goSource(name, folder, goVersion, goFiles);
    return `${JSON.stringify(name)}:${plainText(JSON.stringify(compact(name, source)))}`;
  });
  return `// Generated by tools/gen/built-in-definitions.ts from Kubernetes ${goVersion.replace("v0", "v1")}; do not edit.
import type { Definitions } from "../schema.ts";

/** The schemas of the built-in kinds by the names of the real server; made anew with each call. */
export function readDefinitions(): Definitions {
  return JSON.parse(text);
}

const text = String.raw\`{
${lines.join(",\n")}
}\`;
`;
}

/** The text stands between back-quotes, where these would mean something else. */
function plainText(json: string): string {
  return json.replaceAll("`", "'").replaceAll("${", "$ {");
}

function compact(name: string, source: string): object {
  const short = name.replace("io.k8s.", "");
  const schema = published[name];
  if (schema === undefined) throw new Error(`the server publishes no ${name}`);
  if (Object.hasOwn(special, short)) return { description: firstSentence(schema.description), ...special[short] };
  const { description, properties, ...rest } = schema;
  const shortened = { description: firstSentence(description), ...rest };
  if (properties === undefined) return shortened;
  const typeName = short.split(".").at(-1) ?? "";
  const fallbacks = defaults[short.split(".").slice(-3).join(".")] ?? {};
  const fields = allFields(source, typeName);
  const ordered = fields.filter(({ json }) => Object.hasOwn(properties, json));
  if (ordered.length !== Object.keys(properties).length) throw new Error(`the Go type of ${name} has other fields`);
  return {
    ...shortened,
    properties: Object.fromEntries(
      ordered.map((field) => [field.json, withGo(properties[field.json], field, fallbacks)]),
    ),
  };
}

function withGo(schema: Definition | undefined, field: GoField, fallbacks: Readonly<Record<string, unknown>>): object {
  const { description, ...rest } = schema ?? {};
  const isPointer = field.type.startsWith("*") || field.isOmittedWhenZero;
  const go = isPointer ? { "x-go": "pointer" } : field.isOmitted ? {} : { "x-go": "always" };
  const fallback = Object.hasOwn(fallbacks, field.json) ? { default: fallbacks[field.json] } : {};
  return { description: firstSentence(description), ...rest, ...go, ...fallback };
}

function firstSentence(text: string | undefined): string | undefined {
  const sentence = text
    ?.split(/\.(?:\s|$)|\n\n/)[0]
    ?.replaceAll(/\s+/g, " ")
    .trim();
  if (sentence === undefined || sentence === "") return undefined;
  return sentence.length <= DESCRIPTION_CHARS_MAX ? `${sentence}.` : `${sentence.slice(0, DESCRIPTION_CHARS_MAX)}…`;
}

/** The Go source of the package that a definition comes from: `io.k8s.api.core.v1.Pod` is in api/core/v1. */
function goSource(name: string, folder: string, goVersion: string, known: Map<string, string>): string {
  const [module = "", ...path] = name.replace("io.k8s.", "").split(".").slice(0, -1);
  const place = join(folder, `${module}@${goVersion}`, ...path);
  const text = known.get(place) ?? readTypes(place);
  known.set(place, text);
  return text;
}

/** The fields of a struct, embedded ones in their place. */
function allFields(source: string, name: string): readonly GoField[] {
  const fields = name === "TypeMeta" ? typeMeta : structFields(source, name);
  if (fields === undefined) throw new Error(`no Go struct ${name}`);
  return fields.flatMap((field) =>
    field.isEmbedded ? allFields(source, field.type.split(".").at(-1) ?? "") : [field],
  );
}
