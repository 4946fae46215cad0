import { expect, test } from "vitest";
import type { Client } from "../../kube/client/client.ts";
import type { Stored } from "../../kube/resource.ts";
import { LeaseHolder } from "./lease-holder.ts";
import type { Lease } from "./lease-record.ts";

const limits = { leaseDurationMs: 15_000, fenceMarginMs: 5_000, requestTimeoutMs: 3_000 };
const never = new AbortController().signal;

/** A machine that is busy or frozen: its timers do not fire in time, so only reading the clock tells the truth. */
function aHolder(answerAfterMs: number) {
  let nowMs = 0;
  let lease: Stored<Lease> = {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    metadata: { name: "lease", namespace: "ns", uid: "u", resourceVersion: "1" },
  };
  const client: Pick<Client, "get" | "create" | "update"> = {
    get: async () => JSON.parse(JSON.stringify(lease)),
    create: async () => {
      throw new Error("the lease exists");
    },
    update: async (_, next) => {
      lease = JSON.parse(JSON.stringify(next));
      nowMs += answerAfterMs;
      return next;
    },
  };
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs, after: () => () => {} };
  const holder = new LeaseHolder({ client, clock, namespace: "ns", name: "lease", identity: "me", limits });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { holder, pass };
}

test.each([
  [100, 9_900],
  [9_000, 1_000],
  [12_000, -2_000],
])(
  "a claim confirmed after %i ms is certain for %i ms more: it counts from when it was sent",
  async (tookMs, leftMs) => {
    const { holder, pass } = aHolder(tookMs);
    expect(await holder.attempt(never)).toMatchObject({ isOurs: true });
    expect([holder.leftMs(), holder.isCertain()]).toEqual([leftMs, leftMs > 0]);
    pass(Math.max(0, leftMs));
    expect(holder.isCertain()).toBe(false);
  },
);

test("a hold that was given back is certain no more", async () => {
  const { holder } = aHolder(0);
  await holder.attempt(never);
  await holder.release(never);
  expect(holder.isCertain()).toBe(false);
  expect(await holder.attempt(never)).toEqual({ isOurs: true, why: "the lease is free" });
});
