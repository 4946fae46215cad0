// VariantSets on a real control plane: the map of the csi-baremetal proposal, nodes that cross the line, an operator that dies at every
// write, and labels that somebody else wants. What the embedded control plane was believed about is seen once more.
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { mixedFleet } from "../../../sim/fleets/mixed-fleet.ts";
import { createOperator } from "../../../src/controllers/create-operator.ts";
import { customResourceDefinition } from "../../../src/kinds/crd.ts";
import { csiBaremetalSet } from "../../../src/kinds/variant-set/cases.ts";
import { variantSetCrd } from "../../../src/kinds/variant-set/crd.ts";
import { createVariantSetKind } from "../../../src/kinds/variant-set/variant-set-kind.ts";
import type { Client } from "../../../src/kube/client.ts";
import type { HttpRequest, Transport } from "../../../src/kube/transport.ts";
import { logToList } from "../../../src/runtime/log-to-list.ts";
import { describeWith } from "../../control-plane/describe-with.ts";
import { eventually } from "../../control-plane/eventually.ts";
import { type ClusterWithNodes, startClusterWithNodes } from "../../kubelets/cluster-with-nodes.ts";
import { type SetPicture, setPicture, stalledMessage } from "./set-picture.ts";
import { type AnyObject, daemonSets, definitions, nodesResource, podsResource, variantSets } from "./set-world.ts";

const SOON = { deadlineMs: 120_000, everyMs: 200 };
const QUIET_MS = 4_000;
const KEY = "default/agent";
const LABEL = "node-daemonset-image";
const kernels = [
  "4.18.0-193.el8.x86_64",
  "5.3.18-57-default",
  "5.4.0-66-generic",
  "5.12.0",
  "6.1.0-25-amd64",
  "corrupted",
];
const OLD = "4.18.0-193.el8.x86_64";
const NEW = "5.12.0";

