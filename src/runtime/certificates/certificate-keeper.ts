// Keeps this replica's serving certificate and the clients' bundle in step with the Secret that all replicas share.
// Every replica runs one; whoever sees first that something is due writes it, and the others find it written.
//
// Guarantees: a change of the Secret is based on what was read (compare and swap), so replicas that race agree on one
// generation; a leaf is served only from the Secret.
import { isAlreadyExists, isConflict, isNotFound } from "../../kube/client/api-error.ts";
import type { Client } from "../../kube/client/client.ts";
import { type Clock, pause } from "../../kube/clock.ts";
import type { Rand } from "../../kube/rand.ts";
import { namedKey, type Stored } from "../../kube/resource.ts";
import type { Logger } from "../log/log.ts";
import { backOffMs } from "../queue/back-off.ts";
import {
  type CertificateSecret,
  NO_CERTIFICATES,
  printCertificates,
  readCertificates,
  secrets,
  withFacts,
} from "./certificate-secret.ts";
import {
  advanceCertificates,
  bundleOf,
  CERTIFICATE_LIMITS,
  type CertificateLimits,
  type CertificateState,
  decideCertificates,
  type Issued,
  lacksMark,
  markPublished,
} from "./certificates.ts";
import { type CertificateKeys, type Generation, issueGeneration } from "./x509.ts";

export type CertificateKeeperOptions = {
  readonly client: Pick<Client, "get" | "create" | "update">;
  readonly clock: Clock;
  readonly rand: Rand;
  readonly log: Logger;
  readonly keys: CertificateKeys;
  readonly namespace: string;
  readonly secretName: string;
  /** Appears in the certificates' subjects. */
  readonly subject: string;
  readonly hosts: readonly string[];
  /** Gives clients the bundle; true when every one of them is known to have it. */
  readonly publish: (bundle: string) => Promise<boolean>;
  /** Takes the certificate to serve from now on. */
  readonly serve: (certificate: Generation) => void;
  readonly limits?: CertificateLimits;
  readonly pollMs?: number;
};

/** Far shorter than the propagation time, and the time within which a bundle that somebody has overwritten is repaired. */
const POLL_MS = 30_000;
const POLL_JITTER = 0.25;
const POLL_BACK_OFF = { baseMs: 1_000, maxMs: POLL_MS };
/** Steps of one round; more would mean that replicas undo each other's work. */
const STEPS_MAX = 8;
const NAMES_MAX = 20;

