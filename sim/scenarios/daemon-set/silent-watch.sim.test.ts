// An advanced DaemonSet whose operator loses the answers of its creates while its watch of pods is silent, and whose template changes
// meanwhile: names follow from the template, so only what the operator remembers and asks about stands against a second pod.
import { expect, test } from "vitest";
import type { Transport } from "../../../src/kube/transport.ts";
import { TransportError } from "../../../src/kube/transport-error.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import type { Ports } from "../../simulator/ports.ts";
import { runHistory } from "../../simulator/run-history.ts";
import { deafTransport } from "../operator/deaf-transport.ts";
import { daemonSetScenario, type Mode, operate } from "./daemon-set-scenario.ts";

const builtIn = builtInKinds();
const modes: readonly Mode[] = ["rolling", "surging", "in-place"];
/** Longer than the operator waits for an answer, and shorter than it takes to find a watch silent. */
const DEAF_MS = 80_000;
/** Until the operator has given up its first creates, but not yet forgotten them. */
const LOST_MS = 25_000;
/** In half seconds, between the two. */
const EDITED_AT = 70;

/** A replica that hears no more of pods, and no answers, once it has begun to make some. */
function operateBadly(ports: Ports): void {
  const { clock } = ports;
  let begunMs: number | undefined;
  const isWithin = (ms: number) => begunMs !== undefined && clock.monotonicMs() < begunMs + ms;
  const transport = deafTransport(ports.transport, {
    clock,
    isDeafTo: ({ path }) => path.startsWith("/api/v1/pods") && isWithin(DEAF_MS),
  });
  const request: Transport["request"] = async (wanted) => {
    const makesPod = wanted.method === "POST" && wanted.path.includes("/pods");
    if (makesPod) begunMs ??= clock.monotonicMs();
    const answer = await transport.request(wanted);
    if (makesPod && isWithin(LOST_MS)) throw new TransportError("broken", "the connection was reset");
    return answer;
  };
  operate({ ...ports, transport: { ...transport, request } });
}

test.each(modes)("no node gets a second pod of the set: %s", { timeout: 600_000 }, async (mode) => {
  const scenario = { ...daemonSetScenario(mode, operateBadly), faultsMs: 100_000 };
  const streams = new Map([
    ["new-template", [{ at: EDITED_AT, value: 1 }]],
    // Another one than the first.
    ["new-template-how", [{ at: 0, value: 1 }]],
  ]);
  const tape = { scenario: scenario.name, seed: 1, streams };
  const { failure, trace } = await runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
  expect(failure).toBeUndefined();
  const isEdit = (line: string) => / changes daemonsets\.apps\.kruise\.io .* by user/.test(line);
  expect(trace.filter(isEdit)).toHaveLength(1);
});
