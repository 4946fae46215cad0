// Valid defaults for tests of the Module kind: a node, a Module of either spelling, and the parsed form of both.
import type { JsonObject } from "../../../core/json/json.ts";
import { type NodeFacts, parseNodeFacts } from "../../../core/node/node-facts.ts";
import { parseModule } from "../api/parse.ts";
import type { Module } from "../api/spec.ts";
import { aModule, shortModule } from "./cases.ts";

export const WORKER = "node-role.kubernetes.io/worker";
export const EL9 = "5.14.0-427.13.1.el9_4.x86_64";
export const EL8 = "4.18.0-513.5.1.el8_9.x86_64";
export const UBUNTU = "6.8.0-45-generic";

export type NodeWishes = {
  readonly name?: string;
  readonly kernel?: string | null;
  readonly arch?: string | null;
  readonly osImage?: string;
  readonly labels?: JsonObject;
  readonly taints?: readonly JsonObject[];
  readonly ready?: "True" | "False" | "Unknown";
  readonly isLeaving?: boolean;
};

/** A Node object of a worker that is Ready. */
export function aNodeObject(wishes: NodeWishes = {}): JsonObject {
  const { name = "w-1", kernel = EL9, arch = "amd64", osImage = "Red Hat Enterprise Linux 9.4 (Plow)" } = wishes;
  const { labels = {}, taints = [], ready = "True", isLeaving = false } = wishes;
  return {
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: {
      ...{ name, uid: `uid-${name}`, labels: { [WORKER]: "", ...labels } },
      ...(isLeaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { taints: [...taints] },
    status: {
      conditions: [{ type: "Ready", status: ready }],
      nodeInfo: { kernelVersion: kernel, architecture: arch, osImage, bootID: "b" },
    },
  };
}

/** The facts of such a node. */
export function aNode(wishes: NodeWishes = {}): NodeFacts {
  return parseNodeFacts(aNodeObject(wishes));
}

/** A Module in KMM's spelling; `more` goes into its container. */
export function loaderModule(more: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const modprobe = { moduleName: "my_kmod" };
  const kernelMappings = [{ regexp: "^.+$", containerImage: `registry.example.com/kmod:\${KERNEL_FULL_VERSION}` }];
  return aModule({ moduleLoader: { container: { modprobe, kernelMappings, ...more } }, ...spec });
}

/** A Module in the short spelling with these mappings. */
export function mappedModule(kernelMappings: readonly JsonObject[], spec: JsonObject = {}): JsonObject {
  return shortModule({ kernelMappings: [...kernelMappings], ...spec });
}

/** The parsed form; throws with the problems where there is none. */
export function parsedModule(object: JsonObject): Module {
  const answer = parseModule(object);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value;
}

/** A Module as it is stored. */
export const OWNER = Object.freeze({ namespace: "default", name: "my-kmod", uid: "uid-of-my-kmod" });
