// The pod of a device plugin: it runs where the driver is ready, of the version that it belongs to.
import type { JsonObject } from "../../../core/json/json.ts";
import type { DevicePlugin, Module } from "../api/spec.ts";
import { PRESENT, readyLabel, versionReadyLabel } from "../module-labels.ts";
import { requirementsAffinity } from "./node-requirements.ts";

export const PLUGIN_CONTAINER = "device-plugin";
const SOCKETS = "kubelet-device-plugins";
const SOCKETS_DIR = "/var/lib/kubelet/device-plugins";

/** The spec of the plugin's pods. */
export function pluginPodSpec(module: Module, plugin: DevicePlugin): JsonObject {
  const { imageSecret, writtenTolerations: tolerations } = module;
  const { container, initContainer, serviceAccountName, automountsToken, volumes } = plugin;
  const mounts = Array.isArray(container.volumeMounts) ? container.volumeMounts : [];
  return {
    ...placement(module),
    ...(tolerations.length === 0 ? {} : { tolerations: [...tolerations] }),
    ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    ...(automountsToken === undefined ? {} : { automountServiceAccountToken: automountsToken }),
    ...(imageSecret === undefined ? {} : { imagePullSecrets: [{ name: imageSecret }] }),
    priorityClassName: "system-node-critical",
    ...(initContainer === undefined
      ? {}
      : { initContainers: [{ name: `${PLUGIN_CONTAINER}-init`, ...initContainer }] }),
    containers: [
      {
        ...{ name: PLUGIN_CONTAINER, ...container },
        securityContext: { privileged: true },
        volumeMounts: [...mounts, { name: SOCKETS, mountPath: SOCKETS_DIR }],
      },
    ],
    volumes: [...volumes, { name: SOCKETS, hostPath: { path: SOCKETS_DIR, type: "Directory" } }],
  };
}

/** Behind a driver, its readiness is the whole placement; a plugin alone goes where the Module's selector says. */
function placement(module: Module): JsonObject {
  const { driver, selector } = module;
  if (driver === undefined) return requirementsAffinity(selector);
  const { version } = driver;
  const versioned = version === undefined ? {} : { [versionReadyLabel(module)]: version };
  return { nodeSelector: { [readyLabel(module)]: PRESENT, ...versioned } };
}
