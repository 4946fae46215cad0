// The contract on a real kube-apiserver: its answers must be those that are recorded. FARRIER_RECORD=1 records them anew.
// No controller runs, so that nothing changes between two requests but by them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../e2e/control-plane/cluster.ts";
import { describeWith } from "../../e2e/control-plane/describe-with.ts";
import { eventually } from "../../e2e/control-plane/eventually.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { createNodeTransport, type NodeTransport } from "../../src/runtime/node/node-transport.ts";
import { readRecording, writeRecording } from "./recordings.ts";
import { create, runScenario } from "./run-scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import { GROUP, widgetDefinition } from "./widget.ts";

const isRecording = process.env.FARRIER_RECORD === "1";
const ESTABLISHED_WITHIN_MS = 20_000;

async function installWidgets(transport: NodeTransport): Promise<void> {
  await create(transport, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
  const path = `/apis/${GROUP}/v1/widgets`;
  const isServed = async () => {
    const { status } = await transport.request({ method: "GET", path, headers: {}, lane: "calls" });
    return status === 200 ? true : undefined;
  };
  await eventually("the widgets are served", isServed, { deadlineMs: ESTABLISHED_WITHIN_MS });
}

describeWith("api", "the contract on a real kube-apiserver", (binaries) => {
  let cluster: Cluster;
  let transport: NodeTransport;

  beforeAll(async () => {
    cluster = await startCluster({ binaries, parts: "api" });
    const headers = { authorization: `Bearer ${cluster.token()}` };
    const credentials = fixedCredentials({ headers, tls: { ca: cluster.address.ca } });
    transport = createNodeTransport({ server: cluster.address.url, credentials, clock: nodeClock() });
    await installWidgets(transport);
  });

  afterAll(async () => {
    transport?.close();
    await cluster?.stop();
  });

  test.each(scenarios)("$name", async (scenario) => {
    const answers = await runScenario(transport, scenario);
    if (isRecording) writeRecording(scenario, answers);
    const recorded = readRecording(scenario);
    expect(recorded.map(({ shows }) => shows)).toEqual(scenario.exchanges.map(({ shows }) => shows));
    const given = scenario.exchanges.map(({ shows }, index) => ({ shows, answer: answers[index] }));
    expect(given).toEqual(recorded);
  });
});

test("scenarios have names of their own and show more than a hundred answers", () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  expect(scenarios.flatMap(({ exchanges }) => exchanges).length).toBeGreaterThan(140);
});
