// What a fleet costs the server: a write among many objects against one among few, and the memory of what is stored, with the
// history that the server keeps.
import { memoryUsage } from "node:process";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { JsonObject } from "../../src/core/json/json.ts";
import { atMost } from "../bar.ts";
import type { WorkComparison } from "../compare.ts";
import { type Figure, figureOf } from "../figure.ts";
import { type BenchServer, startBenchServer } from "./bench-server.ts";
import { node, pod, type Subject } from "./subjects.ts";
import { filledServer, patching, pathsOf } from "./writes.ts";

const SMALL = 200;
const LARGE = 5_000;
const PATCHED = 100;
const NODE_KB_MAX = 12;
const POD_KB_MAX = 8;
const RENEWALS = 3;
/** A collection that finds less than this was the last one: a hundredth of what is measured. */
const STEADY_BYTES = 200 * 1024;
const ROUNDS_MAX = 10;

/** The same patches in a small and in a large fleet. */
export async function sizeComparisons(): Promise<readonly WorkComparison[]> {
  const works = [];
  for (const count of [SMALL, LARGE]) {
    const server = await filledServer(node, count);
    const places = Array.from({ length: PATCHED }, (_, at) => Math.floor((at * count) / PATCHED));
    works.push(patching(server, pathsOf(node, places)));
  }
  const [small, large] = works;
  if (small === undefined || large === undefined) return [];
  return [
    {
      name: `merge patch of a node among ${LARGE}`,
      unit: "µs",
      subject: large,
      yardsticks: [{ name: `among ${SMALL}`, bar: atMost(1.2), work: small }],
    },
  ];
}

/** Kilobytes per node and per pod. */
export async function memoryFigures(): Promise<readonly Figure[]> {
  return [
    await memoryFigure("memory per idle node, its lease and history included", NODE_KB_MAX, fillNodes),
    await memoryFigure("memory per daemon pod, history included", POD_KB_MAX, fillPods),
  ];
}

async function memoryFigure(
  name: string,
  limitKb: number,
  fill: (server: BenchServer) => Promise<void>,
): Promise<Figure> {
  const server = await startBenchServer();
  const before = await usedBytes();
  await fill(server);
  const kb = ((await usedBytes()) - before) / LARGE / 1024;
  // The server must be in use after the measurement, or it would be collected before.
  if (server.revision() < LARGE) throw new Error("the fleet is not there");
  if (kb <= 0) throw new Error(`${name}: ${kb} KB; something that was there before has gone meanwhile`);
  return figureOf({ name, unit: "KB", yardstick: "1 KB", bar: atMost(limitKb), rounds: [{ value: kb, yardstick: 1 }] });
}

/** What is in use when nothing more can be collected: a server that was measured before is held until its last promise is done. */
async function usedBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this Node cannot collect garbage on demand");
  let bytes = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await setImmediate();
    collect();
    const { heapUsed, arrayBuffers } = memoryUsage();
    const gone = bytes - heapUsed - arrayBuffers;
    bytes = heapUsed + arrayBuffers;
    if (gone < STEADY_BYTES) break;
  }
  return bytes;
}

async function fillNodes(server: BenchServer): Promise<void> {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/drivers/leases";
  for (let index = 0; index < LARGE; index++) {
    const name = `worker-${index}`;
    await create(server, node.collection, idleNode(name));
    await create(server, leases, lease(name));
  }
  for (let renewal = 0; renewal < RENEWALS; renewal++) {
    server.clock.advance(10_000);
    for (let index = 0; index < LARGE; index++) await renew(server, `${leases}/worker-${index}`);
  }
}

async function fillPods(server: BenchServer): Promise<void> {
  for (let index = 0; index < LARGE; index++) await fillPod(server, pod, index);
}

/** A daemon's pod as it comes to be: made without a status, bound to its node already, then running. */
async function fillPod(server: BenchServer, { collection, object }: Subject, index: number): Promise<void> {
  const whole = object(index);
  const { status: _status, ...sent } = whole;
  await create(server, collection, sent);
  const path = `${collection}/${Object(whole.metadata).name}/status`;
  const body = JSON.stringify({ status: whole.status ?? null });
  await server.call({ method: "PATCH", path, media: "application/strategic-merge-patch+json", body });
}

async function create(server: BenchServer, path: string, object: JsonObject): Promise<void> {
  await server.call({ method: "POST", path, body: JSON.stringify(object) });
}

async function renew(server: BenchServer, path: string): Promise<void> {
  const renewTime = `${new Date(server.clock.wallMs()).toISOString().slice(0, -1)}000Z`;
  const body = JSON.stringify({ spec: { renewTime } });
  await server.call({ method: "PATCH", path, media: "application/merge-patch+json", body });
}

/** A node as a simulated kubelet has it: no images, the usual labels, conditions and resources. */
function idleNode(name: string): JsonObject {
  const { status, metadata, ...rest } = node.object(0);
  const { images: _images, ...lean } = Object(status);
  return { ...rest, metadata: { ...Object(metadata), name }, status: lean };
}

function lease(name: string): JsonObject {
  return {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z" },
  };
}
