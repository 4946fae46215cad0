// Operator processes on a real control plane that can be killed: at once, or at one of their writes, whose answer is then lost.
import { createOperator, type Operator } from "../../../src/controllers/create-operator.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { logToList } from "../../../src/runtime/log-to-list.ts";
import type { Connection } from "../../control-plane/connect.ts";
import { allPresent } from "./simulated-module.ts";

export type MortalOperator = {
  readonly operator: Operator;
  readonly life: AbortController;
  readonly writes: readonly string[];
};

/** Starts one that dies after its n-th write. */
export function startOperator(
  { clock, rand, transport }: Connection,
  kind: Kind,
  { identity, diesAtWrite = Number.POSITIVE_INFINITY }: { readonly identity: string; readonly diesAtWrite?: number },
): MortalOperator {
  const life = new AbortController();
  const writes: string[] = [];
  const ports = {
    identity,
    clock,
    rand,
    log: logToList().log,
    transport: mortal(transport, life, writes, diesAtWrite),
  };
  const operator = createOperator(ports, { kinds: [kind], program: "farrier", images: allPresent });
  void operator.run(life.signal);
  return { operator, life, writes };
}

/** A connection of a process that is gone once its life has ended: nothing is sent, and no answer comes any more. */
function mortal(transport: Transport, life: AbortController, writes: string[], diesAtWrite: number): Transport {
  const never = new Promise<never>(() => undefined);
  const send = async (request: HttpRequest) => {
    const isWrite = request.method !== "GET";
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
