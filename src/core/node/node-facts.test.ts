import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUnknown } from "../decision/fact.ts";
import { createFactsParser, parseNodeFacts } from "./node-facts.ts";

const worker = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "w-17",
    uid: "0b7c1c5e-6d0c-4b0e-9d55-3a0d6b1f0c11",
    labels: { "kubernetes.io/os": "linux", pool: "gpu" },
  },
  spec: { taints: [{ key: "gpu", value: "true", effect: "NoSchedule" }], unschedulable: true },
  status: {
    conditions: [
      { type: "MemoryPressure", status: "False" },
      { type: "Ready", status: "True" },
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: "2f9e7c7b-7f9e-4f2c-9d4e-6b8f0d1c2a3b",
      containerRuntimeVersion: "containerd://1.7.13",
      kernelVersion: "5.14.0-427.13.1.el9_4.x86_64",
      operatingSystem: "linux",
      osImage: "Red Hat Enterprise Linux 9.4 (Plow)",
    },
  },
};

/** The worker with another `status.nodeInfo`, and nothing else changed. */
function workerWith(nodeInfo: unknown): unknown {
  return { ...worker, status: { ...worker.status, nodeInfo } };
}

describe("parseNodeFacts()", () => {
  test("reads every fact of a whole node", () => {
    expect(parseNodeFacts(worker)).toEqual({
      name: "w-17",
      uid: "0b7c1c5e-6d0c-4b0e-9d55-3a0d6b1f0c11",
      labels: { "kubernetes.io/os": "linux", pool: "gpu" },
      taints: [{ key: "gpu", value: "true", effect: "NoSchedule" }],
      isUnschedulable: true,
      isLeaving: false,
      ready: true,
      kernel: {
        raw: "5.14.0-427.13.1.el9_4.x86_64",
        version: "5.14.0",
        parts: [5, 14, 0],
        abi: "427.13.1",
        flavour: undefined,
        distro: "el9_4",
        arch: "x86_64",
        candidate: undefined,
      },
      os: {
        raw: "Red Hat Enterprise Linux 9.4 (Plow)",
        id: "rhel",
        version: { text: "9.4", parts: [9, 4] },
        openshift: undefined,
      },
      runtime: { name: "containerd", version: "1.7.13" },
      architecture: "amd64",
      operatingSystem: "linux",
      bootId: "2f9e7c7b-7f9e-4f2c-9d4e-6b8f0d1c2a3b",
    });
  });

  test("shares the labels with the input instead of copying them", () => {
    expect(parseNodeFacts(worker).labels).toBe(worker.metadata.labels);
  });

  test("says what a node that has not reported yet is missing", () => {
    const facts = parseNodeFacts({ metadata: { name: "new" } });
    expect(facts).toMatchObject({
      name: "new",
      uid: "",
      labels: {},
      taints: [],
      isUnschedulable: false,
      ready: { unknown: "the node has no Ready condition" },
      kernel: { unknown: "the node reports no kernel release", raw: "" },
      os: { unknown: "the node reports no OS image" },
      runtime: { unknown: "the node reports no container runtime" },
      architecture: { unknown: "status.nodeInfo.architecture is missing" },
      operatingSystem: { unknown: "status.nodeInfo.operatingSystem is missing" },
      bootId: { unknown: "status.nodeInfo.bootID is missing" },
    });
  });

  test.each([
    ["True", true],
    ["False", false],
  ])("reads readiness from the first Ready condition: %s", (status, ready) => {
    const conditions = [
      { type: "Ready", status },
      { type: "Ready", status: "Unknown" },
    ];
    expect(parseNodeFacts({ status: { conditions } }).ready).toBe(ready);
  });

  test("does not call a node unready when its kubelet fell silent", () => {
    const facts = parseNodeFacts({ status: { conditions: [{ type: "Ready", status: "Unknown" }] } });
    expect(facts.ready).toMatchObject({ unknown: expect.stringContaining("stopped reporting") });
  });

  test("sees that a node is being deleted", () => {
    expect(parseNodeFacts({ metadata: { deletionTimestamp: "2026-11-15T00:00:00Z" } }).isLeaving).toBe(true);
  });
});

