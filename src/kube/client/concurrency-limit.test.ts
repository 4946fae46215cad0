import fc from "fast-check";
import { expect, test } from "vitest";
import { ConcurrencyLimit, type Slot, type SlotOutcome } from "./concurrency-limit.ts";

const bounds = { min: 1, start: 4, max: 16, waitersMax: 100 };

async function fill(limit: ConcurrencyLimit): Promise<Slot[]> {
  const slots: Slot[] = [];
  while (limit.inFlight < limit.limit) slots.push(await limit.acquire());
  return slots;
}

async function round(limit: ConcurrencyLimit, outcome: SlotOutcome): Promise<void> {
  for (const slot of await fill(limit)) slot.release(outcome);
}

test("no more calls start than the limit allows; the next one starts when a slot comes back", async () => {
  const limit = new ConcurrencyLimit({ ...bounds, max: 4 });
  const slots = await fill(limit);
  const next = limit.acquire();
  expect([limit.inFlight, limit.waiting]).toEqual([4, 1]);
  slots[0]?.release("good");
  await next;
  expect([limit.inFlight, limit.waiting]).toEqual([4, 0]);
});

test("slots are handed out in order of arrival", async () => {
  const limit = new ConcurrencyLimit({ ...bounds, start: 1, max: 1 });
  const first = await limit.acquire();
  const order: string[] = [];
  const arrive = async (who: string) => {
    const slot = await limit.acquire();
    order.push(who);
    return slot;
  };
  const a = arrive("a");
  const b = arrive("b");
  first.release("good");
  (await a).release("good");
  (await b).release("good");
  expect(order).toEqual(["a", "b"]);
});

test("at first the limit grows by a third or more with each round of success, up to its upper bound", async () => {
  const limit = new ConcurrencyLimit(bounds);
  const seen: number[] = [];
  for (let i = 0; i < 20; i++) {
    await round(limit, "good");
    seen.push(limit.limit);
  }
  expect(seen.slice(0, 3)).toEqual([6, 8, 11]);
  expect(seen.at(-1)).toBe(16);
});

test("success with free slots proves nothing and changes nothing", async () => {
  const limit = new ConcurrencyLimit(bounds);
  for (let i = 0; i < 50; i++) (await limit.acquire()).release("good");
  expect(limit.limit).toBe(4);
});

test("overload halves the limit once, however many calls of that time report it", async () => {
  const limit = new ConcurrencyLimit({ ...bounds, start: 16 });
  await round(limit, "overload");
  expect(limit.limit).toBe(8);
  await round(limit, "overload");
  expect(limit.limit).toBe(4);
});

test("the limit never falls below its lower bound, and recovers from there", async () => {
  const limit = new ConcurrencyLimit(bounds);
  for (let i = 0; i < 10; i++) await round(limit, "overload");
  expect(limit.limit).toBe(1);
  await round(limit, "good");
  expect(limit.limit).toBe(2);
});

test("after an overload growth is one per round", async () => {
  const limit = new ConcurrencyLimit({ ...bounds, start: 8, max: 64 });
  await round(limit, "overload");
  const before = limit.limit;
  for (let i = 0; i < 8; i++) await round(limit, "good");
  expect(limit.limit).toBeGreaterThan(before);
  expect(limit.limit).toBeLessThanOrEqual(before + 8);
});

test("an outcome that says nothing about load changes nothing", async () => {
  const limit = new ConcurrencyLimit(bounds);
  await round(limit, "other");
  expect(limit.limit).toBe(4);
});

test("a waiter that gives up leaves the queue and takes no slot", async () => {
  const limit = new ConcurrencyLimit({ ...bounds, start: 1, max: 1 });
  const slot = await limit.acquire();
  const controller = new AbortController();
  const waiting = limit.acquire(controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  slot.release("good");
  expect([limit.inFlight, limit.waiting]).toEqual([0, 0]);
  await expect(limit.acquire(controller.signal)).rejects.toThrow("enough");
});

test("the queue has an end", async () => {
  const limit = new ConcurrencyLimit({ ...bounds, start: 1, max: 1, waitersMax: 2 });
  const slot = await limit.acquire();
  const waiters = [limit.acquire(), limit.acquire()];
  await expect(limit.acquire()).rejects.toThrow("2 calls wait for the API server already; plan fewer at once");
  slot.release("good");
  (await waiters[0])?.release("good");
  (await waiters[1])?.release("good");
});

test("giving a slot back twice counts once", async () => {
  const limit = new ConcurrencyLimit(bounds);
  const slot = await limit.acquire();
  slot.release("good");
  slot.release("good");
  expect(limit.inFlight).toBe(0);
});

test("whatever happens, the limit stays within its bounds and no waiter is left while slots are free", async () => {
  const outcome = fc.constantFrom<SlotOutcome>("good", "overload", "other");
  const step = fc.oneof(fc.constant("acquire" as const), fc.tuple(fc.nat(20), outcome));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
      const limit = new ConcurrencyLimit(bounds);
      const held: Slot[] = [];
      for (const what of steps) {
        if (what === "acquire") {
          limit.acquire().then(
            (slot) => held.push(slot),
            () => undefined,
          );
        } else {
          held.splice(what[0] % Math.max(1, held.length), 1)[0]?.release(what[1]);
        }
        await Promise.resolve();
        expect(limit.limit).toBeGreaterThanOrEqual(bounds.min);
        expect(limit.limit).toBeLessThanOrEqual(bounds.max);
        expect(limit.waiting === 0 || limit.inFlight >= limit.limit).toBe(true);
      }
    }),
  );
});
