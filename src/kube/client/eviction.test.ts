import { expect, test } from "vitest";
import { type Scripted, ScriptedTransport } from "../../../sim/scripted-transport.ts";
import { VirtualClock } from "../../../sim/virtual-clock.ts";
import { createClient } from "./create-client.ts";
import { evict } from "./eviction.ts";

async function tryEvict(answer: Scripted) {
  const transport = new ScriptedTransport([answer]);
  const client = createClient({
    transport,
    clock: new VirtualClock(),
    rand: { next: () => 0 },
    fieldManager: "tester",
  });
  const end = await evict(client, "web/a", { uid: "u" }).catch((error: unknown) => error);
  return { end, transport };
}
const status = (code: number, reason: string, seconds?: number): Scripted => ({
  status: code,
  json: { kind: "Status", reason, message: "no", details: { retryAfterSeconds: seconds } },
});

test("an eviction names the pod and its UID", async () => {
  const { end, transport } = await tryEvict({ status: 201, json: {} });
  expect(end).toEqual({ evicted: true });
  expect(transport.requests[0]?.path).toBe("/api/v1/namespaces/web/pods/a/eviction");
  expect(transport.sent(0)).toEqual({
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace: "web", name: "a" },
    deleteOptions: { preconditions: { uid: "u" } },
  });
});

test.each([
  ["a budget that is spent", status(429, "TooManyRequests", 10), "BudgetSpent", 10_000],
  ["a pod that is gone", status(404, "NotFound"), "Gone", undefined],
  ["another pod of that name", status(409, "Conflict"), "Gone", undefined],
])("%s is an answer after one question", async (_what, answer, reason, retryAfterMs) => {
  const { end, transport } = await tryEvict(answer);
  expect(end).toMatchObject({ evicted: false, reason });
  expect((end as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
  expect(transport.requests).toHaveLength(1);
});

test("no permission is an error", async () => {
  expect(String((await tryEvict(status(403, "Forbidden"))).end)).toContain("403 Forbidden: no");
});
