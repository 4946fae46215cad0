// The DaemonSets of a Module: KMM's loader, the author's own container, and the device plugin.
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { compileDaemonEligibility, matchDaemonEligibility } from "../../core/scheduling/daemon-eligibility.ts";
import { podTemplateProblems } from "../pod-template/pod-template-problems.ts";
import { renderDriver, renderPlugin } from "./render.ts";
import { type Fit, podTolerations, resolveNode } from "./resolve.ts";
import { aModule } from "./testing/cases.ts";
import { aNode, EL9, loaderModule, mappedModule, OWNER, parsedModule } from "./testing/module-builders.ts";

const IMAGE = `registry.example.com/kmod:${EL9}`;

function fitOf(object: JsonObject, node = aNode()): Fit {
  const module = parsedModule(object);
  const { gets } = resolveNode(module, podTolerations(module), node);
  if (gets.kind !== "fit") throw new Error(`the node gets ${gets.kind}`);
  return gets.fit;
}

function driverOf(object: JsonObject, node = aNode()): JsonObject {
  const module = parsedModule(object);
  if (module.driver === undefined) throw new Error("the Module has no driver");
  return renderDriver(module, module.driver, OWNER, fitOf(object, node));
}

function pluginOf(object: JsonObject): JsonObject {
  const module = parsedModule(object);
  if (module.devicePlugin === undefined) throw new Error("the Module has no device plugin");
  return renderPlugin(module, module.devicePlugin, OWNER);
}

/** The value at a path of keys and indexes. */
function at(value: Json, ...path: readonly (string | number)[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)];
    else here = isJsonObject(here) ? here[step] : undefined;
  }
  return here;
}

const pod = (daemonSet: JsonObject, ...path: readonly (string | number)[]) =>
  at(daemonSet, "spec", "template", "spec", ...path);

function templateOf(daemonSet: JsonObject): JsonObject {
  const template = at(daemonSet, "spec", "template");
  if (!isJsonObject(template)) throw new Error("the DaemonSet has no template");
  return template;
}

