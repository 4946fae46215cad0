// A real control plane on loopback for one test or one person: etcd, API server, controllers and scheduler, in a
// folder of its own that goes away with it. Several can run at once.
// Guarantees: nothing outlives the calling process, however that ends (see supervisor.ts).
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AuditedRequest, auditPolicy, isWrite, readAuditLog } from "./audit.ts";
import type { Binaries } from "./binaries.ts";
import { issueCertificates, type ServingCertificate } from "./certificates.ts";
import type { Layout, Ports } from "./command-lines.ts";
import { freePorts, isPortFree } from "./free-ports.ts";
import { Part, PartFailed } from "./part.ts";
import { describePart, type PartContext } from "./part-specs.ts";
import { type Needs, PARTS, type PartName } from "./programs.ts";
import { type Supervised, superviseIn } from "./supervised.ts";
import {
  ADMIN,
  BUILT_IN_USERS,
  CONTROLLERS,
  kubeconfig,
  newToken,
  SCHEDULER,
  type ServerAddress,
  tokenFile,
  type User,
} from "./users.ts";

export type ClusterOptions = {
  readonly binaries: Binaries;
  /** "api" starts etcd and the API server alone. */
  readonly parts?: Needs;
  /** Users beside the built-in ones. */
  readonly users?: readonly User[];
  /** The API server's port; a free one is chosen when absent. */
  readonly port?: number;
  readonly nodeGraceSeconds?: number;
  readonly extraArgs?: Layout["extraArgs"];
  /** What is done as soon as the API server serves, before controllers and scheduler start. */
  readonly beforeControllers?: (cluster: Cluster) => Promise<void>;
};

const NODE_GRACE_SECONDS = 40;
const START_ATTEMPTS_MAX = 3;
const PORTS_PER_CLUSTER = 5;

