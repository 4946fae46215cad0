// Field ownership of the embedded API server against a real one: random writes by a few managers go to the real server, and
// what it makes of each must be what our functions say, given the object before. The seed is printed; FARRIER_SEED sets it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { metaOf, textAt, withFields } from "../sim/api-server/api-object.ts";
import { builtInKinds } from "../sim/api-server/built-in/built-in-kinds.ts";
import { customTypes } from "../sim/api-server/custom-resources/custom-resource-type.ts";
import { Refusal } from "../sim/api-server/faults/status.ts";
import type { ResourceType } from "../sim/api-server/resource-type.ts";
import { seededRand } from "../sim/seeded-rand.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../src/core/json/json.ts";
import { fixedCredentials } from "../src/kube/config/credentials.ts";
import { nodeClock } from "../src/runtime/node/node-clock.ts";
import { createNodeTransport, type NodeTransport } from "../src/runtime/node/node-transport.ts";
import { type Cluster, startCluster } from "./control-plane/cluster.ts";
import { describeWith } from "./control-plane/describe-with.ts";
import { eventually } from "./control-plane/eventually.ts";
import {
  Chance,
  someContents,
  someDaemonSetSpec,
  someSpec,
  THING_GROUP,
  thingDefinition,
} from "./field-ownership/random-objects.ts";
import { pathOf, type RandomWrite, RandomWrites, type Subject } from "./field-ownership/random-writes.ts";

const OBJECTS_PER_KIND = Number(process.env.FARRIER_OBJECTS ?? 8);
const WRITES_PER_OBJECT = 24;
const SERVED_WITHIN_MS = 20_000;
/** The same each time, so that a release does not hang on a rare find; who searches gives another. */
const SEED = 31_337;
const seed = Number(process.env.FARRIER_SEED ?? SEED);
const clock = nodeClock();

const subjects: Readonly<Record<string, Subject>> = {
  "a custom resource in two versions": {
    types: atLeastOne(customTypes(thingDefinition)),
    content: (chance) => chance.fields({ spec: () => someSpec(chance) }, 0.9),
  },
  "a ConfigMap": { types: builtIn("ConfigMap"), content: (chance) => someContents(chance) },
  "a DaemonSet": {
    types: builtIn("DaemonSet"),
    content: (chance, isFirst) => ({ spec: someDaemonSetSpec(chance, isFirst || chance.is(0.5)) }),
  },
};

function builtIn(wanted: string): Subject["types"] {
  return atLeastOne(builtInKinds().filter(({ kind }) => kind === wanted));
}

function atLeastOne([first, ...more]: readonly ResourceType[]): Subject["types"] {
  if (first === undefined) throw new Error("there is no such kind");
  return [first, ...more];
}

/** Of an object, what a write decides; the server counts the generations of a DaemonSet in an annotation. */
function decided(object: JsonObject): JsonObject {
  const { apiVersion: _apiVersion, metadata: _metadata, ...content } = object;
  const { labels = {}, annotations = {}, managedFields = null } = metaOf(object);
  const counter = { "deprecated.daemonset.template.generation": undefined };
  const own = isJsonObject(annotations) ? withFields(annotations, counter) : {};
  const there = Object.fromEntries(Object.entries(content).filter(([, value]) => !isNothing(value)));
  return { ...there, labels, annotations: own, managedFields };
}

function isNothing(value: Json): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** A refusal whose causes are in the order of a Go map. */
function refusal({ code = null, message = null, reason = null, details }: JsonObject): JsonObject {
  const causes = isJsonObject(details) && isJsonList(details.causes) ? details.causes : [];
  return { code, message, reason, causes: causes.map((cause) => JSON.stringify(cause)).sort() };
}

/** What our functions say, or how they refuse. */
function expectedOf(write: RandomWrite, now: string): JsonObject | Refusal {
  try {
    return write.expected(now);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The second in which the server wrote, as far as its answer tells. */
function secondOf(answer: JsonObject, startedMs: number): string {
  const { managedFields } = metaOf(answer);
  const entries = isJsonList(managedFields) ? managedFields.filter(isJsonObject) : [];
  const latest =
    entries
      .map((entry) => textAt(entry, "time"))
      .sort()
      .at(-1) ?? "";
  const started = `${new Date(startedMs).toISOString().slice(0, 19)}Z`;
  return latest > started ? latest : started;
}

describeWith("api", "field ownership on a real API server", (binaries) => {
  let cluster: Cluster;
  let transport: NodeTransport;

  async function call(method: RandomWrite["method"] | "GET", path: string, body?: Json, media = "application/json") {
    const headers = { accept: "application/json", ...(body === undefined ? {} : { "content-type": media }) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await transport.request({ method, path, headers, lane: "calls", ...sent });
    const read: JsonObject = JSON.parse(new TextDecoder().decode(answer.body));
    return { status: answer.status, body: read };
  }

  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    const headers = { authorization: `Bearer ${cluster.token()}` };
    const credentials = fixedCredentials({ headers, tls: { ca: cluster.address.ca } });
    transport = createNodeTransport({ server: cluster.address.url, credentials, clock });
    await call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", thingDefinition);
    const isServed = async () =>
      (await call("GET", `/apis/${THING_GROUP}/v1beta1/things`)).status === 200 ? true : undefined;
    await eventually("the things are served", isServed, { deadlineMs: SERVED_WITHIN_MS });
  });
  afterAll(async () => {
    transport?.close();
    await cluster?.stop();
  });

  /** Sends a write and compares; the object after it, or undefined if it was refused. */
  async function play(write: RandomWrite, stored: () => Promise<JsonObject>): Promise<JsonObject | undefined> {
    const startedMs = clock.wallMs();
    const answer = await call(write.method, write.path, write.body, write.contentType);
    const isScale = answer.body.kind === "Scale";
    const after = isScale ? await stored() : answer.body;
    const expected = expectedOf(write, secondOf(after, startedMs));
    if (expected instanceof Refusal) {
      expect(refusal(answer.body)).toEqual(refusal(expected.body));
      return undefined;
    }
    // Ownership lets pass what validation refuses.
    if (answer.status === 400 || answer.status === 422) return undefined;
    expect(decided(after)).toEqual(decided(expected));
    return after;
  }

  test.each(Object.entries(subjects))(`%s, seed ${seed}`, async (_, subject) => {
    let written = 0;
    for (let index = 0; index < OBJECTS_PER_KIND; index++) {
      const name = `o-${index}`;
      const writes = new RandomWrites(new Chance(seededRand(seed * 100 + index)), subject, name);
      const stored = async () => (await call("GET", pathOf(subject.types[0], name))).body;
      let live: JsonObject | undefined;
      for (let step = 0; step < WRITES_PER_OBJECT; step++) {
        const write = writes.next(live);
        try {
          const after = await play(write, stored);
          written += after === undefined ? 0 : 1;
          live = after ?? live;
        } catch (error) {
          const place = `seed ${seed}, object ${index}, write ${step}: ${write.says} of ${JSON.stringify(write.body)}`;
          throw new Error(`${place} to ${JSON.stringify(live)}`, { cause: error });
        }
      }
    }
    process.stdout.write(`  ${written} of ${OBJECTS_PER_KIND * WRITES_PER_OBJECT} writes accepted, seed ${seed}\n`);
    expect(written).toBeGreaterThan(OBJECTS_PER_KIND * 5);
  });
});
