import { expect, test } from "vitest";
import {
  advanceCertificates,
  bundleOf,
  type CertificateLimits,
  type CertificateState,
  decideCertificates,
  type Issued,
  lacksMark,
  markPublished,
} from "./certificates.ts";

const day = 86_400_000;
const limits: CertificateLimits = { lifeMs: 90 * day, backdateMs: 0, propagationMs: day };
const names = ["a.svc"];

const anIssued = (name: string, fromDay: number, overrides: Partial<Issued> = {}): Issued => ({
  ...{ ca: `${name}-ca;`, cert: `${name}-cert`, key: `${name}-key`, hosts: names },
  ...{ notBeforeMs: fromDay * day, notAfterMs: (fromDay + 90) * day },
  ...overrides,
});
const aState = (overrides: Partial<CertificateState> = {}): CertificateState => ({
  ...{ current: anIssued("one", 0), next: undefined, previousCa: undefined },
  ...{ publishedMs: undefined, servedMs: 0 },
  ...overrides,
});
const next = anIssued("two", 60);

test.each<[string, Partial<CertificateState>, number, string]>([
  ["nothing stored", { current: undefined }, 0, "issue"],
  ["a fresh one", {}, 59.9, "keep"],
  ["one at two thirds of its life", {}, 60, "prepare"],
  ["one that ran out", {}, 90, "issue"],
  ["one whose time has not come", { current: anIssued("one", 5) }, 4, "issue"],
  ["one without a wanted name", { current: anIssued("one", 0, { hosts: ["b.svc"] }) }, 1, "issue"],
  ["a next one that nobody has been given", { next }, 61, "keep"],
  ["a next one given less than a propagation time ago", { next, publishedMs: 61 * day }, 61.9, "keep"],
  ["a next one given long enough ago", { next, publishedMs: 61 * day }, 62, "promote"],
  ["a next one given in the future", { next, publishedMs: 99 * day }, 62, "keep"],
  ["a next one without a wanted name", { next: anIssued("two", 60, { hosts: [] }) }, 61, "prepare"],
  ["one that ran out before its next was given", { next }, 90, "promote"],
  ["two that ran out", { next }, 150, "issue"],
  ["an old authority after the switch", { previousCa: "zero-ca;" }, 0.9, "keep"],
  ["an old authority a propagation time after the switch", { previousCa: "zero-ca;" }, 1, "retire"],
])("%s", (_, state, nowDay, expected) => {
  const step = decideCertificates(aState(state), names, nowDay * day, limits);
  expect(step.do).toBe(expected);
  expect(step.why).not.toBe("");
});

test("a rotation walks through prepare, publish, promote and retire, and the bundle always holds what is served", () => {
  let state = aState();
  const bundles: string[] = [];
  const steps: string[] = [];
  for (let hour = 59 * 24; hour < 70 * 24; hour++) {
    const nowMs = hour * 3_600_000;
    const step = decideCertificates(state, names, nowMs, limits);
    state = advanceCertificates(state, step, nowMs, () => next);
    if (step.do !== "keep") steps.push(`${step.do} on day ${Math.floor(hour / 24)}`);
    if (bundles.at(-1) !== bundleOf(state)) bundles.push(bundleOf(state));
    if (lacksMark(state, nowMs, limits) && hour >= 64 * 24) state = markPublished(state, nowMs);
    expect(bundleOf(state)).toContain(state.current?.ca);
  }
  expect(steps).toEqual(["prepare on day 60", "promote on day 65", "retire on day 66"]);
  expect(bundles).toEqual(["one-ca;", "one-ca;two-ca;", "two-ca;one-ca;", "two-ca;"]);
});

test("an emergency keeps the old authority in the bundle for replicas that still serve its certificate", () => {
  const issue = { do: "issue", why: "the test says so" } as const;
  const state = advanceCertificates(aState({ next }), issue, 5, () => anIssued("three", 0));
  expect(bundleOf(state)).toBe("three-ca;one-ca;");
  expect(state).toMatchObject({ next: undefined, publishedMs: undefined, servedMs: 5 });
});

test("a mark made by a clock that was ahead is made again", () => {
  expect(lacksMark(aState({ next, publishedMs: 99 * day }), 61 * day, limits)).toBe(true);
  expect(lacksMark(aState({ next, publishedMs: 61 * day }), 61 * day, limits)).toBe(false);
  expect(lacksMark(aState(), 61 * day, limits)).toBe(false);
});
