// A stage for tests of commands: files, the terminal and a cluster as values.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { createKinds } from "../../kinds/all-kinds.ts";
import { createClient } from "../../kube/client/create-client.ts";
import type { Clock } from "../../kube/clock.ts";
import type { HttpAnswer, Transport } from "../../kube/transport.ts";
import type { CliPorts } from "../cli-ports.ts";
import type { Exit } from "../command-error.ts";
import { yamlText } from "../input/kubectl-yaml.ts";
import { plain } from "../output/print.ts";
import { runCommandLine } from "../program.ts";

/** 2026-01-01T00:00:00Z */
export const STAGE_MS = 1_767_225_600_000;

export type Files = Readonly<Record<string, string | readonly JsonObject[]>>;

export type Played = { readonly code: Exit; readonly out: string; readonly err: string };

/** Runs a command line, words parted by blanks, over files and ports of the test's own. */
export async function play(line: string, files: Files = {}, more: Partial<CliPorts> = {}): Promise<Played> {
  const out: string[] = [];
  const err: string[] = [];
  const text = (content: Files[string]) =>
    typeof content === "string" ? content : content.map((each) => yamlText(each)).join("---\n");
  const ports: CliPorts = {
    out: (piece) => void out.push(piece),
    err: (piece) => void err.push(piece),
    readFile: async (path) => {
      const content = files[path];
      return content === undefined ? Promise.reject(new Error(`${path}: no such file`)) : text(content);
    },
    listFiles: async (path) => [path],
    readInput: async () => "",
    connect: async () => Promise.reject(new Error("no cluster here")),
    wallMs: () => STAGE_MS,
    paint: plain,
    ...more,
  };
  const options = { version: "0.1.0", called: "farrier", kinds: createKinds() };
  const code = await runCommandLine(line.split(" "), options, ports);
  return { code, out: out.join(""), err: err.join("\n") };
}

/** A node that is ready. */
export function stageNode(name: string, { kernel = "6.1.97", labels = {} }: NodeTraits = {}): JsonObject {
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name, uid: `u-${name}`, labels } },
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: {
        ...{ kernelVersion: kernel, osImage: "Debian GNU/Linux 12 (bookworm)", architecture: "amd64" },
        ...{ operatingSystem: "linux", containerRuntimeVersion: "containerd://2.0.0", bootID: `boot-${name}` },
      },
    },
  };
}

type NodeTraits = { readonly kernel?: string; readonly labels?: JsonObject };

/** A pod on a node that a controller keeps. */
export function stagePod(node: string, ownerUid: string, { isReady = true }: { readonly isReady?: boolean } = {}) {
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: `p-${node}`, namespace: "storage", uid: `p-${node}`, labels: { app: "agent" } },
      ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: ownerUid, controller: true }],
    },
    spec: { nodeName: node, containers: [{ name: "main", image: "agent:1" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  };
}

/** An advanced DaemonSet as it is stored. */
export function stageSet({
  spec = {},
  status = {},
}: {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
} = {}) {
  const labels = { app: "agent" };
  return {
    ...{ apiVersion: "apps.kruise.io/v1beta1", kind: "DaemonSet" },
    metadata: { name: "agent", namespace: "storage", uid: "u-agent", generation: 2 },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "agent:1" }] } },
      patches: [
        {
          selector: { matchLabels: { disk: "large" } },
          patch: { spec: { containers: [{ name: "main", env: [{ name: "CACHE", value: "2Ti" }] }] } },
        },
      ],
      ...spec,
    },
    status,
  };
}

export type StageWrite = { readonly path: string; readonly body: unknown };

/** A cluster that answers by path, an object where there is one and a list otherwise, and keeps what it is asked to write. */
export function stageCluster(
  objects: readonly JsonObject[],
  answers: Readonly<Record<string, (body: unknown) => JsonObject>> = {},
): { readonly connect: CliPorts["connect"]; readonly writes: readonly StageWrite[] } {
  const writes: StageWrite[] = [];
  const transport: Transport = {
    stream: () => Promise.reject(new Error("nothing is watched on a stage")),
    request: async ({ method, path, body }) => {
      const [plainPath = ""] = path.split("?");
      const sent: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
      const answer = answers[plainPath]?.(sent);
      if (answer !== undefined) return answerOf(200, answer);
      if (method !== "GET") writes.push({ path, body: sent });
      return answerAt(plainPath, objects);
    },
  };
  const clock: Clock = { monotonicMs: () => 0, wallMs: () => STAGE_MS, after: () => () => undefined };
  const client = createClient({ transport, clock, rand: { next: () => 0 }, fieldManager: "stage" });
  const connected = { client, origin: "stage", server: "https://stage", namespace: "default", close: () => undefined };
  return { connect: async () => connected, writes };
}

function answerAt(path: string, objects: readonly JsonObject[]): HttpAnswer {
  const [, , group, version] = /^\/(api|apis\/([^/]+))\/([^/]+)\//.exec(path) ?? [];
  const apiVersion = group === undefined ? `${version}` : `${group}/${version}`;
  const of = objects.filter((object) => object.apiVersion === apiVersion);
  const named = of.find((object) => {
    const { namespace, name } = objectIdentity(object);
    const plural = `${String(object.kind).toLowerCase()}s`;
    return path.endsWith(namespace === "" ? `/${plural}/${name}` : `/namespaces/${namespace}/${plural}/${name}`);
  });
  if (named !== undefined) return answerOf(200, withVersion(named));
  const items = of.filter((object) => path.endsWith(`/${String(object.kind).toLowerCase()}s`)).map(withVersion);
  if (/\/(v[^/]*)\/[^/]+$/.test(path)) return answerOf(200, { metadata: { resourceVersion: "1" }, items });
  return answerOf(404, {
    kind: "Status",
    status: "Failure",
    code: 404,
    reason: "NotFound",
    message: `${path} is not here`,
  });
}

function withVersion(object: JsonObject): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { uid: `u-${objectIdentity(object).name}`, resourceVersion: "1", ...metadata } };
}

function answerOf(status: number, body: JsonObject): HttpAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: new TextEncoder().encode(JSON.stringify(body)) };
}