describe("the loader that KMM's spelling asks for", () => {
  test("is KMM's, with our placement and strategy", () => {
    expect(driverOf(loaderModule())).toEqual({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: {
        name: expect.stringMatching(/^my-kmod-[a-z0-9]{24}$/),
        namespace: "default",
        labels: {
          "kmm.node.kubernetes.io/module.name": "my-kmod",
          "kmm.node.kubernetes.io/kernel-version.full": EL9,
          "kmm.node.kubernetes.io/role": "module-loader",
          "module.farrier.dev/fit": EL9,
        },
        annotations: { "module.farrier.dev/kernel": EL9 },
        ownerReferences: [
          {
            ...{ apiVersion: "kmm.sigs.x-k8s.io/v1beta1", kind: "Module", name: "my-kmod", uid: OWNER.uid },
            ...{ controller: true, blockOwnerDeletion: true },
          },
        ],
      },
      spec: {
        selector: { matchLabels: { "kmm.node.kubernetes.io/module.name": "my-kmod", "module.farrier.dev/fit": EL9 } },
        updateStrategy: { type: "OnDelete" },
        revisionHistoryLimit: 4,
        template: {
          metadata: {
            labels: {
              "kmm.node.kubernetes.io/module.name": "my-kmod",
              "kmm.node.kubernetes.io/kernel-version.full": EL9,
              "kmm.node.kubernetes.io/role": "module-loader",
              "module.farrier.dev/fit": EL9,
            },
          },
          spec: {
            nodeSelector: { "module.farrier.dev/default.my-kmod": EL9 },
            priorityClassName: "system-node-critical",
            shareProcessNamespace: true,
            automountServiceAccountToken: false,
            containers: [
              {
                name: "module-loader",
                image: IMAGE,
                command: ["sleep", "infinity"],
                lifecycle: {
                  postStart: { exec: { command: ["/bin/sh", "-c", "modprobe -v -d /opt my_kmod"] } },
                  preStop: { exec: { command: ["/bin/sh", "-c", "modprobe -rv -d /opt my_kmod"] } },
                },
                securityContext: {
                  ...{ allowPrivilegeEscalation: false, runAsUser: 0 },
                  ...{ capabilities: { add: ["SYS_MODULE"] }, seLinuxOptions: { type: "spc_t" } },
                },
                volumeMounts: [{ name: "node-lib-modules", mountPath: `/lib/modules/${EL9}`, readOnly: true }],
              },
            ],
            volumes: [{ name: "node-lib-modules", hostPath: { path: `/lib/modules/${EL9}`, type: "Directory" } }],
          },
        },
      },
    });
  });

  test("has the pull secret, service account, tolerations and pull policy of the Module", () => {
    const tolerations = [{ key: "a", operator: "Exists" }];
    const object = loaderModule({ imagePullPolicy: "Always" }, { tolerations, imageRepoSecret: { name: "pull" } });
    const rendered = driverOf(object);
    expect(pod(rendered, "imagePullSecrets")).toEqual([{ name: "pull" }]);
    expect(pod(rendered, "tolerations")).toEqual(tolerations);
    expect(pod(rendered, "containers", 0, "imagePullPolicy")).toBe("Always");
  });

  test("has a volume for firmware, and one for the order of loading", () => {
    const modulesLoadingOrder = ["my_kmod", "b", "c"];
    const rendered = driverOf(
      loaderModule({ modprobe: { moduleName: "my_kmod", firmwarePath: "/fw", modulesLoadingOrder } }),
    );
    expect(at(rendered, "spec", "template", "metadata", "annotations")).toEqual({
      "kmm.node.kubernetes.io/modules-order": "softdep my_kmod pre: b\nsoftdep b pre: c\n",
    });
    expect(pod(rendered, "volumes")).toMatchObject([
      { name: "node-lib-modules" },
      { name: "node-var-lib-firmware", hostPath: { path: "/var/lib/firmware", type: "DirectoryOrCreate" } },
      { name: "modules-order", downwardAPI: { items: [{ path: "softdep.conf" }] } },
    ]);
    expect(pod(rendered, "containers", 0, "volumeMounts", 2)).toMatchObject({
      mountPath: "/etc/modprobe.d/softdep.conf",
    });
  });

  test("leaves the driver in the kernel where unloadPolicy says so", () => {
    expect(pod(driverOf(loaderModule({}, { unloadPolicy: "Leave" })), "containers", 0, "lifecycle")).toEqual({
      postStart: expect.anything(),
    });
  });

  test("is a pod that Kubernetes takes", () => {
    const rendered = driverOf(loaderModule({ modprobe: { moduleName: "my_kmod", firmwarePath: "/fw" } }));
    expect(podTemplateProblems(templateOf(rendered), "template")).toEqual([]);
  });
});

describe("the author's own container", () => {
  const object = mappedModule([{ regexp: ".", containerImage: "registry.example.com/kmod:1" }], {
    driverContainer: { name: "driver", image: "ignored:1", args: ["load"], securityContext: { privileged: true } },
    additionalVolumes: [{ name: "m", hostPath: { path: "/lib/modules" } }],
  });

  test("is kept as it is, with the image of the mapping", () => {
    const rendered = driverOf(object);
    expect(pod(rendered, "containers")).toEqual([
      {
        ...{ name: "driver", image: "registry.example.com/kmod:1", args: ["load"] },
        securityContext: { privileged: true },
      },
    ]);
    expect(pod(rendered, "volumes")).toEqual([{ name: "m", hostPath: { path: "/lib/modules" } }]);
  });
});

