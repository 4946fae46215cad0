// A pod template of about 2 KB as node agents have it, and ten patches such as people write per kind of node.
import type { JsonObject } from "../../src/core/json/json.ts";

/** A storage agent with its registrar: two containers, probes, host mounts, tolerations. */
export const podTemplate: JsonObject = {
  metadata: {
    labels: { app: "csi-node-agent", "app.kubernetes.io/name": "csi-node-agent", tier: "storage" },
    annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "9808" },
  },
  spec: {
    serviceAccountName: "csi-node-agent",
    priorityClassName: "system-node-critical",
    hostNetwork: true,
    dnsPolicy: "ClusterFirstWithHostNet",
    terminationGracePeriodSeconds: 30,
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [
      { operator: "Exists", effect: "NoSchedule" },
      { key: "storage", operator: "Exists" },
    ],
    containers: [
      {
        name: "agent",
        image: "registry.example.com/storage/csi-node-agent:2.11.0",
        args: ["--endpoint=unix:///csi/csi.sock", "--node-id=$(NODE_NAME)", "--metrics-address=:9808", "--v=2"],
        env: [
          { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          { name: "LOG_LEVEL", value: "info" },
          { name: "IO_ENGINE", value: "libaio" },
        ],
        ports: [{ containerPort: 9808, name: "metrics", protocol: "TCP" }],
        resources: { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "256Mi" } },
        securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } },
        livenessProbe: { httpGet: { path: "/healthz", port: 9808 }, periodSeconds: 20, failureThreshold: 3 },
        volumeMounts: [
          { name: "socket", mountPath: "/csi" },
          { name: "dev", mountPath: "/dev" },
          { name: "pods", mountPath: "/var/lib/kubelet/pods", mountPropagation: "Bidirectional" },
        ],
      },
      {
        name: "registrar",
        image: "registry.example.com/storage/node-driver-registrar:2.13.0",
        args: ["--csi-address=/csi/csi.sock", "--kubelet-registration-path=/var/lib/kubelet/plugins/agent/csi.sock"],
        resources: { requests: { cpu: "10m", memory: "20Mi" } },
        volumeMounts: [
          { name: "socket", mountPath: "/csi" },
          { name: "registration", mountPath: "/registration" },
        ],
      },
    ],
    volumes: [
      { name: "socket", hostPath: { path: "/var/lib/kubelet/plugins/agent", type: "DirectoryOrCreate" } },
      { name: "registration", hostPath: { path: "/var/lib/kubelet/plugins_registry", type: "Directory" } },
      { name: "pods", hostPath: { path: "/var/lib/kubelet/pods", type: "Directory" } },
      { name: "dev", hostPath: { path: "/dev" } },
    ],
  },
};

const agent = (fields: JsonObject): JsonObject => ({ spec: { containers: [{ name: "agent", ...fields }] } });

/** Ten patches; the first ones are the most usual: another image, other resources, another variable. */
export const patches: readonly JsonObject[] = [
  agent({
    image: "registry.example.com/storage/csi-node-agent:2.11.0-arm64",
    resources: { limits: { memory: "512Mi" } },
    env: [{ name: "IO_ENGINE", value: "io_uring" }],
  }),
  agent({ resources: { requests: { cpu: "200m", memory: "128Mi" }, limits: { memory: "1Gi" } } }),
  {
    metadata: { labels: { "storage.example.com/class": "nvme" } },
    ...agent({
      env: [
        { name: "LOG_LEVEL", value: "debug" },
        { name: "QUEUE_DEPTH", value: "128" },
      ],
    }),
  },
  {
    spec: {
      containers: [{ name: "agent", volumeMounts: [{ name: "udev", mountPath: "/run/udev" }] }],
      volumes: [{ name: "udev", hostPath: { path: "/run/udev" } }],
    },
  },
  { spec: { nodeSelector: { "storage.example.com/nvme": "true" }, priorityClassName: "storage-critical" } },
  agent({ args: ["--endpoint=unix:///csi/csi.sock", "--node-id=$(NODE_NAME)", "--fast-path", "--v=4"] }),
  agent({ livenessProbe: { periodSeconds: 60, timeoutSeconds: 10 }, securityContext: { runAsUser: 0 } }),
  { spec: { containers: [{ name: "exporter", image: "registry.example.com/storage/smart-exporter:1.4.2" }] } },
  { spec: { tolerations: [{ operator: "Exists" }], terminationGracePeriodSeconds: 120 } },
  {
    metadata: { annotations: { "prometheus.io/port": "9900", "prometheus.io/scrape": null } },
    ...agent({
      ports: [
        { containerPort: 9808, $patch: "delete" },
        { containerPort: 9900, name: "metrics" },
      ],
    }),
  },
];
