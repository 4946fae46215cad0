// One process behind its network, in a world in which only that goes wrong which a tape says.
import type { KubeObject, Resource } from "../../../src/kube/resource.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import { plainKinds } from "../../api-server/testing/plain-kinds.ts";
import type { Ports } from "../ports.ts";
import type { Scenario } from "../scenario.ts";
import type { Choice } from "../tape.ts";
import { createWorld } from "../world.ts";

const calm: Scenario = {
  ...{ name: "calm", about: "", faultsMs: 60_000, settleMs: 0, quietMs: 0, faults: [], worldFaults: [] },
  ...{ invariants: () => [], requestRules: [], isNoise: () => false, unsettled: () => undefined },
  setUp: async () => undefined,
};
export const entries: Resource = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
export const path = "/api/v1/namespaces/default/configmaps";
export const anEntry = (name: string): KubeObject => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } },
});

/** Faults without a place are those of the process. */
const fullName = (fault: string) => (fault.startsWith("replica-") ? fault : `p-${fault}`);

/** A world with one process whose network does what the tape says, and nothing else. */
export function aProcess(forced: Readonly<Record<string, readonly (number | Choice)[]>>) {
  const streams = new Map<string, readonly Choice[]>(
    Object.entries(forced).map(([name, at]) => [
      fullName(name),
      at.map((choice) => (typeof choice === "number" ? { at: choice, value: 1 } : choice)),
    ]),
  );
  const tape = { scenario: "calm", seed: 1, streams };
  const world = createWorld({ scenario: calm, source: { tape }, builtIn: plainKinds, keepsTrace: true });
  const lives: Ports[] = [];
  const host = world.host("p", (ports) => lives.push(ports));
  const transport: Transport = {
    request: (request) => lives[0]?.transport.request(request) ?? Promise.reject(new Error("not started")),
    stream: (request) => lives[0]?.transport.stream(request) ?? Promise.reject(new Error("not started")),
  };
  return { world, host, lives, transport };
}

/** A write. */
export const post = (name: string): HttpRequest => ({
  ...{ method: "POST", path, lane: "calls", headers: { "content-type": "application/json" } },
  body: JSON.stringify(anEntry(name)),
});

/** How an answer looks to who waits for it: a status, why there is none, or nothing at all. */
export async function outcome(
  { world, transport }: ReturnType<typeof aProcess>,
  request: HttpRequest,
): Promise<string> {
  let seen = "no answer";
  transport.request(request).then(
    ({ status }) => {
      seen = `${status}`;
    },
    (error: unknown) => {
      seen = error instanceof TransportError ? error.reason : String(error);
    },
  );
  await world.clock.elapse(30_000);
  return seen;
}
