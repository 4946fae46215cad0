// Which of several pods of a node goes, and because of which other one.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/json/json.ts";
import { image, never, nodes, rolling, running, type SetOnPaper } from "../testing/set-on-paper.ts";
import { LIFECYCLE_STATE, PREPARING_DELETE } from "./lifecycle.ts";

const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });

describe("of several pods on a node", () => {
  /** A surge on one node in which the new pod has come, and serves or not. */
  function surged(isServing: boolean): SetOnPaper {
    const set = running(surging, nodes(1));
    set.edit(image("2"));
    set.look();
    return isServing ? set.ready() : set;
  }
  /** Which pods go, and which of those that are there they are read for. */
  const goings = (set: SetOnPaper) => {
    const nameOf = (uid: string) => set.pods.find((pod) => pod.uid === uid)?.name;
    return set.decide().steps.flatMap((step) => {
      if (step.do !== "delete") return [];
      return [[step.target.name, ...(step.premises ?? []).map(({ uid }) => nameOf(uid))]];
    });
  };
  const named = (set: SetOnPaper, isNew: boolean) =>
    set.pods.find(({ labels }) => (labels["controller-revision-hash"] === set.status.updateRevision) === isNew)?.name;

  test("the old one is relieved by the new one, which stays", () => {
    const set = surged(true);
    expect(goings(set)).toEqual([[named(set, false), named(set, true)]]);
  });

  test("an old one that serves nobody goes because of the new one", () => {
    const set = surged(false);
    set.ready(false);
    expect(goings(set)).toEqual([[named(set, false), named(set, true)]]);
  });

  test("the one that serves stays where there should be one", () => {
    const set = surged(false);
    set.edit(rolling({ maxUnavailable: 1, maxSurge: 0 }));
    expect(goings(set)).toEqual([[named(set, true), named(set, false)]]);
  });

  test("of two that are worth the same the first stays", () => {
    const set = running({}, nodes(1));
    const body = set.podOn("n0");
    set.cluster.make({ ...body, metadata: { ...(body.metadata as JsonObject), name: "twin" } }, set.nowMs);
    expect(goings(set)).toEqual([["twin", set.pods.find(({ name }) => name !== "twin")?.name]]);
  });

  test("one that was asked to go goes because of the one that serves", () => {
    const set = surged(true);
    const old = set.pods.find(({ name }) => name === named(set, false)) ?? never();
    set.change(old, { metadata: { labels: { [LIFECYCLE_STATE]: PREPARING_DELETE } } });
    expect(goings(set)).toEqual([[old.name, named(set, true)]]);
  });
});