describe("parseNodeFacts() on bad input", () => {
  test.each([
    null,
    undefined,
    7,
    "node",
    [],
    [[]],
    { metadata: [], spec: 3, status: "up" },
    { status: { nodeInfo: [] } },
  ])("makes an all-unknown node of %j", (node) => {
    const facts = parseNodeFacts(node);
    expect([facts.name, facts.uid, facts.labels, facts.taints]).toEqual(["", "", {}, []]);
    const reported = [facts.ready, facts.kernel, facts.os, facts.runtime, facts.architecture, facts.bootId];
    expect(reported.every(isUnknown)).toBe(true);
  });

  test.each(["architecture", "operatingSystem", "bootID"])("says that %s is not a text", (field) => {
    const { architecture, operatingSystem, bootId } = parseNodeFacts(workerWith({ [field]: { toString: "amd64" } }));
    expect([architecture, operatingSystem, bootId]).toContainEqual({
      unknown: `status.nodeInfo.${field} is not a text`,
      raw: "",
    });
  });

  test("says that kernel, OS and runtime are not texts, and takes null for none", () => {
    const facts = parseNodeFacts(
      workerWith({ kernelVersion: 5.14, osImage: ["Ubuntu"], containerRuntimeVersion: null }),
    );
    expect([facts.kernel, facts.os, facts.runtime]).toEqual([
      { unknown: "status.nodeInfo.kernelVersion is not a text", raw: "" },
      { unknown: "status.nodeInfo.osImage is not a text", raw: "" },
      { unknown: "the node reports no container runtime", raw: "" },
    ]);
  });

  test.each(["containerd", "://1.7", ""])("does not guess a runtime from %j", (containerRuntimeVersion) => {
    expect(isUnknown(parseNodeFacts(workerWith({ containerRuntimeVersion })).runtime)).toBe(true);
  });

  test("leaves out labels that are no texts and keeps the others, whatever their keys are", () => {
    const node: unknown = JSON.parse(
      '{"metadata":{"labels":{"a":"1","b":2,"c":null,"__proto__":"x","constructor":"y","toString":"z"}}}',
    );
    const { labels } = parseNodeFacts(node);
    expect(Object.entries(labels)).toEqual([
      ["a", "1"],
      ["__proto__", "x"],
      ["constructor", "y"],
      ["toString", "z"],
    ]);
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
  });

  test("keeps odd but legal names and label keys as they are", () => {
    const node: unknown = JSON.parse(
      '{"metadata":{"name":"constructor","uid":"__proto__","labels":{"__proto__":"x"}}}',
    );
    const facts = parseNodeFacts(node);
    expect([facts.name, facts.uid, Object.entries(facts.labels)]).toEqual([
      "constructor",
      "__proto__",
      [["__proto__", "x"]],
    ]);
  });

  test("survives texts of a megabyte in every field", () => {
    const long = "5.4.0-".padEnd(1 << 20, "\ud800");
    const facts = parseNodeFacts({
      metadata: { name: long, uid: long, labels: { [long]: long } },
      status: { nodeInfo: { kernelVersion: long, osImage: long, containerRuntimeVersion: long, bootID: long } },
    });
    expect([facts.kernel, facts.os, facts.runtime].every(isUnknown)).toBe(true);
    expect(facts.bootId).toBe(long);
  });

  test("never throws, whatever the JSON", () => {
    const anyFields = (...names: string[]) =>
      fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), fc.jsonValue()));
    const node = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          metadata: anyFields("name", "uid", "labels", "deletionTimestamp", "__proto__"),
          spec: anyFields("taints", "unschedulable"),
          status: fc.record({
            conditions: fc.oneof(fc.jsonValue(), fc.array(anyFields("type", "status"))),
            nodeInfo: anyFields("kernelVersion", "osImage", "containerRuntimeVersion", "architecture", "bootID"),
          }),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(node, (value) => {
        const facts = parseNodeFacts(value);
        expect(Object.values(facts.labels).every((label) => typeof label === "string")).toBe(true);
        expect(facts.kernel.raw).toBeTypeOf("string");
      }),
    );
  });
});

describe("createFactsParser()", () => {
  test("gives the same facts as parseNodeFacts(), and one value for equal texts", () => {
    const parse = createFactsParser();
    const [first, second] = [parse(worker), parse(structuredClone(worker))];
    expect(first).toEqual(parseNodeFacts(worker));
    expect(second.kernel).toBe(first.kernel);
    expect(second.os).toBe(first.os);
    expect(second.runtime).toBe(first.runtime);
  });

  test("answers rightly after it has seen more kernels than it remembers", () => {
    const parse = createFactsParser();
    for (let build = 0; build < 10_000; build += 1) parse(workerWith({ kernelVersion: `5.4.0-${build}-generic` }));
    expect(parse(workerWith({ kernelVersion: "5.4.0-1-generic" })).kernel).toMatchObject({ abi: "1" });
  });
});
