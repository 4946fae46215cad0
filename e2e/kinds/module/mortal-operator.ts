// Operator processes on a real control plane that can be killed: at once, or at one of their writes, whose answer is then lost.

import { allPresent } from "../../../sim/scenarios/module/simulated-module.ts";
import type { Rivals } from "../../../src/controllers/coexistence/rivals.ts";
import { createOperator, type Operator } from "../../../src/controllers/loop/create-operator.ts";
import { ImageProbes } from "../../../src/controllers/registry/probe-images.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import type { RegistryTransport } from "../../../src/runtime/http/registry-transport.ts";
import { logToList } from "../../../src/runtime/log/testing/log-to-list.ts";
import type { Connection } from "../../control-plane/connect.ts";
import { hastyClock } from "./hasty-clock.ts";

export type MortalOperator = {
  readonly operator: Operator;
  readonly life: AbortController;
  readonly writes: readonly string[];
};

export type Mortality = {
  readonly identity: string;
  /** It dies after so many writes; never when absent. */
  readonly diesAtWrite?: number;
  /** Events do not count as writes, nor is any its last. */
  readonly outlivesEvents?: boolean;
  /** Who else may serve the kind. */
  readonly rivals?: Rivals;
  /** How many times as fast as the machine's its clock runs; 1 when absent. */
  readonly haste?: number;
  /** Where it asks for images; when absent, all of them are there. */
  readonly registry?: RegistryTransport;
};

/** Starts one. */
export function startOperator(
  { clock, rand, transport }: Connection,
  kind: Kind,
  mortality: Mortality,
): MortalOperator {
  const { identity, haste = 1, registry, rivals } = mortality;
  const life = new AbortController();
  const writes: string[] = [];
  const ports = {
    identity,
    clock: hastyClock(clock, haste),
    rand,
    log: logToList().log,
    transport: mortal(transport, life, writes, mortality),
  };
  const images = registry === undefined ? allPresent : new ImageProbes({ ...ports, registry });
  const operator = createOperator(ports, { kinds: [kind], program: "farrier", images, ...(rivals && { rivals }) });
  void operator.run(life.signal);
  return { operator, life, writes };
}

/** A connection of a process that is gone once its life has ended: nothing is sent, and no answer comes any more. */
function mortal(
  transport: Transport,
  life: AbortController,
  writes: string[],
  { diesAtWrite = Number.POSITIVE_INFINITY, outlivesEvents = false }: Mortality,
): Transport {
  const never = new Promise<never>(() => undefined);
  const send = async (request: HttpRequest) => {
    const isWrite = request.method !== "GET" && !(outlivesEvents && /\/events(?:[/?]|$)/.test(request.path));
    // What would be sent beside the last write is not: each write may be the last thing that a process ever does.
    if (isWrite && writes.length >= diesAtWrite) return never;
    if (isWrite) writes.push(`${request.method} ${request.path}`);
    const count = writes.length;
    const answer = await transport.request(request);
    if (isWrite && count >= diesAtWrite) life.abort(new Error("killed"));
    return life.signal.aborted ? never : answer;
  };
  return {
    request: (request) => (life.signal.aborted ? never : send(request)),
    stream: (request) => (life.signal.aborted ? never : transport.stream(request)),
  };
}
