// What a pod's conditions say after it was evicted more than once.
import { expect, test } from "vitest";
import { metaOf, objectAt } from "../api-object.ts";
import { builtInKinds } from "../built-in/built-in-kinds.ts";
import { aServer, call } from "../testing/plain-kinds.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
  spec: { nodeName: "n", containers: [{ name: "main", image: "img:1" }] },
};
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a", namespace: "default" } };
const start = "2026-01-01T00:00:00Z";

async function evictedPod() {
  const { transport, clock } = aServer({ builtIn: builtInKinds() });
  await call(transport, "POST", "/api/v1/namespaces/default/serviceaccounts", {
    ...{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
  });
  await call(transport, "POST", pods, pod);
  const evict = () => call(transport, "POST", `${pods}/a/eviction`, eviction);
  expect((await evict()).status).toBe(201);
  clock.advance(5_000);
  return { transport, evict, read: async () => (await call(transport, "GET", `${pods}/a`)).body };
}

test("an eviction of a pod that is being evicted changes nothing", async () => {
  const { transport, evict, read } = await evictedPod();
  const ready = { type: "Ready", status: "False" };
  await call(transport, "PATCH", `${pods}/a/status`, {
    status: { conditions: [{ type: "DisruptionTarget", status: "True", lastTransitionTime: start }, ready] },
  });
  await evict();
  const before = await read();
  await evict();
  const after = await read();
  expect(metaOf(after).resourceVersion).toBe(metaOf(before).resourceVersion);
  expect(objectAt(after, "status").conditions).toMatchObject([
    { type: "DisruptionTarget", lastTransitionTime: start, reason: "EvictionByEvictionAPI" },
    ready,
  ]);
});

test("an eviction is told anew, in its old place, where somebody had taken it back", async () => {
  const { transport, evict, read } = await evictedPod();
  const conditions = [
    { type: "DisruptionTarget", status: "False", lastTransitionTime: start },
    { type: "Ready", status: "False" },
  ];
  await call(transport, "PATCH", `${pods}/a/status`, { status: { conditions } });
  await evict();
  expect(objectAt(await read(), "status").conditions).toMatchObject([
    { type: "DisruptionTarget", status: "True", lastTransitionTime: "2026-01-01T00:00:05Z" },
    { type: "Ready" },
  ]);
});
