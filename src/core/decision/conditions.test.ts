import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildConditions, type Claim, CONDITION_MESSAGE_MAX, storedConditions, timestamp } from "./conditions.ts";

const noon = Date.UTC(2026, 10, 15, 12, 0, 0, 700);
const later = noon + 60_000;
const ready: Claim = { type: "Ready", status: "True", reason: "AllNodesFitted", message: "64 of 64 nodes" };
const notReady: Claim = { type: "Ready", status: "False", reason: "KernelUnmapped", message: "4 nodes" };
const foreign = {
  type: "Audited",
  status: "True",
  lastTransitionTime: "2020-01-01T00:00:00Z",
  reason: "ByHand",
  message: "",
  observedGeneration: 1,
};

describe("buildConditions()", () => {
  test("a first condition moves now and speaks of the generation", () => {
    expect(buildConditions({ previous: undefined, claims: [ready], generation: 3, nowMs: noon })).toEqual([
      { ...ready, observedGeneration: 3, lastTransitionTime: "2026-11-15T12:00:00Z" },
    ]);
  });

  test("keeps the transition time while the status is the same, though reason, message and generation change", () => {
    const before = buildConditions({ previous: undefined, claims: [ready], generation: 3, nowMs: noon });
    const [after] = buildConditions({
      previous: before,
      claims: [{ ...ready, reason: "Succeeded", message: "65" }],
      generation: 4,
      nowMs: later,
    });
    expect(after).toMatchObject({ lastTransitionTime: "2026-11-15T12:00:00Z", observedGeneration: 4, message: "65" });
  });

  test("moves the transition time when the status changes", () => {
    const before = buildConditions({ previous: undefined, claims: [ready], generation: 3, nowMs: noon });
    const [after] = buildConditions({ previous: before, claims: [notReady], generation: 3, nowMs: later });
    expect(after?.lastTransitionTime).toBe("2026-11-15T12:01:00Z");
  });

  test("leaves the conditions of other writers as they are, complete or not", () => {
    const heartbeat = { type: "Alive", status: "True", lastHeartbeatTime: "2020-01-01T00:00:00Z", extra: [1] };
    const bare = { type: "Bare" };
    const built = buildConditions({
      previous: [foreign, heartbeat, bare],
      claims: [ready],
      generation: 1,
      nowMs: noon,
    });
    expect(built.slice(1)).toEqual([foreign, heartbeat, bare]);
  });

  test("moves now when the stored condition has no transition time to keep", () => {
    const previous = [{ type: "Ready", status: "True" }];
    const [condition] = buildConditions({ previous, claims: [ready], generation: 1, nowMs: noon });
    expect(condition?.lastTransitionTime).toBe("2026-11-15T12:00:00Z");
  });

  test("refuses two claims of one type, which is our mistake", () => {
    expect(() =>
      buildConditions({ previous: undefined, claims: [ready, notReady], generation: 1, nowMs: noon }),
    ).toThrow(/two claims/);
  });

  test("cuts a message that the API server would refuse", () => {
    const long = { ...ready, message: "x".repeat(CONDITION_MESSAGE_MAX + 1) };
    const [condition] = buildConditions({ previous: undefined, claims: [long], generation: 1, nowMs: noon });
    expect(String(condition?.message).length).toBe(CONDITION_MESSAGE_MAX);
  });

  test("repeated with what it gave, it gives the same", () => {
    const first = buildConditions({
      previous: [foreign],
      claims: [ready, { ...notReady, type: "Mapped" }],
      generation: 1,
      nowMs: noon,
    });
    expect(
      buildConditions({
        previous: first,
        claims: [ready, { ...notReady, type: "Mapped" }],
        generation: 1,
        nowMs: later,
      }),
    ).toEqual(first);
  });
});

describe("storedConditions()", () => {
  test.each([
    ["no list", { type: "Ready" }],
    ["strings", ["Ready"]],
    ["an entry without a type", [{ status: "True" }]],
    ["a type that is no text", [{ type: 1 }]],
  ])("leaves out %s", (_name, stored) => {
    expect(storedConditions(stored)).toEqual([]);
  });

  test("takes the first of two with one type", () => {
    expect(storedConditions([foreign, { ...foreign, status: "False" }])).toEqual([foreign]);
  });

  test("never throws, whatever is stored", () => {
    fc.assert(fc.property(fc.jsonValue(), (stored) => void storedConditions(JSON.parse(JSON.stringify(stored)))));
  });
});

test("timestamps are whole seconds in UTC", () => {
  expect(timestamp(noon)).toBe("2026-11-15T12:00:00Z");
});
