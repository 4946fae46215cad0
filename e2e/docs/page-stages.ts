// What a page about somebody's cluster finds there: another operator with its objects, and pods that the page promises to leave alone.
import { readFileSync } from "node:fs";
import type { MachineSpec } from "../../sim/nodes/machine.ts";
import { daemonSetCrd } from "../../src/kinds/daemon-set/api/crd.ts";
import kruise from "../../src/kinds/daemon-set/pods/vectors/kruise-installation.json" with { type: "json" };
import { moduleCrd } from "../../src/kinds/module/api/crd.ts";
import { customResourceDefinition } from "../../src/kinds/schema/crd.ts";
import { pageManifests } from "../../tools/docs/page-manifests.ts";
import { machines } from "../program/example-promises.ts";

export type PageStage = {
  /** Whether Farrier is there before the page begins. */
  readonly isInstalled: boolean;
  /** What is stored beforehand, as lists of manifests; in the later ones OWNER_UID stands for the UID of the owner. */
  readonly manifests: readonly string[];
  readonly owner?: string;
  /** The pods that are there, and stay: how many, how kubectl finds them, and the command that ends the promise, if one does. */
  readonly keeps?: { readonly pods: string; readonly count: number; readonly until?: string };
  /** Files that a reader has written before, as the page says. */
  readonly files?: Readonly<Record<string, string>>;
};

const KERNEL = "kmm.node.kubernetes.io/kernel-version.full";
const PLATFORM = "nodes.csi-baremetal.dell.com/platform";
const byName: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "gpu-1": { [KERNEL]: "5.15.0-105-generic", [PLATFORM]: "kernel-5.x" },
  "gpu-2": { [PLATFORM]: "kernel-5.x" },
  "plain-1": { [PLATFORM]: "default" },
};

/** Three machines, each with a kernel of its own and the labels that those operators gave them. */
export const stageMachines: readonly MachineSpec[] = machines.flatMap((machine) => {
  const labels = byName[machine.name];
  return labels === undefined ? [] : [{ ...machine, labels: { ...machine.labels, ...labels } }];
});

/** The kind whose object controls the DaemonSets of csi-baremetal. The garbage collector has to know it from the beginning. */
export const csiDefinition = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: "deployments.csi-baremetal.dell.com" },
  spec: {
    ...{ group: "csi-baremetal.dell.com", scope: "Namespaced", names: { plural: "deployments", kind: "Deployment" } },
    versions: [
      {
        ...{ name: "v1", served: true, storage: true },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const file = (name: string) => readFileSync(new URL(`stages/${name}`, import.meta.url), "utf8");
const listOf = (...items: readonly object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });

const csiPage = readFileSync(new URL("../../docs/how-to/csi-baremetal.md", import.meta.url), "utf8");
const [csiSets = "", csiVariantSet = ""] = pageManifests(csiPage).map(({ text }) => text);
const csiOwner = { apiVersion: "csi-baremetal.dell.com/v1", kind: "Deployment", name: "csi-baremetal" };
const csiOwned = csiSets.replaceAll(
  "  namespace: default\n",
  `  namespace: default\n  ownerReferences: [${JSON.stringify({ ...csiOwner, uid: "OWNER_UID", controller: true })}]\n`,
);

/** What each page finds. */
export const pageStages: Readonly<Record<string, PageStage>> = {
  "docs/tutorial.md": { isInstalled: false, manifests: [] },
  "docs/migrate/kmm.md": {
    ...{ isInstalled: false, owner: "module/gpu-kmod" },
    manifests: [listOf(customResourceDefinition(moduleCrd)), file("kmm.yaml"), file("kmm-owned.yaml")],
    keeps: { pods: "-l kmm.node.kubernetes.io/module.name=gpu-kmod", count: 1, until: "kubectl delete daemonset" },
  },
  "docs/migrate/kruise.md": {
    ...{ isInstalled: false, owner: "-n monitoring daemonset.apps.kruise.io/exporter" },
    manifests: [
      listOf(definitionOfKruise()),
      file("kruise.yaml"),
      listOf(stored(kruise.standard.set)),
      listOf(...kruise.standard.revisions.map(owned), ...kruise.standard.pods.map(owned).map(placed)),
    ],
    keeps: { pods: "-n monitoring -l app=exporter", count: stageMachines.length },
  },
  "docs/how-to/csi-baremetal.md": {
    ...{ isInstalled: true, owner: "deployments.csi-baremetal.dell.com/csi-baremetal" },
    ...{ manifests: [file("csi-baremetal.yaml"), csiOwned], files: { "csi-baremetal.yaml": csiVariantSet } },
    keeps: { pods: "-l name=csi-baremetal-node", count: stageMachines.length },
  },
};

/** Kruise's own, as far as it matters: it knows no patches. */
function definitionOfKruise(): object {
  const withoutPatches = (key: string, value: unknown) => (key === "patches" ? undefined : value);
  return JSON.parse(JSON.stringify(customResourceDefinition(daemonSetCrd)), withoutPatches);
}

/** An object as somebody would store it again. */
function stored(object: { readonly metadata: object }): object {
  const { status: _, ...kept } = { status: undefined, ...object };
  const gone = { uid: undefined, resourceVersion: undefined, creationTimestamp: undefined, generation: undefined };
  return { ...kept, metadata: { ...object.metadata, ...gone } };
}

function owned(object: { readonly metadata: { readonly ownerReferences?: readonly object[] } }): object {
  const ownerReferences = (object.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, uid: "OWNER_UID" }));
  return stored({ ...object, metadata: { ...object.metadata, ownerReferences } });
}

/** A pod on one of the machines, as the scheduler left it. */
function placed(pod: object, index: number): object {
  const { spec } = { spec: {}, ...pod };
  return { ...pod, spec: { ...spec, affinity: undefined, nodeName: stageMachines[index]?.name } };
}
