// The operator with the toy kind on a real control plane: what the embedded one was believed about, seen once more.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { aToy, labelOf, toyDefinition, toyKind, toys, WANTED } from "../../sim/scenarios/operator/toy-kind.ts";
import { nodes, type Picture, stalledOf, toyPicture } from "../../sim/scenarios/operator/toy-picture.ts";
import { createOperator, type Operator, type OperatorOptions } from "../../src/controllers/loop/create-operator.ts";
import type { Client } from "../../src/kube/client/client.ts";
import type { HttpRequest, Transport } from "../../src/kube/transport.ts";
import { logToList } from "../../src/runtime/log/testing/log-to-list.ts";
import { describeWith } from "../control-plane/describe-with.ts";
import { eventually } from "../control-plane/eventually.ts";
import { type ClusterWithNodes, startClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";

const SOON = { deadlineMs: 90_000, everyMs: 200 };
const QUIET_MS = 5_000;

describeWith("controllers", "the operator on a real control plane", (binaries) => {
  let world: ClusterWithNodes;
  let client: Client;
  let wanted: readonly string[];
  const running: AbortController[] = [];
  const writes: string[] = [];

  beforeAll(async () => {
    world = await startClusterWithNodes({ binaries, definitions: [toyDefinition], machines: mixedFleet({ count: 6 }) });
    client = world.admin.client;
    wanted = (await client.list(nodes)).items.map(({ metadata }) => metadata.name).slice(0, 3);
    for (const name of wanted) await want(name, "yes");
  });
  afterEach(async () => {
    for (const { metadata } of (await client.list(toys)).items) await client.remove(toys, `default/${metadata.name}`);
    if (running.length === 0) operate();
    await settled({ toys: {}, workloads: {}, labels: {}, pods: [] });
    for (const life of running.splice(0)) life.abort();
  });
  afterAll(() => world?.stop());

  const want = (name: string, value: string | null) =>
    client.patch(nodes, name, { type: "merge", body: { metadata: { labels: { [WANTED]: value } } } });

  /** Starts an operator process that dies at once when its signal is aborted, or at its n-th write. */
  const operate = (diesAtWrite = Number.POSITIVE_INFINITY, options: Partial<OperatorOptions> = {}): Operator => {
    const life = new AbortController();
    running.push(life);
    const { clock, rand } = world.admin;
    const transport = mortal(world.admin.transport, life, { diesAtWrite, onWrite: (write) => writes.push(write) });
    const ports = { identity: `operator-${running.length}`, transport, clock, rand, log: logToList().log };
    const operator = createOperator(ports, { kinds: [toyKind], program: "toymaker", ...options });
    void operator.run(life.signal);
    return operator;
  };

  const settled = (picture: Partial<Picture>) =>
    eventually(
      `the cluster is ${JSON.stringify(picture)}`,
      async () => {
        const now = await toyPicture(client);
        const isThere = Object.entries(picture).every(([part, value]) => isSame(now[part as keyof Picture], value));
        if (!isThere) throw new Error(JSON.stringify(now));
        return now;
      },
      SOON,
    );

  const fitted = (image: string, names: readonly string[] = wanted) => ({
    workloads: { a: image },
    labels: Object.fromEntries(names.map((name) => [name, image])),
    pods: names.map((name) => `${name} ${image} ready`),
  });

  test("a toy is made, changes its image, and is then left in peace", async () => {
    operate();
    await client.create(toys, aToy("a", "v1"));
    await settled(fitted("v1"));
    await client.patch(toys, "default/a", { type: "merge", body: { spec: { image: "v2" } } });
    await settled({ ...fitted("v2"), toys: { a: { nodes: 3, ready: 3, Ready: "True", Stalled: "False" } } });
    await quiet();
    const written = writes.length;
    await quiet();
    expect(writes.slice(written)).toEqual([]);
  });

  test("processes that die at every other write bring it to the same end", async () => {
    const life = (async () => {
      // Each of them makes two writes and loses the answer to the second.
      for (let process = 0; process < 12; process++) {
        const { signal } = dying(operate(2));
        await eventually("the process has died or has nothing to do", () => signal.aborted || undefined, {
          deadlineMs: 4_000,
        }).catch(() => undefined);
      }
    })();
    await client.create(toys, aToy("a", "v1"));
    await life;
    operate();
    await settled(fitted("v1"));
  });

  test("a label of another manager is reported with its name; an apply to a node that is gone makes none", async () => {
    const [first = ""] = wanted;
    const label = labelOf({ namespace: "default", name: "a" });
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: first, labels: { [label]: "mine" } } };
    await client.apply(nodes, object, { fieldManager: "rival" });
    operate();
    await client.create(toys, aToy("a", "v1"));
    const stalled = await eventually(
      "the toy is stalled",
      async () => {
        const condition = await stalledOf(client, "a");
        return condition?.status === "True" ? condition : undefined;
      },
      SOON,
    );
    expect([stalled.reason, stalled.message.includes('"rival"')]).toEqual(["LabelContested", true]);
    await client.apply(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: first } }, { fieldManager: "rival" });
    const ghost = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "ghost", uid: "00000000-0000-0000-0000-000000000000" },
    };
    await expect(client.apply(nodes, ghost)).rejects.toMatchObject({ status: 409 });
  });

  test("a second replica takes over from one that died in the middle of a rollout", async () => {
    const lease = { namespace: "default", name: "toymaker" };
    const leadership = { leaseDurationMs: 4_000, fenceMarginMs: 1_500, retryMs: 500, requestTimeoutMs: 1_000 };
    const limits = { leadership };
    const first = operate(Number.POSITIVE_INFINITY, { lease, limits });
    await eventually("the first one leads", () => first.readings().leadership.isLeading || undefined, SOON);
    const second = operate(Number.POSITIVE_INFINITY, { lease, limits });
    await client.create(toys, aToy("a", "v1"));
    await settled(fitted("v1"));
    await client.patch(toys, "default/a", { type: "merge", body: { spec: { image: "v2" } } });
    running[0]?.abort(new Error("killed"));
    await eventually("the second one leads", () => second.readings().leadership.isLeading || undefined, SOON);
    await settled(fitted("v2"));
  });

  const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const dying = (_operator: Operator) => ({ signal: running.at(-1)?.signal ?? AbortSignal.abort() });
});

type Mortality = { readonly diesAtWrite: number; readonly onWrite: (write: string) => void };

/** A connection of a process that is gone once its life has ended: nothing is sent, and no answer comes any more. */
function mortal(transport: Transport, life: AbortController, { diesAtWrite, onWrite }: Mortality): Transport {
  const never = new Promise<never>(() => undefined);
  let count = 0;
  const send = async (request: HttpRequest) => {
    const isWrite = request.method !== "GET";
    count += isWrite ? 1 : 0;
    if (isWrite) onWrite(`${request.method} ${request.path}`);
    const answer = await transport.request(request);
    if (isWrite && count >= diesAtWrite) life.abort(new Error("killed"));
    return life.signal.aborted ? never : answer;
  };
  return {
    request: (request) => (life.signal.aborted ? never : send(request)),
    stream: (request) => (life.signal.aborted ? never : transport.stream(request)),
  };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
