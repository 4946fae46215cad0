// preDelete hooks on a real control plane: pods that were asked to go while nobody used them, and that people use when their hook lets go. Judged by
// what was committed to etcd.
import { afterEach, expect, test } from "vitest";
import { aTemplate, NAMESPACE, pods } from "../../../sim/scenarios/daemon-set/set-fixture.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { parseDaemonPod } from "../../../src/core/pod/daemon-pod.ts";
import { mergeObject } from "../../../src/core/strategic-merge/merge-patch.ts";
import { LIFECYCLE_STATE, PREPARING_DELETE } from "../../../src/kinds/daemon-set/pods/lifecycle.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { RecordedFleet } from "./recorded-fleet.ts";
import { judgeRollout } from "./rollout-judge.ts";

const SOON = { deadlineMs: 120_000, everyMs: 200 };
const NODES = 3;
const HOLD = "example.org/hold";
const lifecycle = { preDelete: { labelsHandler: { [HOLD]: "yes" } } };
const template = mergeObject(aTemplate("1"), { metadata: { labels: { [HOLD]: "yes" } } });
/** The marks of an operator that took them for idle, and a hook that has let go. */
const marked = { [LIFECYCLE_STATE]: PREPARING_DELETE, [HOLD]: null };

describeWith("controllers", "hooks before the deletion on a real control plane", (binaries) => {
  let fleet: RecordedFleet | undefined;
  afterEach(() => fleet?.stop());

  test.each<[string, JsonObject, number]>([
    ["one after the other", { maxUnavailable: 1 }, 1],
    ["each after its successor", { maxSurge: 1, maxUnavailable: 0 }, 0],
  ])("marked pods that people use go %s", async (_how, rollingUpdate, max) => {
    fleet = await RecordedFleet.start(binaries, NODES);
    const { client } = fleet;
    const podsOf = async () => (await client.list(pods, { namespace: NAMESPACE })).items.map(parseDaemonPod);
    await fleet.operate();
    await fleet.run({ updateStrategy: { rollingUpdate }, lifecycle, patches: [], template }, NODES);
    const old = new Set((await podsOf()).map(({ uid }) => uid));
    for (const { name } of await podsOf()) {
      await client.patch(pods, `${NAMESPACE}/${name}`, { type: "merge", body: { metadata: { labels: marked } } });
    }
    const isReplaced = async () => {
      const there = await podsOf();
      const isNew = there.every(({ uid, readySinceMs }) => !old.has(uid) && readySinceMs !== undefined);
      return there.length === NODES && isNew ? true : undefined;
    };
    await eventually("every pod was replaced", isReplaced, SOON);
    const { breaches, unavailableMax, taken } = judgeRollout(fleet.record(), NODES, max);
    expect({ breaches, unavailableMax, taken }).toEqual({ breaches: [], unavailableMax: max, taken: NODES });
  });
});
