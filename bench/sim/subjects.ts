// The objects whose writes are measured: a daemon's pod, a node, and a custom resource with defaults, list maps and a rule. Each
// comes as a client sends it, without what a server adds.
import type { Json, JsonObject } from "../../src/core/json/json.ts";
import { aNode } from "../client/node-object.ts";
import { aPod } from "../client/pod-object.ts";

export type Subject = {
  readonly name: string;
  /** Where objects of this kind are created. */
  readonly collection: string;
  readonly object: (index: number) => JsonObject;
  /** What its controller applies again and again: a few labels and a part of the content. */
  readonly applied: (index: number, mark: string) => JsonObject;
};

export const NAMESPACE = "drivers";
const GROUP = "bench.example.dev";
const KERNELS = 12;

/** Makes an object one of a client: identity, version and owners are the server's to add. */
function asSent(object: JsonObject): JsonObject {
  const { uid: _uid, resourceVersion: _version, managedFields: _owners, ...metadata } = Object(object.metadata);
  return { ...object, metadata };
}

export const pod: Subject = {
  name: "a 3 KB pod",
  collection: `/api/v1/namespaces/${NAMESPACE}/pods`,
  object: (index) => asSent(aPod(index, { resourceVersion: 1, isReady: true })),
  applied: (_index, mark) => ({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { labels: { "bench.example.dev/mark": mark }, annotations: { "bench.example.dev/by": "bench" } },
    spec: { containers: [{ name: "driver", image: `registry.example.com/drivers/driver:${mark}` }] },
  }),
};

export const node: Subject = {
  name: "a 6 KB node",
  collection: "/api/v1/nodes",
  // A kubelet knows no addresses of pods; a controller adds them later.
  object: (index) => ({ ...asSent(aNode(index)), spec: {} }),
  applied: (_index, mark) => ({
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: { labels: { "bench.example.dev/mark": mark, "bench.example.dev/driver": "ready" } },
  }),
};

const text = { type: "string" };
const specSchema = {
  type: "object",
  required: ["selector"],
  properties: {
    selector: { type: "object", additionalProperties: text },
    paused: { type: "boolean", default: false },
    mappings: {
      ...{ type: "array", maxItems: 64, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      items: {
        type: "object",
        required: ["name"],
        properties: {
          ...{
            name: { ...text, maxLength: 64 },
            literal: { ...text, maxLength: 128 },
            regexp: { ...text, maxLength: 128 },
          },
          containerImage: text,
          pullPolicy: { ...text, default: "IfNotPresent", enum: ["Always", "IfNotPresent", "Never"] },
          arguments: { type: "array", items: text },
        },
        "x-kubernetes-validations": [
          { rule: "has(self.literal) != has(self.regexp)", message: "exactly one of literal and regexp" },
        ],
      },
    },
  },
};

/** The definition behind the custom subject. */
export const driverDefinition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `drivers.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { kind: "Driver", listKind: "DriverList", plural: "drivers", singular: "driver" },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true, subresources: { status: {} } },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: specSchema,
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

const driver: Subject = {
  name: "a 3 KB custom resource",
  collection: `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/drivers`,
  object: (index) => ({
    ...{ apiVersion: `${GROUP}/v1`, kind: "Driver" },
    metadata: { name: `driver-${index}`, labels: { app: `driver-${index % 20}`, tier: "storage" } },
    spec: {
      selector: { "kubernetes.io/os": "linux", "node.example.com/pool": "storage" },
      mappings: Array.from({ length: KERNELS }, (_, at) => mappingOf(index, at)),
    },
  }),
  applied: (index, mark) => ({
    ...{ apiVersion: `${GROUP}/v1`, kind: "Driver" },
    metadata: { labels: { "bench.example.dev/mark": mark } },
    spec: { mappings: [{ ...Object(mappingOf(index, 0)), containerImage: `registry.example.com/driver:${mark}` }] },
  }),
};

function mappingOf(index: number, at: number): Json {
  const kernel = `5.${10 + at}.0-${index % 400}.el9.x86_64`;
  return {
    ...(at % 3 === 0 ? { name: `m-${at}`, regexp: `^5\\.${10 + at}\\.` } : { name: `m-${at}`, literal: kernel }),
    containerImage: `registry.example.com/drivers/driver-${index % 20}:${kernel}`,
    arguments: ["--log=info", `--kernel=${kernel}`],
  };
}

export const subjects: readonly Subject[] = [pod, node, driver];
