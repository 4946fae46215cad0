import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Files, play, stageNode, stagePod, stageSet } from "./testing/cli-stage.ts";

const large = { labels: { disk: "large" } };
const files: Files = {
  "all.yaml": [stageNode("edge-1", large), stageNode("edge-2"), stageSet(), stagePod("edge-1", "u-agent")],
  "new.yaml": [
    {
      ...stageSet({
        spec: {
          template: {
            metadata: { labels: { app: "agent" } },
            spec: { containers: [{ name: "main", image: "agent:2" }] },
          },
        },
      }),
      metadata: { name: "agent", namespace: "storage" },
    },
  ],
};

describe("render", () => {
  test("prints the pod that a node would get, and nothing that a server adds", async () => {
    const { code, out, err } = await play("render edge-1 --of daemonset/storage/agent --from all.yaml", files);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatchInlineSnapshot(`
      "apiVersion: v1
      kind: Pod
      metadata:
        name: agent-lcwwn8fhhwdhcsrxrqs97cgc
        namespace: storage
        labels:
          app: agent
          controller-revision-hash: 5b898dd647
          daemonset.kruise.io/patch-combined-hash: w9t5b7sm2rpb5xzm8mgcwcqq
        annotations:
          daemonset.kruise.io/applied-patches: "0"
      spec:
        containers:
          - name: main
            image: agent:1
            env:
              - name: CACHE
                value: 2Ti
        tolerations:
          - key: node.kubernetes.io/not-ready
            operator: Exists
            effect: NoExecute
          - key: node.kubernetes.io/unreachable
            operator: Exists
            effect: NoExecute
          - key: node.kubernetes.io/disk-pressure
            operator: Exists
            effect: NoSchedule
          - key: node.kubernetes.io/memory-pressure
            operator: Exists
            effect: NoSchedule
          - key: node.kubernetes.io/pid-pressure
            operator: Exists
            effect: NoSchedule
          - key: node.kubernetes.io/unschedulable
            operator: Exists
            effect: NoSchedule
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
                - matchFields:
                    - key: metadata.name
                      operator: In
                      values:
                        - edge-1
        nodeName: edge-1
      "
    `);
  });

  test("prints what would be made today, also where the update is paused and an older pod stays", async () => {
    const paused = stageSet({ spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { paused: true } } } });
    const all = [stageNode("edge-1", large), paused, stagePod("edge-1", "u-agent")];
    const { out } = await play("render edge-1 --of agent --from paused.yaml", { "paused.yaml": all });
    expect(parse(out)).toMatchObject({
      spec: { containers: [{ name: "main", env: [{ name: "CACHE", value: "2Ti" }] }] },
    });
  });

  test("reads the object from a file", async () => {
    const { out } = await play("render edge-2 -f new.yaml --from all.yaml", files);
    expect(parse(out).spec.containers).toEqual([{ name: "main", image: "agent:2" }]);
  });

  test("prints JSON with the version of its format", async () => {
    const { out } = await play("render edge-2 --of agent --from all.yaml -o json", files);
    expect(JSON.parse(out)).toMatchObject({
      ...{ formatVersion: "1.0", kind: "Rendering", node: "edge-2", object: "daemonset/storage/agent" },
      pods: [{ spec: { containers: [{ image: "agent:1" }] } }],
    });
  });

  test.each([
    ["a node that is not there", "render edge-9 --of agent", 'node "edge-9" is not in all.yaml'],
    ["an object that is not there", "render edge-1 --of module/agent", "there is daemonset/storage/agent"],
    [
      "a node that gets nothing",
      "render edge-1 -f picky.yaml",
      'node "edge-1" gets no pod of daemonset/storage/agent; AffinityMismatch',
    ],
    ["an object that would be refused", "render edge-1 -f bad.yaml", "spec.minReadySeconds"],
  ])("%s is told on standard error, with exit code 2", async (_, line, message) => {
    const spec = { containers: [{ name: "main", image: "agent:1" }], nodeSelector: { disk: "small" } };
    const template = { metadata: { labels: { app: "agent" } }, spec };
    const { code, out, err } = await play(`${line} --from all.yaml`, {
      ...{ ...files, "picky.yaml": [stageSet({ spec: { template } })] },
      "bad.yaml": [stageSet({ spec: { minReadySeconds: -1 } })],
    });
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(message)]);
  });

  test("helps, with examples", async () => {
    expect((await play("render --help")).out).toContain("Examples:\n  farrier render");
  });
});
