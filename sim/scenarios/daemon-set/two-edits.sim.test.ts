// Two leaders without a lease and a surge that is taken back at the moment when one of them takes the first old pod. The other has not seen that one
// go when it hears of the second edit: for it the old pod is what is wanted again, and the new one, which alone serves by now, is to go.
import { expect, test } from "vitest";
import { pause } from "../../../src/kube/clock.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { act } from "../../simulator/faults/world-faults.ts";
import type { Ports } from "../../simulator/ports.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import { deafTransport } from "../operator/deaf-transport.ts";
import { daemonSetScenario, operateAlone } from "./daemon-set-scenario.ts";
import { aTemplate, SET_KEY, sets } from "./set-fixture.ts";

const builtIn = builtInKinds();
const roles = ["operator", "other-operator"];
const EDITED_MS = 10_000;
const OVER_MS = 20_000;
/** From when on one of them hears nothing of pods: it has seen the new one come, and not that it serves. */
const DEAF_MS = EDITED_MS + 100;

type Story = {
  readonly deaf: string;
  /** How long the first delete of the other one is under way. */
  readonly slowMs: number;
  /** When that was sent, and for which pod. */
  takenMs: number | undefined;
  takenPath: string;
  /** Takes the edit back. */
  takeBack: () => void;
};

function operateIn(story: Story): (ports: Ports) => void {
  return (ports) => {
    const { clock, identity, transport } = ports;
    const isDeafTo = ({ path }: HttpRequest) =>
      path.includes("/pods") && clock.monotonicMs() >= DEAF_MS && clock.monotonicMs() < OVER_MS;
    const request: Transport["request"] = async (wanted) => {
      if (wanted.method === "DELETE" && clock.monotonicMs() >= EDITED_MS && story.takenMs === undefined) {
        story.takenMs = clock.monotonicMs();
        story.takenPath = wanted.path;
        story.takeBack();
        await pause(clock, story.slowMs);
      }
      return transport.request(wanted);
    };
    const isDeaf = identity.startsWith(`${story.deaf}.`);
    operateAlone({
      ...ports,
      transport: isDeaf ? deafTransport(transport, { clock, isDeafTo }) : { ...transport, request },
    });
  };
}

function scenarioOf(story: Story): Scenario {
  const scenario = daemonSetScenario("surging", operateIn(story));
  return {
    ...{ ...scenario, requestRules: [], faultsMs: OVER_MS },
    setUp: async (world) => {
      const ask = (tag: string) => {
        const body = { spec: { template: aTemplate(tag) } };
        act(world, world.client("user").patch(sets, SET_KEY, { type: "merge", body }));
      };
      await scenario.setUp(world);
      world.clock.after(EDITED_MS, () => ask("2"));
      story.takeBack = () => ask("1");
    },
  };
}

test.each(
  roles.flatMap((deaf) => [
    [deaf, "which goes at once", 0] as const,
    [deaf, "of which the deletion is under way for long", 1_500] as const,
  ]),
)("a node keeps one of two pods where %s has not seen the other one go, %s", async (deaf, _how, slowMs) => {
  const story: Story = { deaf, slowMs, takenMs: undefined, takenPath: "", takeBack: () => undefined };
  const scenario = scenarioOf(story);
  const tape = { scenario: scenario.name, seed: 1, streams: new Map() };
  const { failure, trace } = await runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
  expect(failure).toBeUndefined();
  // It has to have been a race: the one that is deaf asked for the pod that the other had taken, since it would have taken the one that stayed.
  const isByDeaf = (line: string) => line.includes(` ${deaf}.1 `);
  const isMeanwhile = (atMs: number) => atMs >= (story.takenMs ?? OVER_MS) && atMs < OVER_MS;
  const reads = trace.filter((line) => isByDeaf(line) && line.includes(` GET ${story.takenPath} `));
  expect(reads.map(Number.parseFloat).filter(isMeanwhile)).not.toHaveLength(0);
});
