import { expect, test } from "vitest";
import { decideClaim, seeLease } from "./lease-claim.ts";
import { heldBy, isFree, type LeaseSpec, microTime, readLease, released } from "./lease-record.ts";

const noonMs = Date.UTC(2026, 10, 15, 12, 0, 0, 7);
const now = { wallMs: noonMs, durationMs: 15_000 };
const aRecord = (spec: unknown) => readLease(JSON.parse(JSON.stringify({ metadata: { name: "x" }, spec })));

test("times have exactly six fractional digits", () => {
  expect(microTime(noonMs)).toBe("2026-11-15T12:00:00.007000Z");
  expect(microTime(0)).toBe("1970-01-01T00:00:00.000000Z");
});

test("a first claim starts at no transition, a renewal keeps when and how often, a take-over counts one more", () => {
  const first = heldBy("a", undefined, now);
  expect(first).toEqual({
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-11-15T12:00:00.007000Z",
    renewTime: "2026-11-15T12:00:00.007000Z",
    leaseTransitions: 0,
  });
  const renewed = heldBy("a", aRecord(first), { ...now, wallMs: noonMs + 2_000 });
  expect(renewed).toEqual({ ...first, renewTime: "2026-11-15T12:00:02.007000Z" });
  const taken = heldBy("b", aRecord(renewed), { ...now, wallMs: noonMs + 60_000 });
  expect(taken).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, acquireTime: taken.renewTime });
});

test("a release names no holder, keeps the transitions and is free at once", () => {
  const spec = released(aRecord({ ...heldBy("a", undefined, now), leaseTransitions: 4 }), noonMs);
  expect(spec).toEqual({
    leaseDurationSeconds: 1,
    acquireTime: "2026-11-15T12:00:00.007000Z",
    renewTime: "2026-11-15T12:00:00.007000Z",
    leaseTransitions: 4,
  });
  expect(isFree(aRecord(spec))).toBe(true);
});

test.each<[string, unknown, string, number | undefined, boolean]>([
  ["no spec", undefined, "", undefined, true],
  ["a null spec", null, "", undefined, true],
  ["an empty spec, as an installer leaves it", {}, "", undefined, true],
  ["a holder erased by hand", { holderIdentity: "", leaseDurationSeconds: 15 }, "", 15_000, false],
  ["a negative duration", { holderIdentity: "a", leaseDurationSeconds: -5 }, "a", undefined, false],
  ["a duration of 68 years", { holderIdentity: "a", leaseDurationSeconds: 2 ** 31 }, "a", undefined, false],
  ["texts for numbers", { holderIdentity: 7, leaseDurationSeconds: "15" }, "", undefined, true],
  ["a time that is none", { holderIdentity: "a", renewTime: "yesterday" }, "a", undefined, false],
])("%s is read without trouble", (_, spec, holder, durationMs, free) => {
  const record = aRecord(spec);
  expect([record.holder, record.durationMs, isFree(record)]).toEqual([holder, durationMs, free]);
  expect(heldBy("me", record, now).leaseTransitions).toBeLessThanOrEqual(1);
});

const held: LeaseSpec = { holderIdentity: "other", leaseDurationSeconds: 20, renewTime: "2020-01-01T00:00:00.000000Z" };
const self = { identity: "me", durationMs: 15_000 };

test.each<[string, unknown, number, string]>([
  ["a fresh record of another", held, 19_999, "wait"],
  ["another that was silent for its own duration", held, 20_000, "take"],
  ["another without a duration", { holderIdentity: "other" }, 14_999, "wait"],
  ["another silent for our duration", { holderIdentity: "other" }, 15_000, "take"],
  ["our own, however old", { ...held, holderIdentity: "me" }, 99_000, "renew"],
  ["a free lease", {}, 0, "take"],
  ["a holder erased by hand", { ...held, holderIdentity: "" }, 19_999, "wait"],
])("%s, seen for a while: the claim follows", (_, spec, agoMs, expected) => {
  const seen = seeLease(undefined, aRecord(spec), 1_000);
  expect(decideClaim(seen, { ...self, nowMs: 1_000 + agoMs }).do).toBe(expected);
});

test("a missing lease is created", () => {
  expect(decideClaim(undefined, { ...self, nowMs: 0 }).do).toBe("create");
});

test("only a changed record starts the wait again, and its times are never read", () => {
  const first = seeLease(undefined, aRecord(held), 100);
  expect(seeLease(first, aRecord(held), 9_000).sinceMs).toBe(100);
  expect(seeLease(first, aRecord({ ...held, renewTime: "1999-01-01T00:00:00.000000Z" }), 9_000).sinceMs).toBe(9_000);
});
