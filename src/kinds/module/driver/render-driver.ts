// The pod of a driver: either the loader that Farrier writes around modprobe, as KMM's first version did, or the author's own
// container with the image of the mapping.
import type { JsonObject } from "../../../core/json/json.ts";
import type { Driver, Modprobe, Module } from "../api/spec.ts";
import { bindingLabel, MODULES_ORDER } from "../module-labels.ts";
import type { Fit } from "../resolve.ts";
import { FIRMWARE_DIR, loadCommand, softDependencies, unloadCommand } from "./modprobe-commands.ts";

export const LOADER_CONTAINER = "module-loader";
const ORDER_FILE = "/etc/modprobe.d/softdep.conf";
const ORDER_KEY = "softdep.conf";

type Part = { readonly mount: JsonObject; readonly volume: JsonObject };

/** Where, as whom and with which secrets every driver pod runs, whoever wrote its container. */
export function driverPodSpec(module: Module, driver: Driver, fit: Fit): JsonObject {
  const { imageSecret, writtenTolerations: tolerations } = module;
  const { serviceAccountName } = driver;
  return {
    // The binding is the whole placement: an edit of the selector then moves labels, and no driver is loaded anew for it.
    nodeSelector: { [bindingLabel(module)]: fit.key },
    ...(tolerations.length === 0 ? {} : { tolerations: [...tolerations] }),
    ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    ...(imageSecret === undefined ? {} : { imagePullSecrets: [{ name: imageSecret }] }),
    priorityClassName: "system-node-critical",
    ...containerSpec(module, driver, fit),
  };
}

/** The annotations that the pod's own volumes read. */
export function driverPodAnnotations({ container }: Driver): JsonObject {
  const order = container.by === "farrier" ? softDependencies(container.modprobe) : undefined;
  return order === undefined ? {} : { [MODULES_ORDER]: order };
}

function containerSpec(module: Module, driver: Driver, fit: Fit): JsonObject {
  const { container } = driver;
  switch (container.by) {
    case "author":
      return {
        containers: [{ ...container.container, image: fit.image }],
        ...(container.volumes.length === 0 ? {} : { volumes: [...container.volumes] }),
      };
    case "farrier":
      return loaderSpec(module, driver, container.modprobe, fit);
  }
}

function loaderSpec({ isUnloaded }: Module, { imagePullPolicy }: Driver, modprobe: Modprobe, fit: Fit): JsonObject {
  const { kernel, image, mapping } = fit;
  const parts = [modulesPart(kernel), ...firmwareParts(modprobe), ...orderParts(modprobe)];
  const load = shell(loadCommand(modprobe, mapping.inTreeModulesToRemove));
  return {
    // The loader sleeps as an ordinary process, not as the first one, so that it ends at once when it is told to.
    shareProcessNamespace: true,
    // It talks to the kernel, not to the API server.
    automountServiceAccountToken: false,
    containers: [
      {
        ...{ name: LOADER_CONTAINER, image, command: ["sleep", "infinity"] },
        ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
        lifecycle: { postStart: load, ...(isUnloaded ? { preStop: shell(unloadCommand(modprobe)) } : {}) },
        securityContext: {
          ...{ allowPrivilegeEscalation: false, runAsUser: 0 },
          ...{ capabilities: { add: ["SYS_MODULE"] }, seLinuxOptions: { type: "spc_t" } },
        },
        volumeMounts: parts.map(({ mount }) => mount),
      },
    ],
    volumes: parts.map(({ volume }) => volume),
  };
}

/** A kernel whose directory is not there is not the one that runs: the pod then waits instead of loading something else. */
function modulesPart(kernel: string): Part {
  const path = `/lib/modules/${kernel}`;
  return {
    mount: { name: "node-lib-modules", mountPath: path, readOnly: true },
    volume: { name: "node-lib-modules", hostPath: { path, type: "Directory" } },
  };
}

function firmwareParts({ firmwarePath }: Modprobe): readonly Part[] {
  if (firmwarePath === undefined) return [];
  const name = "node-var-lib-firmware";
  const hostPath = { path: FIRMWARE_DIR, type: "DirectoryOrCreate" };
  return [{ mount: { name, mountPath: FIRMWARE_DIR }, volume: { name, hostPath } }];
}

/** The order reaches modprobe as a file that holds an annotation of the pod. */
function orderParts(modprobe: Modprobe): readonly Part[] {
  if (softDependencies(modprobe) === undefined) return [];
  const name = "modules-order";
  const items = [{ path: ORDER_KEY, fieldRef: { fieldPath: `metadata.annotations['${MODULES_ORDER}']` } }];
  return [
    {
      mount: { name, mountPath: ORDER_FILE, subPath: ORDER_KEY, readOnly: true },
      volume: { name, downwardAPI: { items } },
    },
  ];
}

function shell(command: string): JsonObject {
  return { exec: { command: ["/bin/sh", "-c", command] } };
}
