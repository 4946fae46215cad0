// `farrier explain`: why a node got what it got from every object of ours, or how one pod came to be as it is.

import { objectIdentity, textIn } from "../core/decision/object-identity.ts";
import type { Snapshot, StoredObject } from "../core/decision/snapshot.ts";
import type { JsonObject } from "../core/json/json.ts";
import { PaperCluster } from "../kinds/forecast/paper-cluster.ts";
import type { Kind } from "../kinds/kind.ts";
import type { CliPorts } from "./cli-ports.ts";
import { CommandError, EXIT, type Exit } from "./command-error.ts";
import { UNASKED } from "./input/image-answers.ts";
import { kindOf, readSource, type SourceOptions } from "./input/source.ts";
import { toldRefusals } from "./input/told-refusals.ts";
import { type Format, formatted } from "./output/format.ts";
import { type ExplainedObject, printNode } from "./output/print-explanation.ts";
import { printFields } from "./output/print-fields.ts";

export type ExplainOptions = SourceOptions & {
  readonly output: Format;
  /** Whether to print where each field comes from, in place of the rules. */
  readonly fields?: boolean;
};

/** Explains a node, or the node of a pod to the object that the pod belongs to. */
export async function explain(
  what: { readonly type: "node" | "pod"; readonly name: string },
  options: ExplainOptions,
  kinds: readonly Kind[],
  ports: CliPorts,
): Promise<Exit> {
  const source = await readSource(options, kinds, ports);
  const refusal = toldRefusals(source.objects);
  const snapshot = new PaperCluster(source.objects, { image: () => UNASKED, isOurLabel: () => false, refusal });
  const pod = what.type === "pod" ? findPod(source.objects, what.name, source.namespace) : undefined;
  const nodeName = pod === undefined ? what.name : textIn(objectOf(pod.spec).nodeName);
  const node = snapshot.nodes.find(({ name }) => name === nodeName);
  if (node === undefined)
    throw new CommandError(`node "${nodeName}" is not in ${source.origin}; ${nearest(nodeName, snapshot)}`);
  const nowMs = ports.wallMs();
  const explained = source.objects.flatMap((object): readonly ExplainedObject[] => {
    const kind = kindOf(object, kinds);
    const stored: StoredObject = { ...objectIdentity(object), object };
    if (kind === undefined || (pod !== undefined && !owns(stored, pod, snapshot))) return [];
    const explanation = kind.observe(snapshot, stored).explain(nodeName, nowMs);
    return explanation === undefined ? [] : [{ name: `${kind.kind} ${stored.namespace}/${stored.name}`, explanation }];
  });
  if (pod !== undefined && explained.length === 0)
    throw new CommandError(`pod "${what.name}" belongs to no object of ours`);
  ports.out(
    formatted(options.output, { kind: "Explanation", node: nodeName, objects: explained }, () =>
      options.fields === true ? printFields(explained, ports.paint) : printNode(node, explained, ports.paint),
    ),
  );
  return EXIT.nothing;
}

function findPod(objects: readonly JsonObject[], wanted: string, namespace: string): JsonObject {
  const [name = "", space = namespace] = wanted.split("/").reverse();
  const found = objects.find((object) => {
    const identity = objectIdentity(object);
    return object.kind === "Pod" && identity.name === name && identity.namespace === space;
  });
  if (found === undefined)
    throw new CommandError(`there is no pod "${name}" in namespace "${space}"; name it as namespace/name`);
  return found;
}

/** Directly, or by a DaemonSet that the object controls. */
function owns({ uid }: StoredObject, pod: JsonObject, snapshot: Snapshot): boolean {
  const { controllerUid } = objectIdentity(pod);
  return controllerUid === uid || snapshot.workloadsOf(uid).some((workload) => workload.uid === controllerUid);
}

function nearest(name: string, { nodes }: Snapshot): string {
  const similar = nodes.filter((node) => node.name.includes(name) || (name !== "" && name.includes(node.name)));
  const shown = (similar.length > 0 ? similar : nodes).slice(0, 3).map((node) => node.name);
  return shown.length === 0
    ? "it has no nodes"
    : `it has ${shown.join(", ")}${nodes.length > shown.length ? ", …" : ""}`;
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
