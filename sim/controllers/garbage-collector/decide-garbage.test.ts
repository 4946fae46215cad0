// What becomes of an object, as a table of its owners, dependents and finalizers.
import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../../../src/kube/resource.ts";
import { PODS } from "../api-resources.ts";
import type { Write } from "../write.ts";
import { decideGarbage, type JudgedOwner } from "./decide-garbage.ts";
import { type Item, OwnerGraph } from "./owner-graph.ts";

const ref = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  ...{ apiVersion: "v1", kind: "Pod", name, uid: `uid-${name}`, ...more },
});

function item(name: string, more: Partial<Item> = {}): Item {
  return {
    ...{ resource: PODS, key: `default/${name}`, name, namespace: "default", uid: `uid-${name}`, resourceVersion: "7" },
    ...{ owners: [], finalizers: [], isTerminating: false, ...more },
  };
}

const judged = (...states: readonly JudgedOwner["state"][]): readonly JudgedOwner[] =>
  states.map((state, place) => ({ owner: ref(`owner-${place}`), state }));

/** The writes in short. */
function shown(write: Write): string {
  switch (write.do) {
    case "delete":
      return `delete ${write.key} ${write.options?.propagation} at ${write.options?.resourceVersion ?? "any"}`;
    case "patch":
      return `patch ${write.key} ${JSON.stringify(write.patch.body)}`;
    case "create":
      return "create";
  }
}

const foreground = { isTerminating: true, finalizers: ["foregroundDeletion"] };
const dependent = (more: Partial<OwnerReference> = {}) => item("child", { owners: [ref("x", more), ref("y")] });

describe("an object", () => {
  test.each<[string, Item, readonly JudgedOwner[], readonly Item[], readonly string[]]>([
    ["without owners stays", item("x"), [], [], []],
    ["with owners stays", item("x"), judged("solid", "solid"), [], []],
    ["goes when all owners are absent", item("x"), judged("absent"), [], ["delete default/x Background at 7"]],
    [
      "goes as its own finalizers ask",
      item("x", { finalizers: ["orphan"] }),
      judged("absent"),
      [],
      ["delete default/x Orphan at 7"],
    ],
    [
      "without dependents goes for an owner that waits",
      item("x"),
      judged("waiting"),
      [],
      ["delete default/x Background at 7"],
    ],
    [
      "with dependents makes its owner wait longer",
      item("x"),
      judged("waiting"),
      [dependent()],
      ["delete default/x Foreground at 7"],
    ],
    ["that ends is left to end", item("x", { isTerminating: true }), judged("absent"), [], []],
    ["waits for dependents that hold it", item("x", foreground), [], [dependent({ blockOwnerDeletion: true })], []],
  ])("%s", (_, it, owners, dependents, writes) => {
    expect(decideGarbage({ item: it, owners, dependents }).map(shown)).toEqual(writes);
  });

  test("lets go of owners that are absent or wait, when another is there", () => {
    const [write] = decideGarbage({ item: item("x"), owners: judged("absent", "solid", "waiting"), dependents: [] });
    expect(write).toMatchObject({ do: "patch", patch: { body: { metadata: { ownerReferences: [ref("owner-1")] } } } });
  });

  test("is free when no dependent holds it", () => {
    const [write] = decideGarbage({ item: item("x", foreground), owners: [], dependents: [dependent()] });
    expect(write).toMatchObject({
      do: "patch",
      patch: { body: { metadata: { finalizers: [], resourceVersion: "7" } } },
    });
  });

  test("sets its dependents free first and itself last when they are orphaned", () => {
    const ending = item("x", { isTerminating: true, finalizers: ["orphan", "other"] });
    expect(decideGarbage({ item: ending, owners: [], dependents: [dependent()] })).toMatchObject([
      { key: "default/child", patch: { body: { metadata: { ownerReferences: [ref("y")] } } } },
      { key: "default/x", patch: { body: { metadata: { finalizers: ["other"] } } } },
    ]);
  });
});

describe("the graph", () => {
  test("asks to look at whoever a change concerns, and at nobody else", () => {
    const graph = new OwnerGraph();
    expect(graph.put(item("a"))).toEqual([]);
    expect(graph.put(item("b", { owners: [ref("a")] }))).toEqual([]);
    expect(graph.put(item("c", { owners: [ref("unknown")] }))).toEqual(["uid-c"]);
    expect(graph.put(item("a", foreground))).toEqual(["uid-a", "uid-b"]);
    expect(graph.remove("uid-b")).toEqual(["uid-a"]);
    expect(graph.remove("uid-a")).toEqual([]);
  });

  test("asks to look at the dependents of what is gone, also of those it never saw", () => {
    const graph = new OwnerGraph();
    graph.put(item("a"));
    graph.put(item("b", { owners: [ref("a")] }));
    expect(graph.remove("uid-a")).toEqual(["uid-b"]);
    expect(graph.dependentsOf("uid-a").map(({ name }) => name)).toEqual(["b"]);
    graph.put(item("b"));
    expect(graph.dependentsOf("uid-a")).toEqual([]);
  });
});
