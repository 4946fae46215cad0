import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TransportError, type TransportFailure } from "../transport-error.ts";
import { ApiError } from "./api-error.ts";
import { decideRetry, type FailedAttempt, RETRY_LIMITS } from "./retry.ts";

const answer = (status: number, message = "no", retryAfterMs?: number) =>
  new ApiError({ status, reason: "", message, method: "POST", path: "/p", retryAfterMs });
const broken = (reason: TransportFailure) => new TransportError(reason, "no");
const failed = (error: unknown, changes: Partial<FailedAttempt> = {}): FailedAttempt => ({
  error,
  repeatable: true,
  retriesTooMany: true,
  attempt: 1,
  elapsedMs: 0,
  random: 0,
  ...changes,
});
const retries = (attempt: FailedAttempt) => decideRetry(attempt, RETRY_LIMITS).retry;

describe("what is sent again", () => {
  test.each([
    // error, harmless twice, may act twice
    ["no connection", broken("unreachable"), true, true],
    ["a broken connection", broken("broken"), true, false],
    ["no answer in time", broken("timeout"), true, false],
    ["a certificate that is not trusted", broken("untrusted"), false, false],
    ["a web page", broken("garbled"), false, false],
    ["an answer that is too large", broken("too-large"), false, false],
    ["429", answer(429), true, true],
    ["500", answer(500), true, false],
    ["502", answer(502), true, false],
    ["503", answer(503), true, false],
    ["504", answer(504), true, false],
    ["501", answer(501), false, false],
    ["500 of an object that never fits", answer(500, "etcdserver: request is too large"), false, false],
    ["400", answer(400), false, false],
    ["401", answer(401), false, false],
    ["403", answer(403), false, false],
    ["404", answer(404), false, false],
    ["409", answer(409), false, false],
    ["410", answer(410), false, false],
    ["422", answer(422), false, false],
    ["a mistake of ours", new TypeError("x is undefined"), false, false],
  ])("%s", (_what, error, harmless, otherwise) => {
    expect(retries(failed(error, { repeatable: true }))).toBe(harmless);
    expect(retries(failed(error, { repeatable: false }))).toBe(otherwise);
  });

  test("429 is final where it answers the question, as for an eviction", () => {
    expect(retries(failed(answer(429), { retriesTooMany: false }))).toBe(false);
  });

  test("the last attempt is final", () => {
    expect(retries(failed(answer(503), { attempt: RETRY_LIMITS.attemptsMax - 1 }))).toBe(true);
    expect(decideRetry(failed(answer(503), { attempt: 5 }), RETRY_LIMITS)).toEqual({
      retry: false,
      because: "sent 5 times",
    });
  });

  test("no attempt starts after the window", () => {
    expect(retries(failed(answer(503), { elapsedMs: 59_900 }))).toBe(true);
    expect(retries(failed(answer(503), { elapsedMs: 59_901 }))).toBe(false);
    expect(retries(failed(answer(429, "no", 61_000)))).toBe(false);
  });
});

describe("when it is sent again", () => {
  const delay = (attempt: FailedAttempt) => {
    const verdict = decideRetry(attempt, { ...RETRY_LIMITS, attemptsMax: 100, windowMs: Number.POSITIVE_INFINITY });
    return verdict.retry ? verdict.afterMs : undefined;
  };

  test.each([
    ["the first pause is half to all of the smallest delay", 1, 0, 100],
    ["jitter stretches it", 1, 0.999999, 200],
    ["each attempt doubles it", 3, 0, 400],
    ["up to the largest", 20, 0, 5_000],
  ])("%s", (_what, attempt, random, expected) => {
    expect(delay(failed(answer(503), { attempt, random }))).toBe(expected);
  });

  test("a Retry-After is never undercut and spreads its clients", () => {
    expect(delay(failed(answer(429, "no", 1_000), { random: 0 }))).toBe(1_000);
    expect(delay(failed(answer(429, "no", 1_000), { random: 0.8 }))).toBe(1_200);
  });

  test("no pause is shorter than the server asked or longer than the largest back-off and a stretched Retry-After", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 0, max: 120_000 }),
        (attempt, random, askedMs) => {
          const afterMs = delay(failed(answer(429, "no", askedMs), { attempt, random })) ?? -1;
          expect(afterMs).toBeGreaterThanOrEqual(askedMs);
          expect(afterMs).toBeLessThanOrEqual(Math.max(RETRY_LIMITS.delayMaxMs, Math.round(askedMs * 1.25)));
        },
      ),
    );
  });
});
