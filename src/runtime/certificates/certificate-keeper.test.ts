// Replicas that share a Secret, and clients that learn of a new bundle late: five virtual years, with real certificates.
import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { ApiError } from "../../kube/client/api-error.ts";
import type { Client } from "../../kube/client/client.ts";
import type { Rand } from "../../kube/rand.ts";
import { logToList } from "../log/testing/log-to-list.ts";
import { nodeCryptoKeys } from "../node/node-crypto-keys.ts";
import { CertificateKeeper } from "./certificate-keeper.ts";
import type { Generation } from "./x509.ts";

const hour = 3_600_000;
const day = 24 * hour;
const limits = { lifeMs: 90 * day, backdateMs: hour, propagationMs: day };
const host = "webhook.ops.svc";
const keys = nodeCryptoKeys();

function refusal(status: number, reason: string): ApiError {
  return new ApiError({ status, reason, message: "as the test wants", method: "PUT", path: "/secret" });
}

/** One Secret with optimistic concurrency; now and then an answer is an error, with or without the deed done. */
class SecretServer {
  readonly #rand: Rand;
  text: string | undefined;
  #version = 0;
  failureRate = 0;
  writes = 0;

  constructor(rand: Rand) {
    this.#rand = rand;
  }

  readonly client: Pick<Client, "get" | "create" | "update"> = {
    get: () => this.#answer(() => (this.text === undefined ? undefined : JSON.parse(this.text))),
    create: (_, secret) =>
      this.#answer(() => {
        if (this.text !== undefined) throw refusal(409, "AlreadyExists");
        return this.#write(secret);
      }),
    update: (_, secret) => {
      const version = secret.metadata.resourceVersion;
      return this.#answer(() => {
        const isCurrent = this.text !== undefined && JSON.parse(this.text).metadata.resourceVersion === version;
        if (!isCurrent) throw refusal(409, "Conflict");
        return this.#write(secret);
      });
    },
  };

  #write<T extends { readonly metadata: object }>(secret: T) {
    this.#version += 1;
    this.writes += 1;
    const stored = { ...secret, metadata: { ...secret.metadata, uid: "u", resourceVersion: String(this.#version) } };
    this.text = JSON.stringify(stored);
    return stored;
  }

  async #answer<T>(serve: () => T): Promise<T> {
    if (this.#rand.next() < this.failureRate) throw new Error("request lost");
    const answer = serve();
    if (this.#rand.next() < this.failureRate) throw new Error("answer lost");
    return answer;
  }
}

/** What clients have been given, and when; each of them notices up to a propagation time later. */
class Clients {
  readonly #clock: VirtualClock;
  readonly #bundles: { readonly atMs: number; readonly bundle: string }[] = [];
  #outage = { fromMs: 0, toMs: 0 };
  readonly #verdicts = new Map<string, boolean>();
  readonly #parsed = new Map<string, X509Certificate>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  readonly publish = async (bundle: string): Promise<boolean> => {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#outage.fromMs && nowMs < this.#outage.toMs) throw new Error("clients cannot be reached");
    if (this.#bundles.at(-1)?.bundle !== bundle) this.#bundles.push({ atMs: nowMs, bundle });
    return true;
  };

  beUnreachable(ms: number): void {
    this.#outage = { fromMs: this.#clock.monotonicMs(), toMs: this.#clock.monotonicMs() + ms };
  }

  /** Whether a client that noticed nothing for `lagMs` accepts this certificate; undefined before it had any bundle. */
  accepts(cert: string, lagMs: number): boolean | undefined {
    const knownMs = this.#clock.monotonicMs() - lagMs;
    const bundle = this.#bundles.findLast(({ atMs }) => atMs <= knownMs)?.bundle;
    return bundle === undefined ? undefined : this.#isTrusted(cert, bundle) && this.#isInTime(cert);
  }

  /** The costly part depends only on the texts. */
  #isTrusted(cert: string, bundle: string): boolean {
    const known = this.#verdicts.get(cert + bundle);
    if (known !== undefined) return known;
    const leaf = new X509Certificate(cert);
    const authorities = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----\n/g) ?? [];
    const isIssued = authorities
      .map((pem) => new X509Certificate(pem))
      .some((ca) => this.#isInTime(ca.toString()) && leaf.checkIssued(ca) && leaf.verify(ca.publicKey));
    const verdict = isIssued && leaf.checkHost(host) === host;
    this.#verdicts.set(cert + bundle, verdict);
    return verdict;
  }

  #isInTime(cert: string): boolean {
    const parsed = this.#parsed.get(cert) ?? new X509Certificate(cert);
    this.#parsed.set(cert, parsed);
    const { validFromDate, validToDate } = parsed;
    return validFromDate.getTime() <= this.#clock.wallMs() && this.#clock.wallMs() < validToDate.getTime();
  }
}

class Replica {
  readonly keeper: CertificateKeeper;
  readonly served: Generation[] = [];
  readonly lines = logToList();
  readonly #stop = new AbortController();

  constructor(world: World, options: { readonly skewMs?: number; readonly hosts?: readonly string[] } = {}) {
    const { clock, rand, secret, clients } = world;
    const skewed = {
      wallMs: () => clock.wallMs() + (options.skewMs ?? 0),
      monotonicMs: () => clock.monotonicMs(),
      after: (ms: number, work: () => void) => clock.after(ms, work),
    };
    this.keeper = new CertificateKeeper({
      ...{ client: secret.client, clock: skewed, rand, log: this.lines.log, keys, limits, pollMs: 12 * hour },
      ...{ namespace: "ops", secretName: "certificates", subject: "webhook", hosts: options.hosts ?? [host] },
      ...{ publish: clients.publish, serve: (generation) => void this.served.push(generation) },
    });
  }

