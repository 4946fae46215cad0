import { expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import { aNode } from "./node-object.ts";
import { podEvent } from "./pod-events.ts";
import { aPod, podKey } from "./pod-object.ts";
import { NODES, POD_EVENTS, PODS_LEFT } from "./workloads.ts";

const SAMPLE = 100;

/** Mean bytes of the objects, and the share of them that is managedFields. */
function weigh(objects: readonly JsonObject[]): { readonly bytes: number; readonly managedShare: number } {
  let bytes = 0;
  let managed = 0;
  for (const object of objects) {
    const { metadata } = object;
    bytes += JSON.stringify(object).length;
    managed += isJsonObject(metadata) ? JSON.stringify(metadata.managedFields).length : 0;
  }
  return { bytes: bytes / objects.length, managedShare: managed / bytes };
}

test("a node weighs 8 KB, a quarter of it managedFields", () => {
  const { bytes, managedShare } = weigh(Array.from({ length: SAMPLE }, (_, at) => aNode(at * (NODES / SAMPLE))));
  expect(Math.abs(bytes - 8_200)).toBeLessThan(150);
  expect(Math.abs(managedShare - 0.25)).toBeLessThan(0.02);
});

test.each([true, false])("a pod weighs 4.8 KB, 35 % of it managedFields, when ready is %s", (isReady) => {
  const pods = Array.from({ length: SAMPLE }, (_, at) => aPod(at * 80, { resourceVersion: 2_000_000, isReady }));
  const { bytes, managedShare } = weigh(pods);
  expect(Math.abs(bytes - 4_800)).toBeLessThan(150);
  expect(Math.abs(managedShare - 0.35)).toBeLessThan(0.02);
});

test("objects of different numbers are different objects", () => {
  const identities = Array.from({ length: SAMPLE }, (_, at) => JSON.stringify(aNode(at).metadata));
  expect(new Set(identities).size).toBe(SAMPLE);
  const { metadata } = aPod(17, { resourceVersion: 5, isReady: true });
  expect(metadata).toMatchObject({ ...podKey(17), resourceVersion: "5" });
  expect(podKey(18)).not.toEqual(podKey(17));
});

test("every event of the watch makes sense where it stands, and 8,000 pods are left", () => {
  const live = new Set<number>();
  for (let index = 0; index < POD_EVENTS; index++) {
    const { type, pod } = podEvent(index);
    if (live.has(pod) !== (type !== "ADDED")) expect.unreachable(`event ${index}: ${type} ${pod}`);
    if (type === "ADDED") live.add(pod);
    if (type === "DELETED") live.delete(pod);
  }
  expect(live.size).toBe(PODS_LEFT);
});