describeWith("controllers", "VariantSets on a real control plane", (binaries) => {
  let world: ClusterWithNodes;
  let client: Client;
  const running: AbortController[] = [];
  const writes: string[] = [];
  const nodeNames = kernels.map((_, place) => `node-00${place + 1}`);

  beforeAll(async () => {
    world = await startClusterWithNodes({ binaries, machines: mixedFleet({ count: kernels.length, kernels }) });
    client = world.admin.client;
    await client.create(definitions, Object(customResourceDefinition(variantSetCrd)));
    await eventually("sets can be listed", () => client.list(variantSets), SOON);
  });
  afterEach(async () => {
    if (running.length === 0) operate();
    for (const { metadata } of (await client.list(variantSets)).items)
      await client.remove(variantSets, `default/${metadata.name}`);
    await settled("csi-baremetal", { bindings: {}, pods: [] });
    for (const life of running.splice(0)) life.abort();
  });
  afterAll(() => world?.stop());

  /** Starts an operator process that dies at its n-th write, with the answer lost. */
  const operate = (diesAtWrite = Number.POSITIVE_INFINITY): AbortSignal => {
    const life = new AbortController();
    running.push(life);
    const { clock, rand } = world.admin;
    const transport = mortal(world.admin.transport, life, diesAtWrite, (write) => writes.push(write));
    const ports = { identity: `operator-${running.length}`, transport, clock, rand, log: logToList().log };
    void createOperator(ports, { kinds: [createVariantSetKind()], program: "farrier" }).run(life.signal);
    return life.signal;
  };
  const create = (spec: object = {}) => {
    const set = csiBaremetalSet();
    return client.create(variantSets, Object({ ...set, spec: { ...Object(set.spec), ...spec } }));
  };
  const edit = (spec: object) => client.patch(variantSets, KEY, { type: "merge", body: { spec: Object(spec) } });
  const settled = (name: string, wanted: Partial<SetPicture>) =>
    eventually(
      `the cluster is ${JSON.stringify(wanted)}`,
      async () => {
        const picture = await setPicture(client, `default/${name}`, LABEL);
        expect(picture).toMatchObject(wanted);
        return picture;
      },
      SOON,
    );
  const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const reboot = (place: number, kernel: string) => world.kubelets.reboot(nodeNames[place] ?? "", { kernel });
  /** The state in which every node has what its kernel asks for; the corrupted one has what `held` says. */
  const fitted = (tag: string, line: readonly (string | undefined)[]) => ({
    bindings: Object.fromEntries(line.flatMap((key, place) => (key === undefined ? [] : [[nodeNames[place], key]]))),
    pods: line.flatMap((key, place) => (key === undefined ? [] : [`${nodeNames[place]} ${imageOf(key, tag)} ready`])),
  });
  const imageOf = (key: string, tag: string) => (key === "default" ? `node:${tag}` : `node-kernel-5.x:${tag}`);
  const images = (tag: string) => ({
    variants: [
      { name: "5.x", match: { kernel: "5.x" }, images: { node: `registry.example.com/node-kernel-5.x:${tag}` } },
    ],
    default: { images: { node: `registry.example.com/node:${tag}` } },
  });
  const start = ["default", "5.x", "5.x", "5.x", "default", undefined] as const;

  test("the map of the proposal: every node gets its variant, the corrupted one nothing, and then nobody writes", async () => {
    operate();
    await create(images("1.2"));
    await settled("agent", {
      ...fitted("1.2", start),
      nodes: { inScope: 6, fitted: 5, unknown: 1, held: 0, none: 0, excluded: 0 },
    });
    await quiet();
    const before = writes.length;
    await quiet();
    expect(writes.slice(before)).toEqual([]);
  });

  test("two nodes cross the line during a rollout, and no node ever has pods of two variants", async () => {
    operate();
    await create(images("1.2"));
    await settled("agent", fitted("1.2", start));
    const twins = watchTwins(client);
    await edit(images("1.3"));
    reboot(0, NEW);
    reboot(3, OLD);
    await settled("agent", fitted("1.3", ["5.x", "5.x", "5.x", "default", "default", undefined]));
    expect(await twins.end()).toEqual([]);
    reboot(0, OLD);
    reboot(3, NEW);
    await settled("agent", fitted("1.3", start));
  });

  test("an operator that is killed at every write of a hand-over brings it to the same end", {
    timeout: 400_000,
  }, async () => {
    operate();
    await create(images("1.2"));
    await settled("agent", fitted("1.2", start));
    for (const life of running.splice(0)) life.abort();
    const twins = watchTwins(client);
    reboot(1, OLD);
    for (let process = 0; process < 6; process++) {
      const signal = operate(1);
      await eventually("it has died, or has nothing to write", () => signal.aborted || undefined, {
        deadlineMs: 25_000,
      }).catch(() => undefined);
      running.at(-1)?.abort();
    }
    operate();
    await settled("agent", fitted("1.2", ["default", "default", "5.x", "5.x", "default", undefined]));
    expect(await twins.end()).toEqual([]);
    reboot(1, "5.3.18-57-default");
    await settled("agent", fitted("1.2", start));
  });

  test("labels of others stay, and one that somebody else holds is reported with its holder and not fought over", async () => {
    const [first = ""] = nodeNames;
    const label = (labels: object, manager: string) =>
      client.apply(nodesResource, Object({ apiVersion: "v1", kind: "Node", metadata: { name: first, labels } }), {
        fieldManager: manager,
      });
    await label({ [LABEL]: "mine", "example.com/kept": "yes" }, "rival");
    operate();
    await create(images("1.2"));
    await eventually(
      "the set is stalled",
      async () => ((await setPicture(client, KEY, LABEL)).stalled === "LabelContested" ? true : undefined),
      SOON,
    );
    expect(await stalledMessage(client, KEY)).toContain('"rival"');
    // All other nodes were fitted all the same.
    const { bindings } = await settled("agent", { pods: fitted("1.2", [undefined, ...start.slice(1)]).pods });
    expect(bindings[first]).toBe("mine");
    await label({ "example.com/kept": "yes" }, "rival");
    const node = await client.get(nodesResource, first);
    expect(node?.metadata.labels?.["example.com/kept"]).toBe("yes");
    await label({}, "rival");
  });

  test("the page on csi-baremetal: DaemonSets are taken over and their pods stay", async () => {
    const page = readFileSync(new URL("../../../docs/how-to/csi-baremetal.md", import.meta.url), "utf8");
    const [before = "", after = ""] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);
    const objectsIn = (yaml: string): readonly AnyObject[] =>
      parseAllDocuments(yaml).map((document) => document.toJS());
    const platforms = ["default", "kernel-5.x", "kernel-5.x", "kernel-5.x", "default", "default"];
    const platform = "nodes.csi-baremetal.dell.com/platform";
    for (const [place, name] of nodeNames.entries()) {
      await client.patch(nodesResource, name, {
        type: "merge",
        body: { metadata: { labels: { [platform]: platforms[place] ?? "" } } },
      });
    }
    for (const object of objectsIn(before)) await client.create(daemonSets, object);
    const six = await eventually(
      "six pods are ready",
      async () => {
        const { pods } = await setPicture(client, KEY, LABEL);
        return pods.length === 6 && pods.every((pod) => pod.endsWith(" ready")) ? uids(client) : undefined;
      },
      SOON,
    );
    operate();
    for (const object of objectsIn(after)) await client.create(variantSets, object);
    // The corrupted node runs the default's pod, and keeps it.
    await settled("csi-baremetal", {
      bindings: Object.fromEntries(
        platforms.map((value, place) => [nodeNames[place], value === "default" ? "default" : "5.x"]),
      ),
      nodes: { inScope: 6, fitted: 5, unknown: 1, held: 0, none: 0, excluded: 0 },
    });
    await quiet();
    expect(await uids(client)).toEqual(six);
  });
});

/** The pods by node. */
async function uids(client: Client): Promise<Readonly<Record<string, string>>> {
  const { items } = await client.list(podsResource);
  return Object.fromEntries(items.map(({ metadata, spec }) => [String(Object(spec).nodeName), metadata.uid]).sort());
}

/** Looks at the pods again and again; tells the nodes that had pods of two DaemonSets. */
function watchTwins(client: Client): { readonly end: () => Promise<readonly string[]> } {
  const seen = new Set<string>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const { items } = await client.list(podsResource);
      const owners = Map.groupBy(items, ({ spec }) => String(Object(spec).nodeName));
      for (const [node, pods] of owners) {
        const sets = new Set(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.name));
        if (node !== "undefined" && sets.size > 1) seen.add(`${node}: ${[...sets].sort().join(", ")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    end: async () => {
      isOver = true;
      await looking;
      return [...seen];
    },
  };
}

/** A connection of a process that is gone once its life has ended: nothing is sent, and no answer comes any more. */
function mortal(
  transport: Transport,
  life: AbortController,
  diesAtWrite: number,
  onWrite: (write: string) => void,
): Transport {
  const never = new Promise<never>(() => undefined);
  let count = 0;
  const send = async (request: HttpRequest) => {
    const isWrite = request.method !== "GET" && !request.path.includes("/events");
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