  start(): this {
    void this.keeper.run(this.#stop.signal);
    return this;
  }

  stop(): void {
    this.#stop.abort(new Error("the test stops it"));
  }
}

type World = {
  readonly clock: VirtualClock;
  readonly rand: Rand;
  readonly secret: SecretServer;
  readonly clients: Clients;
};

function aWorld(seed = 1): World {
  const clock = new VirtualClock();
  const rand = seededRand(seed);
  return { clock, rand, secret: new SecretServer(rand), clients: new Clients(clock) };
}

test.each([1, 2])(
  "five years of rotations with three replicas, lost answers, restarts and lagging clients: no refused certificate (seed %i)",
  { timeout: 120_000 },
  async (seed) => {
    const world = aWorld(seed);
    const { clock, rand, secret, clients } = world;
    const aReplica = () => new Replica(world, { skewMs: (rand.next() - 0.5) * 0.5 * hour }).start();
    const replicas = [aReplica(), aReplica(), aReplica()];
    const generations = new Set<string>();
    let handshakes = 0;
    secret.failureRate = 0.05;
    for (let half = 0; half < 2 * 5 * 365; half++) {
      await clock.elapse(12 * hour);
      for (const { keeper } of replicas) {
        const cert = keeper.serving?.cert;
        const accepted = cert === undefined ? undefined : clients.accepts(cert, rand.next() * limits.propagationMs);
        if (cert === undefined || accepted === undefined) continue;
        generations.add(cert);
        handshakes += 1;
        expect(accepted, `day ${half / 2}: a client refuses what is served`).toBe(true);
      }
      if (rand.next() < 0.02) replicas.splice(Math.floor(rand.next() * 3), 1, aReplica())[0]?.stop();
      if (rand.next() < 0.01) clients.beUnreachable(rand.next() * 20 * day);
    }
    for (const replica of replicas) replica.stop();
    expect(handshakes).toBeGreaterThan(10_000);
    expect(generations.size).toBeGreaterThanOrEqual(25);
    expect(secret.writes, "only rotations write").toBeLessThan(generations.size * 6);
  },
);

test("replicas that start together on nothing agree on one generation", async () => {
  const world = aWorld();
  const replicas = Array.from({ length: 5 }, () => new Replica(world));
  await Promise.all(replicas.map(({ keeper }) => keeper.refresh()));
  const certs = new Set(replicas.map(({ keeper }) => keeper.serving?.cert));
  expect([certs.size, world.secret.writes]).toEqual([1, 1]);
  expect(replicas.map(({ served }) => served.length)).toEqual([1, 1, 1, 1, 1]);
});

test("two replicas that find the same rotation due prepare one next generation", async () => {
  const world = aWorld();
  const [one, other] = [new Replica(world), new Replica(world)];
  await one.keeper.refresh();
  await other.keeper.refresh();
  await world.clock.elapse(61 * day);
  await Promise.all([one.keeper.refresh(), other.keeper.refresh()]);
  await world.clock.elapse(2 * day);
  await Promise.all([one.keeper.refresh(), other.keeper.refresh()]);
  expect(one.keeper.serving?.cert).toBe(other.keeper.serving?.cert);
  expect(one.served).toHaveLength(2);
});

test("an empty Secret that an installer left is filled, and a damaged one is replaced", async () => {
  const world = aWorld();
  const metadata = { name: "certificates", namespace: "ops", uid: "u", resourceVersion: "7", labels: { app: "x" } };
  world.secret.text = JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata });
  const replica = new Replica(world);
  await replica.keeper.refresh();
  const filled = JSON.parse(world.secret.text ?? "");
  expect([filled.metadata.labels, Object.keys(filled.data)]).toEqual([
    { app: "x" },
    ["tls.crt", "tls.key", "ca.crt", "current-ca.crt", "served-at"],
  ]);
  world.secret.text = JSON.stringify({ ...filled, data: { ...filled.data, "tls.key": "%%%" } });
  const after = new Replica(world);
  await after.keeper.refresh();
  expect(after.keeper.serving?.cert).toBeDefined();
  expect(after.keeper.serving?.cert).not.toBe(replica.keeper.serving?.cert);
});

test("two versions that want different names do not undo each other's work", async () => {
  const world = aWorld();
  const [older, newer] = [new Replica(world, { hosts: ["a.svc"] }), new Replica(world, { hosts: ["b.svc"] })];
  for (let round = 0; round < 3; round++) {
    await older.keeper.refresh();
    await newer.keeper.refresh();
  }
  expect([...(newer.keeper.serving?.hosts ?? [])].sort()).toEqual(["a.svc", "b.svc"]);
  expect(world.secret.writes).toBe(2);
});

test("no key and no certificate reaches the log", async () => {
  const world = aWorld();
  const replica = new Replica(world);
  await replica.keeper.refresh();
  expect(JSON.stringify(replica.lines.lines)).not.toMatch(/BEGIN|PRIVATE/);
});

test.each([
  [[], "a certificate needs 1 to 20 names, not 0; check the configured host names"],
  [Array.from({ length: 21 }, (_, i) => `n${i}.svc`), "a certificate needs 1 to 20 names, not 21"],
  [["::1"], 'a certificate cannot be made for "::1"; give DNS names and IPv4 addresses'],
  [["a.svc", "ä.svc"], 'a certificate cannot be made for "ä.svc"'],
  [["a.svc, DNS:b.svc"], "a certificate cannot be made for"],
])("hosts that no certificate can carry are refused at once: %j", (hosts, message) => {
  expect(() => new Replica(aWorld(), { hosts })).toThrow(message);
});
