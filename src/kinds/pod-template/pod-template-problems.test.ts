import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { strategicMerge } from "../../core/strategic-merge/strategic-merge.ts";
import { podTemplateProblems } from "./pod-template-problems.ts";
import { shapedParts } from "./pod-template-shapes.ts";
import { soundParts } from "./sound-parts.ts";

const template: JsonObject = {
  metadata: { labels: { app: "agent" }, annotations: { note: "one" } },
  spec: {
    nodeSelector: { disk: "fast" },
    tolerations: [{ operator: "Exists" }],
    containers: [
      {
        ...{ name: "agent", image: "registry.example/agent:1", env: [{ name: "A", value: "1" }] },
        ...{ resources: { requests: { cpu: "1" }, limits: { cpu: "2" } }, livenessProbe: { periodSeconds: 10 } },
        volumeMounts: [{ name: "state", mountPath: "/state" }],
      },
      { name: "helper", image: "registry.example/helper:1" },
    ],
    volumes: [{ name: "state", emptyDir: {} }],
  },
};

const agent = (fields: JsonObject): JsonObject => ({ spec: { containers: [{ name: "agent", ...fields }] } });

describe("checking only what is not known to be sound", () => {
  test.each<[string, JsonObject, number]>([
    ["nothing", {}, 0],
    ["a good variable", agent({ env: [{ name: "B", value: "2" }] }), 0],
    ["a variable without a name", agent({ env: [{ $patch: "replace" }, { name: "", value: "2" }] }), 1],
    ["a variable whose value is a number", agent({ env: [{ name: "A", value: 5 }] }), 1],
    ["a variable that no process can have", agent({ env: [{ name: "A=B", value: "5" }] }), 1],
    ["a flag in words", { spec: { hostNetwork: "yes", hostPID: null } }, 1],
    ["a flag in quotes", { spec: { enableServiceLinks: "false", shareProcessNamespace: null } }, 1],
    ["a flag of a container in quotes", agent({ securityContext: { privileged: "true" }, tty: 1 }), 2],
    ["a text that is a number", { spec: { serviceAccountName: 5, hostname: "5" } }, 1],
    ["a number that is a text", { spec: { priority: "5", securityContext: { runAsUser: "0", fsGroup: 2000 } } }, 2],
    ["a mount that is read-only in quotes", agent({ volumeMounts: [{ mountPath: "/state", readOnly: "true" }] }), 1],
    ["an argument that is a number", agent({ args: [5] }), 1],
    ["a port that there is not", agent({ ports: [{ containerPort: 99_999 }] }), 1],
    ["an image that is none", agent({ image: "NO IMAGE" }), 1],
    ["a request above its limit", agent({ resources: { requests: { cpu: "4" } } }), 1],
    ["a probe that counts backwards", agent({ livenessProbe: { periodSeconds: -1 } }), 1],
    ["a label that is none", { metadata: { labels: { app: "a b" } } }, 1],
    ["an annotation that is no text", { metadata: { annotations: { note: 1 } } }, 1],
    ["a node label that is none", { spec: { nodeSelector: { disk: "a b" } } }, 1],
    ["a bad toleration", { spec: { tolerations: [{ operator: "Perhaps" }] } }, 2],
    ["no more volumes for a mount that stayed", { spec: { volumes: [{ name: "state", $patch: "delete" }] } }, 1],
    ["a second source for a volume", { spec: { volumes: [{ name: "state", hostPath: { path: "/state" } }] } }, 1],
    [
      "another source for a volume",
      { spec: { volumes: [{ name: "state", $retainKeys: ["name", "hostPath"], hostPath: { path: "/state" } }] } },
      0,
    ],
    ["a volume whose source is left to the server", { spec: { volumes: [{ name: "new" }] } }, 0],
    ["a mount nowhere", { spec: { containers: [{ name: "helper", volumeMounts: [{ name: "state" }] }] } }, 1],
    ["variables by name", agent({ env: { A: "1" } }), 1],
    ["a list of what is one", { spec: { securityContext: [] } }, 1],
    ["a text in a list of objects", { spec: { imagePullSecrets: ["mine"] } }, 1],
    ["a list for a text", agent({ workingDir: ["/"] }), 1],
    ["an object for numbers", { spec: { securityContext: { supplementalGroups: { a: 1 } } } }, 1],
    ["an object for arguments", agent({ args: { a: "b" } }), 1],
    ["an object for an amount", { spec: { volumes: [{ name: "state", emptyDir: { sizeLimit: {} } }] } }, 1],
    ["a container twice", { spec: { initContainers: [{ name: "agent", image: "registry.example/agent:1" }] } }, 1],
  ])("finds the same after a patch with %s", (_name, patch, count) => {
    const patched = strategicMerge(template, patch);
    const problems = podTemplateProblems(patched, "", soundParts(template));
    expect(problems).toEqual(podTemplateProblems(patched, ""));
    expect(problems).toHaveLength(count);
    // As a renderer knows it: what a patch brings as it is has been looked at, too, if all its shapes were right.
    expect(podTemplateProblems(patched, "", soundParts(template, [shapedParts(patch)]))).toEqual(problems);
  });

  test("believes in what it is told", () => {
    const bad = { metadata: { labels: { app: "a b" } }, spec: { containers: [{ name: "a", image: "NO IMAGE" }] } };
    expect(podTemplateProblems(bad, "")).toHaveLength(2);
    expect(podTemplateProblems(bad, "", soundParts(bad))).toEqual([]);
  });

  test("looks at what a directive brings to a place where it matters, also if it did not where it stood", () => {
    const first = { spec: { initContainers: [{ name: "i", image: "registry.example/i:1" }] } };
    const brought = { name: "j", image: "registry.example/i:1", workingDir: ["/"], tty: "yes" };
    const second = { spec: { "$deleteFromPrimitiveList/initContainers": [brought] } };
    const patched = strategicMerge(strategicMerge(template, first), second);
    const problems = podTemplateProblems(patched, "", soundParts(template, [first, second].map(shapedParts)));
    expect(problems.map(({ path }) => path)).toEqual([
      ".spec.initContainers[0].workingDir",
      ".spec.initContainers[0].tty",
    ]);
    expect(problems).toEqual(podTemplateProblems(patched, ""));
  });

  test("looks again at what comes in another place than that in which it was looked at", () => {
    // A container has no path, and a path is no list.
    const part = { name: "agent", image: "registry.example/agent:1", path: ["/"] };
    const moved = { spec: { containers: [part], volumes: [{ name: "v", hostPath: part }] } };
    const known = soundParts({}, [shapedParts({ spec: { containers: [part] } })]);
    const paths = podTemplateProblems(moved, "", known).map(({ path }) => path);
    expect(paths).toEqual([".spec.volumes[0].hostPath.path"]);
  });
});
