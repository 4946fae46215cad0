// The command lines of the four programs, from one description of where everything is. Pure.
import type { PartName } from "./programs.ts";

export type Ports = {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiserver: number;
  readonly controllers: number;
  readonly scheduler: number;
};

export type Layout = {
  readonly folder: string;
  readonly ports: Ports;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly serviceAccountKeyFile: string;
  readonly tokenFile: string;
  readonly auditPolicyFile: string;
  readonly auditLogFile: string;
  readonly controllersKubeconfig: string;
  readonly schedulerKubeconfig: string;
  /** How long a node may be silent before it counts as lost. */
  readonly nodeGraceSeconds: number;
  /** Appended to the flags below; a later flag wins. */
  readonly extraArgs: Readonly<Partial<Record<PartName, readonly string[]>>>;
};

const AUDIT_LOG_MAX_MB = 2_000;
const CLIENT_QPS = 500;

/** The arguments of one part. */
export function commandLine(part: PartName, layout: Layout): readonly string[] {
  const flags = {
    etcd,
    "kube-apiserver": apiserver,
    "kube-controller-manager": controllers,
    "kube-scheduler": scheduler,
  };
  return [...flags[part](layout), ...(layout.extraArgs[part] ?? [])];
}

function etcd({ folder, ports }: Layout): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    "--name=e2e",
    `--data-dir=${folder}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=e2e=${peer}`,
    // The data is thrown away with the folder; waiting for the disk would only make tests slow.
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
}

function apiserver(layout: Layout): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${layout.ports.etcd}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${layout.ports.apiserver}`,
    `--tls-cert-file=${layout.certFile}`,
    `--tls-private-key-file=${layout.keyFile}`,
    `--token-auth-file=${layout.tokenFile}`,
    "--authorization-mode=Node,RBAC",
    `--service-account-key-file=${layout.serviceAccountKeyFile}`,
    `--service-account-signing-key-file=${layout.serviceAccountKeyFile}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.0.0.0/16",
    "--endpoint-reconciler-type=none",
    "--allow-privileged=true",
    `--audit-policy-file=${layout.auditPolicyFile}`,
    `--audit-log-path=${layout.auditLogFile}`,
    `--audit-log-maxsize=${AUDIT_LOG_MAX_MB}`,
  ];
}

function controllers(layout: Layout): readonly string[] {
  return [
    ...clientFlags(layout, layout.controllersKubeconfig, layout.ports.controllers),
    `--root-ca-file=${layout.caFile}`,
    `--service-account-private-key-file=${layout.serviceAccountKeyFile}`,
    `--node-monitor-grace-period=${layout.nodeGraceSeconds}s`,
    "--node-monitor-period=1s",
  ];
}

function scheduler(layout: Layout): readonly string[] {
  return clientFlags(layout, layout.schedulerKubeconfig, layout.ports.scheduler);
}

function clientFlags(layout: Layout, kubeconfig: string, port: number): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${layout.certFile}`,
    `--tls-private-key-file=${layout.keyFile}`,
    `--kube-api-qps=${CLIENT_QPS}`,
    `--kube-api-burst=${CLIENT_QPS * 2}`,
  ];
}