/** Starts a control plane and resolves when every part of it serves. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  if (options.port !== undefined && !(await isPortFree(options.port))) {
    throw new Error(`port ${options.port} is taken; choose another or leave it out to get a free one`);
  }
  for (let attempt = 1; ; attempt++) {
    const cluster = await prepareCluster(options);
    try {
      await cluster.start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      // Between finding a port free and listening on it, another program may have taken it.
      const portWasTaken = error instanceof PartFailed && error.message.includes("address already in use");
      if (!portWasTaken || attempt === START_ATTEMPTS_MAX) throw error;
    }
  }
}

async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  const ports = await choosePorts(options.port);
  const folder = mkdtempSync(join(tmpdir(), "farrier-cluster-"));
  const supervised = superviseIn(folder);
  try {
    return new Cluster(options, folder, ports, supervised);
  } catch (error) {
    await supervised.end();
    throw error;
  }
}

async function choosePorts(port: number | undefined): Promise<Ports> {
  const [etcd = 0, etcdPeer = 0, apiserver = 0, controllers = 0, scheduler = 0] = await freePorts(PORTS_PER_CLUSTER);
  return { etcd, etcdPeer, apiserver: port ?? apiserver, controllers, scheduler };
}

export class Cluster {
  /** Where the API server is and whom to trust. */
  readonly address: ServerAddress;
  readonly certificate: ServingCertificate;
  readonly folder: string;
  readonly #layout: Layout;
  readonly #supervised: Supervised;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #parts: ReadonlyMap<PartName, Part>;
  readonly #context: PartContext;
  readonly #beforeControllers: ClusterOptions["beforeControllers"];
  #replicas = 0;

  constructor(options: ClusterOptions, folder: string, ports: Ports, supervised: Supervised) {
    this.folder = folder;
    this.#supervised = supervised;
    this.#beforeControllers = options.beforeControllers;
    this.certificate = issueCertificates(folder);
    this.address = { url: `https://127.0.0.1:${ports.apiserver}`, ca: this.certificate.ca };
    const users = [...BUILT_IN_USERS, ...(options.users ?? [])];
    this.#tokens = new Map(users.map((user) => [user.name, newToken()]));
    this.#layout = {
      folder,
      ports,
      certFile: this.certificate.certFile,
      keyFile: this.certificate.keyFile,
      caFile: this.certificate.caFile,
      serviceAccountKeyFile: this.#write("service-account.key", newSigningKey()),
      tokenFile: this.#write("tokens.csv", tokenFile(this.#tokens, users)),
      auditPolicyFile: this.#write("audit-policy.json", auditPolicy()),
      auditLogFile: join(folder, "audit.log"),
      controllersKubeconfig: this.kubeconfigFile(CONTROLLERS.name),
      schedulerKubeconfig: this.kubeconfigFile(SCHEDULER.name),
      nodeGraceSeconds: options.nodeGraceSeconds ?? NODE_GRACE_SECONDS,
      extraArgs: options.extraArgs ?? {},
    };
    this.#context = { layout: this.#layout, binaries: options.binaries, ca: this.address.ca, adminToken: this.token() };
    const names = PARTS[options.parts ?? "controllers"];
    this.#parts = new Map(names.map((name) => [name, new Part(describePart(name, this.#context), supervised)]));
  }

  /** Starts all parts in order; each is there when the next one looks for it. */
  async start(): Promise<void> {
    await this.part("etcd").start();
    await this.part("kube-apiserver").start();
    await this.#beforeControllers?.(this);
    await Promise.all([...this.#parts.values()].filter((part) => !part.isRunning).map((part) => part.start()));
  }

  /** Kills everything and removes the folder; harmless when repeated. */
  async stop(): Promise<void> {
    await this.#supervised.end();
  }

  /** One of the programs, to be killed, frozen or restarted. */
  part(name: PartName): Part {
    const part = this.#parts.get(name);
    if (part === undefined) throw new Error(`this cluster has no ${name}: start it with parts "controllers"`);
    return part;
  }

  /** Resolves with a sentence as soon as one of the running programs ends. */
  partEnded(): Promise<string> {
    return Promise.race([...this.#parts.values()].map((part) => part.ended()));
  }

  /** The secret of a user; throws for one the cluster was not started with. */
  token(user: string = ADMIN.name): string {
    const token = this.#tokens.get(user);
    if (token === undefined) throw new Error(`no user "${user}": name it in ClusterOptions.users`);
    return token;
  }

  /** Writes a kubeconfig for a user, by way of another address (a proxy) if given, and returns its path. */
  kubeconfigFile(user: string = ADMIN.name, via: ServerAddress = this.address, token = this.token(user)): string {
    const name = `${user.replaceAll(":", "-")}-${new URL(via.url).port}.kubeconfig`;
    return this.#write(name, kubeconfig(via, user, token));
  }

  /** Every write that the API server has recorded so far. */
  audit(): readonly AuditedRequest[] {
    return readAuditLog(this.#layout.auditLogFile).filter(isWrite);
  }

  /** What a user asked for so far without having the right to. */
  forbidden(user: string): readonly AuditedRequest[] {
    return readAuditLog(this.#layout.auditLogFile).filter((request) => request.user === user && request.isForbidden);
  }

  /** The port of etcd, for a proxy in between or for a tool of its own. */
  get etcdPort(): number {
    return this.#layout.ports.etcd;
  }

  /** Starts one more API server on the same store, by way of another port (a proxy) if given. */
  async startReplica(
    etcdPort: number = this.etcdPort,
  ): Promise<{ readonly part: Part; readonly address: ServerAddress }> {
    const [apiserver = 0] = await freePorts(1);
    const label = `kube-apiserver-${++this.#replicas + 1}`;
    const ports = { ...this.#layout.ports, etcd: etcdPort, apiserver };
    const layout = { ...this.#layout, ports, auditLogFile: join(this.folder, `${label}-audit.log`) };
    const part = new Part(describePart("kube-apiserver", { ...this.#context, layout }, label), this.#supervised);
    await part.start();
    return { part, address: { ...this.address, url: `https://127.0.0.1:${apiserver}` } };
  }

  get supervisorPid(): number {
    return this.#supervised.supervisorPid;
  }

  #write(name: string, content: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }
}

function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}
