// A simulated cluster under one seed or tape: the API server, virtual time, every process behind its own bad network, and the
// oracles that watch each write. run-history.ts takes it from its first moment to its verdict.
//
// A world is one cluster under one seed. Beside this file:
//   scenario, scenarios                     what a run plays
//   host, incarnation, ports, processor     processes, their lives, and who runs next
//   decisions, tape, mix-seed               every choice of a run, from a seed or a tape
//   run-history, trace                      one run, and its record
//   oracles, commit                         what must hold after each write
//   faults/faults, network/link             what goes wrong
//   search/run-command                      many seeds, one failure, made short
//   replicas, plain-machines, frozen-store  servers that lag, plain machines, a frozen store
import type { Client } from "../../src/kube/client/client.ts";
import { createClient } from "../../src/kube/client/create-client.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { CallWebhook } from "../api-server/admission/call-webhook.ts";
import { type ApiServer, createApiServer } from "../api-server/api-server.ts";
import type { ResourceType } from "../api-server/resource-type.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { commitOf, type State, stateOf } from "./commit.ts";
import { Decisions, type Source } from "./decisions.ts";
import { Faults } from "./faults/faults.ts";
import { Host } from "./host.ts";
import type { Incarnation } from "./incarnation.ts";
import { createLink } from "./network/link.ts";
import { type Failure, Oracles } from "./oracles.ts";
import type { Start } from "./ports.ts";
import { Processor } from "./processor.ts";
import { laggingServers } from "./replicas.ts";
import type { Scenario } from "./scenario.ts";
import { Trace } from "./trace.ts";

export type WorldOptions = {
  readonly scenario: Scenario;
  readonly source: Source;
  /** Worlds of one process share the built-in kinds: making them costs more than a short history. */
  readonly builtIn: readonly ResourceType[];
  readonly isAllowed?: (fault: string) => boolean;
  readonly keepsTrace?: boolean;
  /** How what servers send reaches clients; the seed decides unless it is given. No step of a history may depend on it. */
  readonly wire?: Wire;
};

export type Wire = "text" | "values";

/** Of all histories, the part in which clients read text as in production; the others are spared a seventh of their cost. */
const TEXT_SHARE = 0.1;

export type World = {
  readonly clock: VirtualClock;
  readonly decisions: Decisions;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly server: ApiServer;
  readonly state: State;
  /** Somebody with a good connection: a user, or whoever fills the cluster. */
  readonly client: (name: string) => Client;
  /** Starts a part behind its own network; a dead one is started again. */
  readonly host: (role: string, start: Start) => Host;
  readonly hosts: ReadonlyMap<string, Host>;
  /** From now on the server's webhooks are called in this way; until then none can be reached. */
  readonly answerWebhooks: (call: CallWebhook) => void;
  /** The first thing that went wrong. */
  readonly failure: () => Failure | undefined;
  readonly fail: (oracle: string, message: string) => void;
  readonly lastWrite: () => { readonly atMs: number; readonly what: string };
};

/** Builds a world in which nothing runs yet. */
export function createWorld(options: WorldOptions): World {
  const { scenario, source, builtIn } = options;
  const clock = new VirtualClock();
  const decisions = new Decisions(source);
  const faults = new Faults(
    decisions,
    [...scenario.faults, ...scenario.worldFaults],
    options.isAllowed ?? (() => true),
  );
  const trace = new Trace(() => clock.monotonicMs(), options.keepsTrace ?? false);
  let webhooks: CallWebhook = async () => Promise.reject(new Error("nobody serves webhooks here"));
  const callWebhook = goingOn(
    () => oracles,
    (clientConfig, review) => webhooks(clientConfig, review),
  );
  const handsOver = (options.wire ?? wireOf(decisions)) === "values";
  trace.add("world", "begins", () => `begins; what servers send goes as ${handsOver ? "values" : "text"}`);
  const server = createApiServer({ clock, rand: decisions.rand("server"), builtIn, callWebhook, handsOver });
  const oracles = new Oracles(scenario, { clock, trace, state: stateOf(server.store) });
  server.onCommit((change) => oracles.committed(commitOf(change, oracles.writer)));
  const fresh = server.transport();
  const stale = laggingServers(server, clock, faults);
  const staleChoice = decisions.stream("stale-which");
  const serverAt = (where: "fresh" | "stale") =>
    where === "fresh" ? fresh : (stale[staleChoice.pick(stale.length)] ?? fresh);
  const hosts = new Map<string, Host>();
  const processor = new Processor(clock, faults);
  const link = (role: string) => (incarnation: Incarnation) =>
    createLink({
      ...{ role, incarnation, clock, faults, trace, server: serverAt },
      heldUpMs: () => hosts.get(role)?.heldUpMs ?? 0,
      cloggedMs: (path) => hosts.get(role)?.cloggedMs(path) ?? 0,
      isTrusted: () => hosts.get(role)?.isTrusted ?? true,
      sent: (request) => oracles.sent(role, { request, by: incarnation.name }),
      arrived: () => oracles.serving(incarnation.name),
    });
  return {
    ...{ clock, decisions, faults, trace, server, hosts, state: oracles.state },
    answerWebhooks: (call) => {
      webhooks = call;
    },
    client: (name) =>
      createClient({
        ...{ clock, rand: decisions.rand(name), fieldManager: name },
        transport: noting(fresh, () => oracles.serving(name)),
      }),
    host: (role, start) => {
      const rand = (name: string) => decisions.rand(name);
      const uncaught = (name: string, error: unknown) => oracles.fail("Uncaught", `${name}: ${textOf(error)}`);
      const host = new Host({ role, start, clock, faults, trace, processor, rand, uncaught, link: link(role) });
      hosts.set(role, host);
      return host;
    },
    failure: () => oracles.failure,
    fail: (oracle, message) => oracles.fail(oracle, message),
    lastWrite: () => oracles.lastWrite,
  };
}

function wireOf(decisions: Decisions): Wire {
  return decisions.rand("wire").next() < TEXT_SHARE ? "text" : "values";
}

/** While a webhook is asked, others are served; what follows its answer is the same request again. */
function goingOn(oraclesOf: () => Oracles, call: CallWebhook): CallWebhook {
  return async (clientConfig, review) => {
    const { writer } = oraclesOf();
    try {
      return await call(clientConfig, review);
    } finally {
      oraclesOf().serving(writer);
    }
  };
}

/** The same connection, with somebody told about every request. */
function noting(transport: Transport, note: () => void): Transport {
  return {
    request: (request) => {
      note();
      return transport.request(request);
    },
    stream: (request) => transport.stream(request),
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
