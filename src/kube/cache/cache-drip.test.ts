// Servers and proxies that never fall silent and never say anything: a cache must not stay with them.
import { expect, test } from "vitest";
import { seededRand } from "../../../sim/seeded-rand.ts";
import { aList, aPod, bookmark, endOfList, event, pods, status } from "../../../sim/stated-cache.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { pause } from "../clock.ts";
import type { Transport } from "../transport.ts";
import { createCache } from "./cache.ts";
import type { CacheLimits } from "./cache-limits.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Some text at once, then a drop of it every minute for ever. */
type Drip = { readonly status?: number; readonly first: string; readonly drop: string };

const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const healthy: Drip = {
  first: lines(event("ADDED", aPod("a", 3)), event("ADDED", aPod("news", 15)), endOfList(20)),
  drop: lines(bookmark(20)),
};

function aDrippingWorld(reply: (index: number, path: string) => Drip, limits: Partial<CacheLimits> = {}) {
  const clock = new VirtualClock();
  const startedMs: number[] = [];
  const ends: string[] = [];
  const transport: Transport = {
    request: () => Promise.reject(new Error("a cache only streams")),
    async stream({ path, signal }) {
      const { status: code = 200, first, drop } = reply(startedMs.length, path);
      startedMs.push(clock.monotonicMs());
      async function* chunks() {
        for (let next = first; ; next = drop) {
          yield new TextEncoder().encode(next);
          await pause(clock, MINUTE_MS, signal);
        }
      }
      return { status: code, headers: {}, chunks: chunks() };
    },
  };
  const cache = createCache({
    ...{ transport, clock, rand: seededRand(1), resource: pods, indexes: {}, limits },
    project: ({ metadata }) => metadata.name,
    hooks: { onRestart: ({ reason, message }) => ends.push(`${reason}: ${message}`) },
  });
  void cache.run(new AbortController().signal);
  return { clock, startedMs, ends, names: () => [...cache.values()].sort() };
}

test("blank lines do not keep a watch alive that has nothing to say", async () => {
  const blank = { first: lines(event("ADDED", aPod("a", 3)), endOfList(10)), drop: "\r\n\n" };
  const { clock, startedMs, ends, names } = aDrippingWorld((index) => (index === 0 ? blank : healthy));
  await clock.elapse(91 * SECOND_MS);
  expect(startedMs.map((ms) => Math.floor(ms / SECOND_MS))).toEqual([0, 90]);
  expect(ends).toEqual(["Silent: GET /api/v1/pods: no byte for 90 s"]);
  await clock.elapse(10 * SECOND_MS);
  expect(names()).toEqual(["a", "news"]);
});

test("a watch that ends neither by itself nor by a line is left after the time that was asked for", async () => {
  const stuck = { first: `${lines(event("ADDED", aPod("a", 3)), endOfList(10))}{"type":"ADDED`, drop: "x" };
  const { clock, startedMs, names } = aDrippingWorld((index) => (index === 0 ? stuck : healthy));
  await clock.elapse(5 * MINUTE_MS);
  expect(startedMs).toEqual([0]);
  await clock.elapse(7 * MINUTE_MS);
  expect(startedMs.length).toBeGreaterThan(1);
  expect(names()).toEqual(["a", "news"]);
});

test("a healthy watch that a server does not end in time is resumed without a list", async () => {
  const paths: string[] = [];
  const { clock, ends, names } = aDrippingWorld(
    (_index, path) => {
      paths.push(path);
      return path.includes("sendInitialEvents") ? healthy : { first: "", drop: healthy.drop };
    },
    { relistMs: 60 * MINUTE_MS },
  );
  await clock.elapse(25 * MINUTE_MS);
  expect(paths.length).toBeGreaterThan(2);
  expect(paths.slice(1).every((path) => path.includes("resourceVersion=20"))).toBe(true);
  expect(ends.every((end) => /^Silent: GET \/api\/v1\/pods: not over after \d+ s$/.test(end))).toBe(true);
  expect(names()).toEqual(["a", "news"]);
});

test("a page of a list that never ends is given up", async () => {
  const refusal = { status: 400, first: JSON.stringify(status(400, "BadRequest")), drop: " " };
  const page = { first: String(aList(10, [aPod("a", 3)]).body).slice(0, -1), drop: '"' };
  const replies = [refusal, page];
  const { clock, startedMs, ends, names } = aDrippingWorld((index) => replies[index] ?? healthy);
  await clock.elapse(13 * MINUTE_MS);
  expect(ends.slice(0, 2)).toEqual([
    expect.stringContaining("Invalid: GET /api/v1/pods: 400 BadRequest"),
    "Silent: GET /api/v1/pods: not over after 600 s",
  ]);
  expect(startedMs.length).toBeGreaterThan(2);
  expect(names()).toEqual([]);
});

test("a refusal whose body never ends is known by its status", async () => {
  const denied = { status: 403, first: '{"kind":"Status"', drop: "," };
  const { clock, ends, startedMs } = aDrippingWorld((index) => (index === 0 ? denied : healthy));
  await clock.elapse(2 * MINUTE_MS);
  expect(ends[0]).toMatch(/^Denied: GET \/api\/v1\/pods: 403: /);
  expect(startedMs.length).toBeGreaterThan(1);
});
