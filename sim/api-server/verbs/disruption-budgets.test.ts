// What becomes of an eviction under a disruption budget, by what the budget's status says.
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { objectAt } from "../api-object.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, call } from "../testing/plain-kinds.ts";

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const builtIn = builtInKinds();
const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const seen = { observedGeneration: 1, expectedPods: 3, desiredHealthy: 2, currentHealthy: 2, disruptionsAllowed: 0 };

type Case = {
  readonly budget: JsonObject;
  readonly pod?: JsonObject;
  readonly spec?: JsonObject;
  readonly query?: string;
};

/** The answer to the eviction of a running pod, and what is left of the budget. */
async function evicted({
  budget,
  pod = running,
  spec = { selector: { matchLabels: { app: "a" } } },
  query = "",
}: Case) {
  const { transport } = aServer({ builtIn });
  await call(transport, "POST", "/api/v1/namespaces/default/serviceaccounts", {
    ...{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
  });
  await call(transport, "POST", pods, {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { app: "a" } } },
    spec: { nodeName: "n", containers: [{ name: "main", image: "img:1" }] },
  });
  await call(transport, "PATCH", `${pods}/a/status`, { status: pod });
  await call(transport, "POST", budgets, {
    ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "b" }, spec },
  });
  await call(transport, "PATCH", `${budgets}/b/status`, { status: budget });
  const { status, body } = await call(transport, "POST", `${pods}/a/eviction${query}`, {
    ...{ apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a", namespace: "default" } },
  });
  const left = objectAt((await call(transport, "GET", `${budgets}/b`)).body, "status");
  return { status, body, left };
}

test("a budget with disruptions left allows one, and has one less then", async () => {
  const { status, left } = await evicted({ budget: { ...seen, disruptionsAllowed: 1 } });
  expect(status).toBe(201);
  expect(left).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { a: "2026-01-01T00:00:00Z" } });
});

test("a rehearsal takes nothing from the budget", async () => {
  const { status, left } = await evicted({ budget: { ...seen, disruptionsAllowed: 1 }, query: "?dryRun=All" });
  expect([status, left.disruptionsAllowed]).toEqual([201, 1]);
});

test("a spent budget answers 429 and says how many pods it needs", async () => {
  const { status, body } = await evicted({ budget: seen });
  expect([status, body.reason]).toEqual([429, "TooManyRequests"]);
  expect(objectAt(body, "details").causes).toEqual([
    { reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods and has 2 currently" },
  ]);
});

test("a budget whose newest spec nobody has seen answers 429 and asks to wait", async () => {
  const { status, body } = await evicted({ budget: { ...seen, observedGeneration: 0, disruptionsAllowed: 5 } });
  expect([status, objectAt(body, "details").retryAfterSeconds]).toEqual([429, 10]);
});

test.each([
  ["has failed", { pod: { phase: "Failed" } }],
  ["has not begun", { pod: { phase: "Pending" } }],
  ["is of another budget", { spec: { selector: { matchLabels: { app: "b" } } } }],
  ["is not ready where the others suffice", { pod: { phase: "Running" } }],
])("a pod that %s may go without the budget's leave", async (_, more) => {
  expect((await evicted({ budget: seen, ...more })).status).toBe(201);
});

test("a pod that is not ready may not go where the others do not suffice, unless the budget says that such pods may", async () => {
  const [budget, pod] = [{ ...seen, currentHealthy: 1 }, { phase: "Running" }];
  expect((await evicted({ budget, pod })).status).toBe(429);
  const spec = { selector: {}, unhealthyPodEvictionPolicy: "AlwaysAllow" };
  expect((await evicted({ budget, pod, spec })).status).toBe(201);
});