export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  readonly #limits: CertificateLimits;
  readonly #log: Logger;
  #read: { readonly version: string; readonly state: CertificateState } | undefined;
  #serving: Issued | undefined;

  /** Throws when no certificate can carry the hosts: one that lacks a name would be issued anew for ever. */
  constructor(options: CertificateKeeperOptions) {
    assertNameable(options.hosts);
    this.#options = options;
    this.#limits = options.limits ?? CERTIFICATE_LIMITS;
    this.#log = options.log.with({ secretName: options.secretName });
  }

  /** What is served, once `refresh` has succeeded. */
  get serving(): Issued | undefined {
    return this.#serving;
  }

  /** Refreshes for ever, less often while it fails. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, rand, pollMs = POLL_MS } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      const isDone = await this.#tryRefresh();
      failures = isDone ? 0 : failures + 1;
      const delayMs = isDone ? pollMs * (1 - POLL_JITTER * rand.next()) : backOffMs(POLL_BACK_OFF, failures, rand);
      await pause(clock, delayMs, signal).catch(() => undefined);
    }
  }

  /** Does what is due, serves what is current and publishes the bundle. Throws when the Secret cannot be read or written. */
  async refresh(): Promise<void> {
    const state = await this.#settle();
    const { current } = state;
    if (current !== undefined && current.cert !== this.#serving?.cert) {
      this.#options.serve(current);
      this.#serving = current;
      this.#log.info("serving a certificate", { expires: new Date(current.notAfterMs).toISOString() });
    }
    await this.#publish(state);
  }

  async #tryRefresh(): Promise<boolean> {
    try {
      await this.refresh();
      return true;
    } catch (error) {
      this.#log.warn("cannot refresh the certificates", { error });
      return false;
    }
  }

  /** Steps until nothing is due. */
  async #settle(): Promise<CertificateState> {
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      const secret = await this.#get();
      const state = this.#parse(secret);
      const nowMs = this.#options.clock.wallMs();
      const step = decideCertificates(state, this.#options.hosts, nowMs, this.#limits);
      if (step.do === "keep") return state;
      const next = advanceCertificates(state, step, nowMs, () => this.#issue(state));
      if (await this.#put(secret, next)) this.#log.info("certificates changed", { step: step.do, why: step.why });
    }
    throw new Error(`the certificates do not settle in ${STEPS_MAX} steps; compare the clocks of the replicas`);
  }

  async #publish(state: CertificateState): Promise<void> {
    const { publish, clock } = this.#options;
    try {
      const isOut = await publish(bundleOf(state));
      if (!isOut || !lacksMark(state, clock.wallMs(), this.#limits)) return;
      const secret = await this.#get();
      // Somebody may have moved on in between; then this bundle is not the one that is out.
      if (bundleOf(this.#parse(secret)) !== bundleOf(state)) return;
      await this.#put(secret, markPublished(state, clock.wallMs()));
    } catch (error) {
      this.#log.warn("cannot publish the certificate bundle", { error });
    }
  }

  #issue(state: CertificateState): Issued {
    const { keys, clock, subject, hosts } = this.#options;
    // Names of the certificate before stay: another version of this program may still want them.
    const names = [...new Set([...hosts, ...(state.current?.hosts ?? [])])].slice(0, NAMES_MAX);
    const nowMs = clock.wallMs();
    const validity = { notBeforeMs: nowMs - this.#limits.backdateMs, notAfterMs: nowMs + this.#limits.lifeMs };
    const issued = withFacts(issueGeneration(keys, { name: subject, hosts: names, ...validity }), keys);
    if (issued === undefined) throw new Error("a certificate that was just issued cannot be read");
    return issued;
  }

  #get(): Promise<Stored<CertificateSecret> | undefined> {
    const { client, secretName, namespace } = this.#options;
    return client.get(secrets, namedKey(secretName, namespace));
  }

  /** Reading checks signatures, so an unchanged Secret is read once. */
  #parse(secret: Stored<CertificateSecret> | undefined): CertificateState {
    if (secret === undefined) return NO_CERTIFICATES;
    const version = secret.metadata.resourceVersion;
    if (this.#read?.version !== version) {
      this.#read = { version, state: readCertificates(secret, this.#options.keys) };
    }
    return this.#read.state;
  }

  /** Writes over what was read; false when somebody else has written since. */
  async #put(before: Stored<CertificateSecret> | undefined, state: CertificateState): Promise<boolean> {
    const { client, secretName: name, namespace } = this.#options;
    const content = printCertificates(state);
    const fresh = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, type: "Opaque", data: content };
    try {
      if (before === undefined) await client.create(secrets, fresh);
      else await client.update(secrets, { ...before, data: content });
      return true;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return false;
      throw error;
    }
  }
}

/** Labels of letters, digits, hyphens and underscores; addresses are made of digits alone. */
const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;
const HOST_LENGTH_MAX = 253;

function assertNameable(hosts: readonly string[]): void {
  if (hosts.length < 1 || hosts.length > NAMES_MAX) {
    const remedy = "check the configured host names";
    throw new Error(`a certificate needs 1 to ${NAMES_MAX} names, not ${hosts.length}; ${remedy}`);
  }
  const bad = hosts.find((host) => host.length > HOST_LENGTH_MAX || !HOST.test(host));
  if (bad === undefined) return;
  throw new Error(`a certificate cannot be made for ${JSON.stringify(bad)}; give DNS names and IPv4 addresses`);
}
