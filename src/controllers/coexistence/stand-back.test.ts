// The operator beside another one of the same kind, on the embedded control plane in virtual time.
import { afterEach, expect, test } from "vitest";
import { toyDefinition, toyKind } from "../../../sim/scenarios/operator/toy-kind.ts";
import { definitions } from "../../../sim/scenarios/operator/toy-picture.ts";
import { type Fate, worldsFor } from "../../../sim/scenarios/operator/toy-world.ts";
import { seededRand } from "../../../sim/seeded-rand.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind, Rival } from "../../kinds/kind.ts";
import { leases, microTime } from "../../runtime/lease/lease-record.ts";
import { logToList } from "../../runtime/log/testing/log-to-list.ts";
import { createMetrics } from "../../runtime/metrics/metrics.ts";
import { RivalWatch } from "./rival-watch.ts";

const aWorld = worldsFor(afterEach);

const rival: Rival = {
  ...{ name: "Fisher", lease: { namespace: "default", name: "boat" } },
  webhooks: { mutating: [], validating: [] },
};
const kind: Kind = { ...toyKind, rival };

const FORBIDDEN = {
  ...{ status: 403, headers: {} },
  body: new TextEncoder().encode('{"kind":"Status","code":403,"reason":"Forbidden"}'),
};

type World = Awaited<ReturnType<typeof aWorld>>;

function operate(world: World, fate?: Fate) {
  const { log, lines } = logToList();
  const metrics = createMetrics("toymaker");
  const rivals = new RivalWatch({ kinds: [kind], clock: world.clock, rand: seededRand(7), log });
  const process = world.operate({ kinds: [kind], rivals, metrics, ...(fate === undefined ? {} : { fate }) });
  const said = () => lines.map(({ message }) => message);
  const figure = async () => (await metrics.registry.getSingleMetricAsString("toymaker_standing_back")).at(-1);
  return { process, said, figure };
}

/** Lets the rival lead for so many seconds, with a renewal every two. */
async function rivalLeads(world: World, seconds: number): Promise<void> {
  const spec = () => ({
    holderIdentity: "boat-1",
    leaseDurationSeconds: 15,
    renewTime: microTime(world.clock.wallMs()),
  });
  const metadata = { name: "boat", namespace: "default" };
  const found = await world.do(world.client.get(leases, "default/boat"));
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: spec() };
  if (found === undefined) await world.do(world.client.create(leases, lease));
  for (let second = 0; second < seconds; second += 2) {
    await world.do(world.client.patch(leases, "default/boat", { type: "merge", body: { spec: spec() } }));
    await world.clock.elapse(2_000);
  }
}

test("while a rival leads nothing is written but an event, and everything once it is gone", async () => {
  const world = await aWorld();
  await rivalLeads(world, 2);
  const { said, figure } = operate(world);
  await world.toy("a", "v1");
  await rivalLeads(world, 60);
  expect(world.writes).toEqual(["POST /api/v1/namespaces/default/events"]);
  expect(said()).toEqual(["this kind is left alone"]);
  expect(await figure()).toBe("1");
  await world.clock.elapse(40_000);
  expect((await world.picture()).pods).toEqual(["node-1 v1 ready", "node-2 v1 ready", "node-3 v1 ready"]);
  expect(said()).toEqual(["this kind is left alone", "nothing speaks against serving this kind any more"]);
  expect(await figure()).toBe("0");
});

test("a rival that comes later is given way", async () => {
  const world = await aWorld();
  operate(world);
  await world.toy("a", "v1");
  await world.clock.elapse(30_000);
  await rivalLeads(world, 10);
  const written = world.writes.length;
  await world.setImage("a", "v2");
  await rivalLeads(world, 60);
  expect(world.writes.slice(written)).toEqual([]);
});

test("nothing is done before it is known, and a rival that cannot be asked for is not taken for absent", async () => {
  const world = await aWorld();
  const isLease = ({ path }: Parameters<Fate>[0]) => path.includes("/leases/");
  operate(world, async (request, send) => (isLease(request) ? FORBIDDEN : send()));
  await world.toy("a", "v1");
  await world.clock.elapse(60_000);
  expect(world.writes).toEqual([]);
});

