// Two leaders without a lease of which one knows less than the other when a pod fails: of the failure in a surge, or of an edit pod by pod.
// Both make the next pod of the node, and must meet in one name. Seeds 565 and 669 of two leaders surging told of the first story.
import { expect, test } from "vitest";
import { pause } from "../../../src/kube/clock.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { metaOf, textAt } from "../../api-server/api-object.ts";
import { builtInKinds } from "../../api-server/built-in/built-in-kinds.ts";
import { act } from "../../simulator/faults/world-faults.ts";
import type { Ports } from "../../simulator/ports.ts";
import { runHistory } from "../../simulator/run-history.ts";
import type { Scenario } from "../../simulator/scenario.ts";
import type { World } from "../../simulator/world.ts";
import { deafTransport } from "../operator/deaf-transport.ts";
import { daemonSetScenario, type Mode, operateAlone } from "./daemon-set-scenario.ts";
import { nodeOf } from "./invariants.ts";
import { aTemplate, NAMESPACE, pods, SET_KEY, sets } from "./set-fixture.ts";

type Story = {
  readonly mode: Mode;
  readonly editedMs: number;
  /** From when to when one of them hears nothing of pods. */
  readonly deafMs: readonly [from: number, to: number];
  /** How long a pod of the other one is under way. */
  readonly slowMs: number;
};

const builtIn = builtInKinds();
/** Where an update begins. */
const NODE = "node-2";
const FAILS_MS = 7_500;
const OVER_MS = 14_000;
const roles = ["operator", "other-operator"];

/** The nodes are new, so everybody waits for three seconds after the edit: both leaders begin at 8 s, and one of them hears too late. */
const unseenFailure: Story = { mode: "surging", editedMs: 5_000, deafMs: [7_000, 10_000], slowMs: 0 };
/** One makes a successor at once, which is under way for longer than anybody waits; the other hears of the failure when it knows of the edit. */
const unseenEdit: Story = { mode: "rolling", editedMs: 7_600, deafMs: [7_000, 7_900], slowMs: 5_000 };

/** A leader that hears nothing of pods for a while, or whose pods are slow: the one of that name is deaf. */
function operateBadly({ deafMs: [from, to], slowMs }: Story, deaf: string): (ports: Ports) => void {
  return (ports) => {
    const { clock, identity, transport } = ports;
    const isDeafTo = ({ path }: HttpRequest) =>
      path.startsWith("/api/v1/pods") && clock.monotonicMs() >= from && clock.monotonicMs() < to;
    const request: Transport["request"] = async (wanted) => {
      const isSlow = wanted.method === "POST" && wanted.path.includes("/pods") && clock.monotonicMs() >= from;
      if (isSlow) await pause(clock, slowMs);
      return transport.request(wanted);
    };
    const isDeaf = identity.startsWith(`${deaf}.`);
    operateAlone({
      ...ports,
      transport: isDeaf ? deafTransport(transport, { clock, isDeafTo }) : { ...transport, request },
    });
  };
}

function failPod(world: World): void {
  const body = { status: { phase: "Failed", reason: "Evicted" } };
  for (const pod of world.state.objects("pods")) {
    if (nodeOf(pod) !== NODE) continue;
    const key = `${NAMESPACE}/${textAt(metaOf(pod), "name")}`;
    act(world, world.client("kubelet").patch(pods, key, { type: "merge", body }, { subresource: "status" }));
  }
}

function scenarioOf(story: Story, deaf: string): Scenario {
  const scenario = daemonSetScenario(story.mode, operateBadly(story, deaf));
  const edit = { type: "merge" as const, body: { spec: { template: aTemplate("2") } } };
  return {
    ...{ ...scenario, requestRules: [], faultsMs: OVER_MS },
    setUp: async (world) => {
      await scenario.setUp(world);
      world.clock.after(story.editedMs, () => act(world, world.client("user").patch(sets, SET_KEY, edit)));
      world.clock.after(FAILS_MS, () => failPod(world));
    },
  };
}

test.each(
  roles.flatMap((deaf) => [
    [`${deaf} has not heard that the old pod failed beside which it surges`, deaf, unseenFailure] as const,
    [
      `${deaf} hears of the failure after the edit, when the other has made a successor before it`,
      deaf,
      unseenEdit,
    ] as const,
  ]),
)("one new pod comes where %s", async (_about, deaf, story) => {
  const scenario = scenarioOf(story, deaf);
  const tape = { scenario: scenario.name, seed: 1, streams: new Map() };
  const { failure, trace } = await runHistory({ scenario, source: { tape }, builtIn, keepsTrace: true });
  expect(failure).toBeUndefined();
  // It has to have been a race: both ask for that pod.
  const isMeeting = (line: string) => / POST \/api\/v1\/namespaces\/default\/pods 409$/.test(line);
  const isDuring = (atMs: number) => atMs >= FAILS_MS && atMs < OVER_MS;
  expect(trace.filter(isMeeting).map(Number.parseFloat).filter(isDuring)).toHaveLength(1);
});
