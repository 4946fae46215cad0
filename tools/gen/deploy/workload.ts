// The operator itself as installed: two replicas of which one leads, under the strictest of the Pod Security Standards.
import { variableOf } from "../../../src/cli/settings/setting-names.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import {
  CERTIFICATE_SECRET,
  HTTP_PORT,
  IMAGE,
  labels,
  NAME,
  NAMESPACE,
  WEBHOOK_PORT,
  WEBHOOK_SERVICE,
} from "./names.ts";

const metadata = { name: NAME, namespace: NAMESPACE, labels };
const selector = { matchLabels: labels };

/** Everything in the operator's namespace besides its identity. */
export function workloadObjects(): readonly JsonObject[] {
  return [deployment(), webhookService(), disruptionBudget(), networkPolicy(), emptyLease(), emptySecret()];
}

/** Its namespace; whatever runs there must be as restricted as the operator. */
export function namespaceObject(): JsonObject {
  const security = { "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE, labels: { ...labels, ...security } } };
}

function deployment(): JsonObject {
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata },
    spec: {
      ...{ replicas: 2, selector },
      template: { metadata: { labels }, spec: podSpec() },
    },
  };
}

function podSpec(): JsonObject {
  return {
    ...{ serviceAccountName: NAME, automountServiceAccountToken: true, priorityClassName: "system-cluster-critical" },
    // Kubelets would add variables for every Service of the namespace, and the operator reads none of them.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } },
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
        labelSelector: selector,
      },
    ],
    containers: [container()],
  };
}

function container(): JsonObject {
  const probe = (path: string) => ({ httpGet: { path, port: "http" } });
  return {
    ...{ name: NAME, image: IMAGE, args: ["run", "--webhook=service"] },
    env: [
      // What the figures of decisions 0006 and 0025 were measured with.
      { name: "NODE_OPTIONS", value: "--max-semi-space-size=4 --max-old-space-size-percentage=75" },
      { name: "MALLOC_ARENA_MAX", value: "2" },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      // The setting `namespace`: Lease and certificates lie where the pod does.
      { name: variableOf("namespace"), valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ],
    ports: [
      { name: "http", containerPort: HTTP_PORT },
      { name: "webhook", containerPort: WEBHOOK_PORT },
    ],
    ...{ livenessProbe: { ...probe("/healthz"), initialDelaySeconds: 10 }, readinessProbe: probe("/readyz") },
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
    securityContext: {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    },
  };
}

function webhookService(): JsonObject {
  const ports = [{ name: "webhook", port: 443, targetPort: "webhook" }];
  const named = { ...metadata, name: WEBHOOK_SERVICE };
  return { apiVersion: "v1", kind: "Service", metadata: named, spec: { selector: labels, ports } };
}

function disruptionBudget(): JsonObject {
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { maxUnavailable: 1, selector } };
}

/** Nobody but probes, Prometheus and the API server has business with it, and all of them come to these two ports. */
function networkPolicy(): JsonObject {
  const ports = [HTTP_PORT, WEBHOOK_PORT].map((port) => ({ port, protocol: "TCP" }));
  const spec = { podSelector: selector, policyTypes: ["Ingress"], ingress: [{ ports }] };
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec };
}

function emptyLease(): JsonObject {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: {} };
}

function emptySecret(): JsonObject {
  const named = { ...metadata, name: CERTIFICATE_SECRET };
  return { apiVersion: "v1", kind: "Secret", metadata: named, type: "Opaque" };
}
