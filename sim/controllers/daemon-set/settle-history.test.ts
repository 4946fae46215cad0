// The revisions of a DaemonSet: which is current, what becomes of old ones, and names that are taken.
import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/kube/client/create-client.ts";
import { createApiServer } from "../../api-server/api-server.ts";
import { seededRand } from "../../seeded-rand.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { CONTROLLER_REVISIONS, DAEMON_SETS } from "../api-resources.ts";
import { aDaemonSet } from "../testing/controllers-fixture.ts";
import { podView, setView } from "../testing/views-fixture.ts";
import { parseDaemonSet } from "./daemon-set-view.ts";
import { parseRevision, type RevisionView } from "./revision-view.ts";
import { decideCleanUp, observeHistory, settleHistory } from "./settle-history.ts";

const never = new AbortController().signal;

function revision(number: number, text: string): RevisionView {
  const metadata = { name: `r-${number}`, namespace: "default", uid: `uid-${number}`, resourceVersion: "1" };
  return { ...parseRevision({ apiVersion: "apps/v1", kind: "ControllerRevision", metadata, revision: number }), text };
}

test("the current revision is the one with the present template, and must have the highest number", () => {
  const set = setView();
  const history = observeHistory(set, [
    revision(3, "other"),
    revision(1, set.revisionText),
    revision(2, set.revisionText),
  ]);
  expect([history.current?.revision, history.number, history.old.map((each) => each.revision)]).toEqual([2, 4, [3]]);
  expect(observeHistory(set, [])).toEqual({ current: undefined, old: [], number: 1 });
});

test("of old revisions the oldest beyond the limit go, but none whose pods still run", () => {
  const set = setView({ revisionHistoryLimit: 1 });
  const history = observeHistory(
    set,
    [1, 2, 3, 4].map((number) => revision(number, `t-${number}`)),
  );
  const removed = (hashes: readonly string[]) =>
    decideCleanUp(
      set,
      history,
      hashes.map((hash) => podView(hash, { hash })),
    ).flatMap((write) => (write.do === "delete" ? [write.key] : []));
  expect(removed([])).toEqual(["default/r-1", "default/r-2", "default/r-3"]);
  expect(removed(["r-1", "r-3"])).toEqual(["default/r-2", "default/r-4"]);
});

describe("a template without a revision in sight", () => {
  async function aSet() {
    const clock = new VirtualClock();
    const transport = createApiServer({ clock, rand: seededRand(1) }).transport();
    const client = createClient({ transport, clock, rand: seededRand(2), fieldManager: "test" });
    const set = parseDaemonSet(await client.create(DAEMON_SETS, aDaemonSet("agent")));
    const list = async () => (await client.list(CONTROLLER_REVISIONS)).items;
    return { client, set, list, none: observeHistory(set, []) };
  }

  test("gets one; when it was there all along, that one", async () => {
    const { client, set, list, none } = await aSet();
    const hash = await settleHistory(client, set, none, never);
    expect(await settleHistory(client, set, none, never)).toBe(hash);
    expect((await list()).map(({ metadata }) => metadata.name)).toEqual([`agent-${hash}`]);
  });

  test("takes another name when its own is taken by something else", async () => {
    const { client, set, list, none } = await aSet();
    const hash = await settleHistory(client, set, none, never);
    const [made] = await list();
    await client.remove(CONTROLLER_REVISIONS, `default/agent-${hash}`);
    const { uid: _, resourceVersion: __, ...metadata } = made?.metadata ?? { name: "", uid: "", resourceVersion: "" };
    const object = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data: { other: true }, revision: 1 };
    await client.create(CONTROLLER_REVISIONS, object);
    await expect(settleHistory(client, set, none, never)).rejects.toThrow("AlreadyExists");
    const counted = await client.get(DAEMON_SETS, "default/agent");
    expect(counted?.status?.collisionCount).toBe(1);
    const next = counted === undefined ? set : parseDaemonSet(counted);
    expect(await settleHistory(client, next, none, never)).not.toBe(hash);
  });
});
