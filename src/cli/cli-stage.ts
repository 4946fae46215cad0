// A stage for tests of commands: files, the terminal and a cluster as values.
import { stringify } from "yaml";
import type { JsonObject } from "../core/json.ts";
import { createKinds } from "../kinds/all-kinds.ts";
import type { CliPorts } from "./cli-ports.ts";
import type { Exit } from "./command-error.ts";
import { plain } from "./print.ts";
import { runCommandLine } from "./program.ts";

/** 2026-01-01T00:00:00Z */
export const STAGE_MS = 1_767_225_600_000;

export type Files = Readonly<Record<string, string | readonly JsonObject[]>>;

export type Played = { readonly code: Exit; readonly out: string; readonly err: string };

/** Runs a command line, words parted by blanks, over files and ports of the test's own. */
export async function play(line: string, files: Files = {}, more: Partial<CliPorts> = {}): Promise<Played> {
  const out: string[] = [];
  const err: string[] = [];
  const text = (content: Files[string]) =>
    typeof content === "string" ? content : content.map((each) => stringify(each)).join("---\n");
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