test("whoever takes over does not ask", async () => {
  const world = await aWorld();
  await rivalLeads(world, 2);
  world.operate({ kinds: [kind] });
  await world.toy("a", "v1");
  await rivalLeads(world, 20);
  expect((await world.picture()).pods).toHaveLength(3);
});

test("a definition that may not be read counts as ours, which is said once, and ours is not made for it", async () => {
  const world = await aWorld();
  const { log, lines } = logToList();
  const ours = () => {
    throw new Error("nothing is there to compare it with");
  };
  const ports = { clock: world.clock, rand: seededRand(7), log, limits: { definitionEveryMs: 10_000 } };
  const rivals = new RivalWatch({ kinds: [], definitions: new Map([[toyKind, ours]]), ...ports });
  const fate: Fate = async ({ path }, send) => (path.includes("/customresourcedefinitions/") ? FORBIDDEN : send());
  world.operate({ kinds: [toyKind], rivals, fate });
  await world.toy("a", "v1");
  await world.clock.elapse(60_000);
  expect((await world.picture()).pods).toEqual(["node-1 v1 ready", "node-2 v1 ready", "node-3 v1 ready"]);
  expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining("the definition may not be read")]);
});

const ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** The toy's definition with nothing but these fields at its root. */
const withFields = (...names: readonly string[]) => {
  const properties = Object.fromEntries(names.map((name) => [name, ANYTHING]));
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return { spec: { versions: toyDefinition.spec.versions.map((version) => ({ ...version, schema })) } };
};
const DEFINITION = toyDefinition.metadata.name;
const LACKS = `the installed definition ${DEFINITION} is not ours and lacks status, wheels; apply deploy/crds/${DEFINITION}.yaml`;

function operateWithWheels(world: World) {
  const { log, lines } = logToList();
  const ours = new Map([[toyKind, () => withFields("spec", "status", "wheels")]]);
  const rivals = new RivalWatch({ kinds: [], definitions: ours, clock: world.clock, rand: seededRand(7), log });
  world.operate({ kinds: [toyKind], rivals });
  return lines;
}

test("a definition that lacks fields of ours is not worked with, until it has them", async () => {
  const world = await aWorld();
  const install = (body: JsonObject) => world.do(world.client.patch(definitions, DEFINITION, { type: "merge", body }));
  await install(withFields("spec"));
  const lines = operateWithWheels(world);
  await world.toy("a", "v1");
  await world.clock.elapse(30_000);
  expect(world.writes).toEqual(["POST /api/v1/namespaces/default/events"]);
  expect(lines[0]?.fields.because).toBe(LACKS);
  await install({ spec: toyDefinition.spec });
  await world.clock.elapse(30_000);
  expect((await world.picture()).pods).toEqual(["node-1 v1 ready", "node-2 v1 ready", "node-3 v1 ready"]);
});

test("a definition that is installed later is judged before any of its objects is looked at", async () => {
  const world = await aWorld();
  await world.do(world.client.remove(definitions, DEFINITION));
  const lines = operateWithWheels(world);
  await world.clock.elapse(30_000);
  expect(lines).toEqual([]);
  await world.do(world.client.create(definitions, { ...toyDefinition, ...foreign() }));
  await world.toy("a", "v1");
  await world.clock.elapse(60_000);
  expect(world.writes).toEqual(["POST /api/v1/namespaces/default/events"]);
  expect(lines.map(({ fields }) => fields.because)).toEqual([LACKS]);
});

function foreign() {
  return { spec: { ...toyDefinition.spec, ...withFields("spec").spec } };
}

test("only the namespaces that are asked for are served, and nothing is said of others", async () => {
  const world = await aWorld();
  world.operate({ namespaces: ["elsewhere"] });
  await world.toy("a", "v1");
  await world.clock.elapse(60_000);
  expect(world.writes).toEqual([]);
  world.operate({ namespaces: ["elsewhere", "default"] });
  await world.clock.elapse(60_000);
  expect((await world.picture()).pods).toEqual(["node-1 v1 ready", "node-2 v1 ready", "node-3 v1 ready"]);
});
