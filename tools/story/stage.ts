// What an act of the story can do: say something, type a command and show its answer, change the machines, wait for the cluster.
// The commands are the real ones; those of kubectl are done by our client, because not everybody has kubectl.

import type { Style } from "../../sim/demo/invitation.ts";
import type { Kubelets } from "../../sim/nodes/kubelets.ts";
import { conditionSaid, isUnseen } from "../../src/cli/input/object-condition.ts";
import { readManifests } from "../../src/cli/input/read-manifests.ts";
import { objectIdentity } from "../../src/core/decision/object-identity.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Client } from "../../src/kube/client/client.ts";
import { type Clock, pause } from "../../src/kube/clock.ts";
import { apiVersionOf, type KubeObject, type Resource } from "../../src/kube/resource.ts";

export type StoryObject = KubeObject & JsonObject;

export type StagePorts = {
  /** Speaks with the cluster as kubectl would. */
  readonly client: Client;
  /** Runs one command line of farrier and prints its answer. */
  readonly farrier: (args: readonly string[]) => Promise<unknown>;
  readonly machines: Pick<Kubelets, "reboot">;
  readonly readFile: (path: string) => Promise<string>;
  readonly show: (text: string) => void;
  readonly style: Style;
  readonly clock: Clock;
  /** Aborted when the demo ends; whatever waits rejects then. */
  readonly end: AbortSignal;
};

export const NODES: Resource<StoryObject> = resource("", "v1", "nodes", "Node", false);
export const PODS: Resource<StoryObject> = resource("", "v1", "pods", "Pod");
export const MODULES: Resource<StoryObject> = resource("kmm.sigs.x-k8s.io", "v1beta1", "modules", "Module");
export const DAEMON_SETS: Resource<StoryObject> = resource("apps.kruise.io", "v1beta1", "daemonsets", "DaemonSet");
const CONFIG_MAPS: Resource<StoryObject> = resource("", "v1", "configmaps", "ConfigMap");
const VARIANT_SETS: Resource<StoryObject> = resource("farrier.dev", "v1alpha1", "variantsets", "VariantSet");
const APPLIED = [MODULES, DAEMON_SETS, CONFIG_MAPS, VARIANT_SETS];

const LOOK_EVERY_MS = 100;
/** What takes longer than this on a busy machine is told, and the story goes on. */
const PATIENCE_MS = 120_000;

export class Stage {
  readonly #ports: StagePorts;

  constructor(ports: StagePorts) {
    this.#ports = ports;
  }

  /** Prose. */
  say(text: string): void {
    this.#ports.show(`${text}\n`);
  }

  /** Types a command of ours, and shows what it answers. */
  async farrier(line: string): Promise<void> {
    this.#type(`farrier ${line}`);
    await this.#ports.farrier(line.split(" "));
    this.say("");
  }

  /** `kubectl apply -f`. */
  async apply(path: string): Promise<void> {
    this.#type(`kubectl apply -f ${path}`);
    const { objects, problems } = readManifests(path, await this.#ports.readFile(path));
    if (problems.length > 0) throw new Error(`${path}: ${problems[0]?.message}`);
    for (const object of objects) {
      const { name, namespace } = objectIdentity(object);
      const at = APPLIED.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
      if (at === undefined) throw new Error(`${path}: the story cannot apply a ${object.kind}`);
      const applied = { ...object, apiVersion: apiVersionOf(at), kind: at.kind, metadata: { name, namespace } };
      await this.#ports.client.apply(at, applied, { force: true });
      this.say(`${at.kind.toLowerCase()}${at.group === "" ? "" : `.${at.group}`}/${name} applied`);
    }
    this.say("");
  }

  /** `kubectl label nodes`. */
  async label(nodes: readonly string[], key: string, value: string): Promise<void> {
    this.#type(`kubectl label nodes ${nodes.join(" ")} ${key}=${value}`);
    for (const node of nodes) {
      await this.#ports.client.patch(NODES, node, { type: "merge", body: { metadata: { labels: { [key]: value } } } });
    }
    this.say(`${nodes.length} nodes labeled\n`);
  }

  /** The machines go down and come up with another kernel. */
  reboot(nodes: readonly string[], kernel: string): void {
    for (const name of nodes) this.#ports.machines.reboot(name, { kernel, downMs: LOOK_EVERY_MS });
  }

  list(from: Resource<StoryObject>): Promise<readonly StoryObject[]> {
    return this.#ports.client.list(from).then(({ items }) => items.map((item) => ({ ...item, kind: from.kind })));
  }

  /** Waits until the cluster is as this asks. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    const { clock, end } = this.#ports;
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    while (!(await isSo())) {
      if (clock.monotonicMs() > untilMs) return this.say("(This takes longer than it should; the story goes on.)");
      await pause(clock, LOOK_EVERY_MS, end);
    }
  }

  /** Waits until the operator has done all it can for an object of the namespace default. */
  async settled(at: Resource<StoryObject>, name: string): Promise<void> {
    await this.until(async () => {
      const object = (await this.list(at)).find(({ metadata }) => metadata.name === name);
      if (object === undefined) return false;
      const stored = { ...objectIdentity(object), object };
      return !isUnseen(stored) && (conditionSaid(stored, "Reconciling")?.status ?? "False") === "False";
    });
  }

  #type(command: string): void {
    this.say(this.#ports.style.strong(`$ ${command}`));
  }
}

function resource(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced = true,
): Resource<StoryObject> {
  return { group, version, plural, kind, namespaced };
}
