// The DaemonSets of a Module as they are applied: one per kernel and image for the driver, and one for the device plugin.
// Their names and selectors follow from what they are for and never change; images and commands are content.

import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { ObjectBody, ObjectRef } from "../../core/decision/step.ts";
import { childName, type NameLimit } from "../../core/hash/names.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { DevicePlugin, Driver, Module } from "./api/spec.ts";
import { driverPodAnnotations, driverPodSpec } from "./driver/render-driver.ts";
import { pluginPodSpec } from "./driver/render-plugin.ts";
import {
  EXACT_KERNEL,
  FIT,
  KERNEL_VERSION,
  kernelLabelValue,
  LOADER_ROLE,
  MODULE_NAME,
  PLUGIN_ROLE,
  ROLE,
  VERSION,
} from "./module-labels.ts";
import type { Fit } from "./resolve.ts";

/** Templates that Kubernetes keeps of each DaemonSet: the present one, and what pods that wait for their turn still have. */
const REVISIONS_KEPT = 4;
const API_VERSION = "kmm.sigs.x-k8s.io/v1beta1";
/** Names of DaemonSets are values of labels in some tools. */
const NAME_MAX: NameLimit = 63;

/** Whose children are rendered. */
export type Owner = Pick<StoredObject, "namespace" | "name" | "uid">;

/** What an existing DaemonSet holds fast: nobody can change the selector of its pods. */
export type Standing = { readonly name: string; readonly selector: Readonly<Record<string, string>> };

/** The name of the DaemonSet of a fit. By the owner's UID: a Module that is made anew does not meet what its predecessor leaves. */
export function driverName({ name, uid }: Owner, key: string): string {
  return childName(name, [uid, key], NAME_MAX);
}

/** The name of the DaemonSet of the device plugin, of one version. */
export function pluginName({ name, uid }: Owner, version: string | undefined): string {
  return childName(`${name}-${PLUGIN_ROLE}`, [uid, version ?? ""], NAME_MAX);
}

/** The DaemonSet that loads the driver on the nodes that are bound to it. */
export function renderDriver(module: Module, driver: Driver, owner: Owner, fit: Fit, standing?: Standing): ObjectBody {
  const identity = { [MODULE_NAME]: module.name, [FIT]: fit.key };
  const labels = { ...identity, [ROLE]: LOADER_ROLE, [KERNEL_VERSION]: kernelLabelValue(fit.kernel) };
  const selector = standing?.selector ?? identity;
  const podAnnotations = driverPodAnnotations(driver);
  return daemonSet(owner, {
    name: standing?.name ?? driverName(owner, fit.key),
    labels,
    annotations: { [EXACT_KERNEL]: fit.kernel, ...versionAnnotation(fit.version) },
    spec: {
      selector: { matchLabels: { ...selector } },
      // Which node moves next is decided for the whole Module, not for one DaemonSet.
      updateStrategy: { type: "OnDelete" },
      revisionHistoryLimit: REVISIONS_KEPT,
      template: {
        metadata: {
          // Pods of an adopted DaemonSet stay as they are for as long as their containers do.
          labels: Object.hasOwn(selector, FIT) ? labels : { ...selector },
          ...(Object.keys(podAnnotations).length === 0 ? {} : { annotations: podAnnotations }),
        },
        spec: driverPodSpec(module, driver, fit),
      },
    },
  });
}

/** The DaemonSet of the device plugin for the Module's present version. */
export function renderPlugin(module: Module, plugin: DevicePlugin, owner: Owner): ObjectBody {
  const version = module.driver?.version;
  const { maxUnavailable, isPaused } = module.updateStrategy;
  const limit = maxUnavailable.kind === "count" ? maxUnavailable.count : `${maxUnavailable.percent}%`;
  const labels = { [MODULE_NAME]: module.name, [ROLE]: PLUGIN_ROLE };
  const identity = { ...labels, ...(version === undefined ? {} : { [VERSION]: version }) };
  return daemonSet(owner, {
    name: pluginName(owner, version),
    labels,
    annotations: versionAnnotation(version),
    spec: {
      selector: { matchLabels: identity },
      // A plugin that restarts unloads nothing: Kubernetes may pace it by itself.
      updateStrategy: isPaused
        ? { type: "OnDelete" }
        : { type: "RollingUpdate", rollingUpdate: { maxUnavailable: limit } },
      revisionHistoryLimit: REVISIONS_KEPT,
      template: { metadata: { labels: identity }, spec: pluginPodSpec(module, plugin) },
    },
  });
}

type Body = {
  readonly name: string;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
  readonly spec: JsonObject;
};

function daemonSet(owner: Owner, { name, labels, annotations, spec }: Body): ObjectBody {
  const hasAnnotations = Object.keys(annotations).length > 0;
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: {
      ...{ name, namespace: owner.namespace, labels },
      ...(hasAnnotations ? { annotations } : {}),
      ownerReferences: [ownerReference(owner)],
    },
    spec,
  };
}

/** Owner references take DaemonSets and builds away when the Module goes; nothing waits for us. */
export function ownerReference({ name, uid }: Owner): JsonObject {
  return { apiVersion: API_VERSION, kind: "Module", name, uid, controller: true, blockOwnerDeletion: true };
}

function versionAnnotation(version: string | undefined): JsonObject {
  return version === undefined ? {} : { [VERSION]: version };
}

/** The Module as steps and events name it. */
export function moduleRef({ namespace, name }: Omit<Owner, "uid">): ObjectRef {
  return { apiVersion: API_VERSION, kind: "Module", namespace, name };
}