describe("placement", () => {
  test("goes to nodes that are bound to it, and to no others", () => {
    const rendered = driverOf(loaderModule());
    const eligibility = compileDaemonEligibility(pod(rendered), { comparisonOperators: true });
    const runsOn = (labels: JsonObject) => matchDaemonEligibility(eligibility, aNode({ labels })).shouldRun;
    expect(runsOn({ "module.farrier.dev/default.my-kmod": EL9 })).toBe(true);
    expect(runsOn({ "module.farrier.dev/default.my-kmod": "6.8.0" })).toBe(false);
    expect(runsOn({ "kmm.node.kubernetes.io/kernel-version.full": EL9 })).toBe(false);
  });

  test("an edit of the selector changes no template, so no driver is loaded anew", () => {
    const narrowed = loaderModule({}, { nodeSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } });
    expect(driverOf(narrowed)).toEqual(driverOf(loaderModule()));
  });

  test("the name and the selector stay when image and commands change", () => {
    const other = driverOf(loaderModule({ modprobe: { moduleName: "other" }, containerImage: "x:1" }));
    const before = driverOf(loaderModule());
    expect(at(other, "metadata", "name")).toEqual(at(before, "metadata", "name"));
    expect(at(other, "spec", "selector")).toEqual(at(before, "spec", "selector"));
    expect(at(other, "spec", "template")).not.toEqual(at(before, "spec", "template"));
  });

  test("what exists keeps its name and the selector of its pods, whatever design made it", () => {
    const object = loaderModule();
    const module = parsedModule(object);
    const selector = { "oot.node.kubernetes.io/module.name": "my-kmod" };
    const { driver } = module;
    const rendered = driver && renderDriver(module, driver, OWNER, fitOf(object), { name: "my-kmod-x7k2p", selector });
    expect(rendered?.metadata.name).toBe("my-kmod-x7k2p");
    expect(at(rendered ?? {}, "spec", "selector", "matchLabels")).toEqual(selector);
    expect(at(rendered ?? {}, "spec", "template", "metadata", "labels")).toMatchObject(selector);
  });
});

describe("the device plugin", () => {
  const devicePlugin = {
    container: { image: "registry.example.com/plugin:1", volumeMounts: [{ name: "v", mountPath: "/v" }] },
    initContainer: { image: "registry.example.com/init:1" },
    ...{ serviceAccountName: "plugin", automountServiceAccountToken: false, volumes: [{ name: "v", emptyDir: {} }] },
  };

  test("runs where the driver is ready", () => {
    const rendered = pluginOf(loaderModule({}, { devicePlugin }));
    expect(pod(rendered)).toMatchObject({
      nodeSelector: { "kmm.node.kubernetes.io/default.my-kmod.ready": "" },
      ...{ serviceAccountName: "plugin", automountServiceAccountToken: false },
      initContainers: [{ name: "device-plugin-init", image: "registry.example.com/init:1" }],
      containers: [
        {
          ...{ name: "device-plugin", image: "registry.example.com/plugin:1", securityContext: { privileged: true } },
          volumeMounts: [{ name: "v", mountPath: "/v" }, { mountPath: "/var/lib/kubelet/device-plugins" }],
        },
      ],
    });
    expect(at(rendered, "spec", "updateStrategy")).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 1 },
    });
    expect(podTemplateProblems(templateOf(rendered), "template")).toEqual([]);
  });

  test("of a versioned Module waits for a driver of that version, and is another DaemonSet for each", () => {
    const one = pluginOf(loaderModule({ version: "1" }, { devicePlugin }));
    const two = pluginOf(loaderModule({ version: "2" }, { devicePlugin }));
    expect(pod(one, "nodeSelector")).toEqual({
      "kmm.node.kubernetes.io/default.my-kmod.ready": "",
      "kmm.node.kubernetes.io/default.my-kmod.version.ready": "1",
    });
    expect(at(one, "metadata", "name")).not.toEqual(at(two, "metadata", "name"));
    expect(at(one, "spec", "selector")).not.toEqual(at(two, "spec", "selector"));
  });

  test("without a driver goes to the nodes that the selector means", () => {
    const nodeSelector = { matchExpressions: [{ key: "gpu", operator: "Exists" }] };
    const rendered = pluginOf(aModule({ devicePlugin, nodeSelector }));
    const eligibility = compileDaemonEligibility(pod(rendered), { comparisonOperators: true });
    expect(matchDaemonEligibility(eligibility, aNode({ labels: { gpu: "a" } })).shouldRun).toBe(true);
    expect(matchDaemonEligibility(eligibility, aNode()).shouldRun).toBe(false);
  });

  test("stays as it is while updates are paused", () => {
    const rendered = pluginOf(loaderModule({}, { devicePlugin, updateStrategy: { paused: true } }));
    expect(at(rendered, "spec", "updateStrategy")).toEqual({ type: "OnDelete" });
  });
});
