// `farrier render`: the pods that a node would get from an object, as manifests. The operator's own decisions make them, on paper.
import type { Command } from "commander";
import { objectIdentity } from "../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { parseDaemonPod } from "../core/pod/daemon-pod.ts";
import { type Forecast, forecast } from "../kinds/forecast/forecast.ts";
import type { Kind } from "../kinds/kind.ts";
import { objectAt } from "../kinds/schema/json-parts.ts";
import { CommandError, EXIT, type Exit } from "./command-error.ts";
import { type CommandSetting, examples, withNamespace, withSource } from "./command-setting.ts";
import { ASSUMED_PRESENT } from "./input/image-answers.ts";
import { yamlText } from "./input/kubectl-yaml.ts";
import { type KnownObject, knownObjects, objectText, oneWished, parseWish } from "./input/named-object.ts";
import { problemLines, readFiles, readSource, type Source, type SourceOptions, storedForm } from "./input/source.ts";
import { type Format, formatted } from "./output/format.ts";

type RenderOptions = SourceOptions & {
  readonly of?: string | undefined;
  readonly filename?: string | undefined;
  readonly namespace?: string | undefined;
  readonly output: Format;
};

/** Adds the command to the program. */
export function addRender(program: Command, setting: CommandSetting): void {
  withNamespace(withSource(program.command("render")))
    .description("Prints the pods that a node would get from an object, as they would be made for it now.")
    .argument("<node>", "the name of the node")
    .option(
      "--of <object>",
      "the object: name, kind/name or kind/namespace/name; may be left out where there is but one",
    )
    .option("-f, --filename <file>", "read the object from manifests (- is standard input), not from the cluster")
    .addHelpText(
      "after",
      examples(setting.called, [
        "render w-17 --of daemonset/storage/agent",
        "render w-17 -f agent.yaml",
        "render w-17 --of agent --from snapshot.json",
      ]),
    )
    .action(async (node: string, given) => setting.done(await render(node, given, setting)));
}

async function render(node: string, options: RenderOptions, { kinds, ports, called }: CommandSetting): Promise<Exit> {
  const files = options.filename === undefined ? undefined : await readFiles([options.filename], ports);
  const source = await readSource(options, kinds, ports);
  const known = chosen(options, files, source, kinds);
  const { kind, stored } = known;
  const nowMs = ports.wallMs();
  const told = forecast({
    ...{ kind, nowMs, object: stored.object, objects: withoutPods(source.objects, known, node) },
    // No registry is asked: what nobody knows of is taken to be there.
    image: () => ASSUMED_PRESENT,
  });
  if (!told.end.nodes.some(({ name }) => name === node))
    throw new CommandError(`node "${node}" is not in ${source.origin}; ${called} status counts its nodes`);
  const pods = podsOn(told, node).map(asManifest);
  if (pods.length === 0) {
    const { reason, because } = kind.observe(told.end, told.object).explain(node, nowMs) ?? {};
    const why = reason === undefined ? "nothing is decided for it" : `${reason}: ${because}`;
    throw new CommandError(
      `node "${node}" gets no pod of ${objectText(known)}; ${why}; ask ${called} explain node ${node}`,
    );
  }
  const result = { kind: "Rendering", node, object: objectText(known), pods };
  ports.out(formatted(options.output, result, () => pods.map(asDocument).join("---\n")));
  return EXIT.nothing;
}

function chosen(
  { of: text, namespace }: RenderOptions,
  files: readonly JsonObject[] | undefined,
  source: Source,
  kinds: readonly Kind[],
): KnownObject {
  const stored = knownObjects(source.objects, kinds);
  const wish = parseWish(text, namespace, kinds);
  if (files === undefined) return oneWished(stored, wish, text ?? "any object", source.origin);
  const given = knownObjects(files, kinds).map(({ kind, stored: { object } }): KnownObject => {
    const form = storedForm(kind, object, namespace ?? source.namespace);
    const { namespace: space, name } = objectIdentity(form);
    const before = stored.find(
      (each) => each.kind === kind && each.stored.namespace === space && each.stored.name === name,
    );
    const { problems } = kind.admit(form, before?.stored.object);
    if (problems.length > 0)
      throw new CommandError(`${kind.kind} "${name}" is invalid:\n${problemLines(problems).join("\n")}`);
    const whole =
      before === undefined ? form : { ...form, metadata: { ...objectAt(form, "metadata"), uid: before.stored.uid } };
    return { kind, stored: { ...objectIdentity(whole), object: whole } };
  });
  return oneWished(given, wish, text ?? "any object", "the manifests");
}

/** The node's pods of the object are left out, so that the node gets what is made today and not what a server has added to it. */
function withoutPods(objects: readonly JsonObject[], { stored }: KnownObject, node: string): readonly JsonObject[] {
  const controllers = new Set([stored.uid]);
  for (const object of objects) {
    const { uid, controllerUid } = objectIdentity(object);
    if (object.kind === "DaemonSet" && controllerUid === stored.uid) controllers.add(uid);
  }
  return objects.filter((object) => {
    if (object.kind !== "Pod") return true;
    const pod = parseDaemonPod(object);
    return pod.node !== node || pod.controllerUid === undefined || !controllers.has(pod.controllerUid);
  });
}

function podsOn({ end, object }: Forecast, node: string): readonly JsonObject[] {
  const owners = [object.uid, ...end.workloadsOf(object.uid).map(({ uid }) => uid)];
  const keys = new Set(owners.flatMap((uid) => end.podsOf(uid)).flatMap((pod) => (pod.node === node ? [pod.uid] : [])));
  return end.pods.objects().filter((pod) => keys.has(objectIdentity(pod).uid));
}

/** Without what a server, or the paper in its place, has written. */
function asManifest({ status: _, ...pod }: JsonObject): JsonObject {
  const metadata = isJsonObject(pod.metadata) ? pod.metadata : {};
  const { uid, creationTimestamp, generation, resourceVersion, managedFields, ownerReferences, ...kept } = metadata;
  return { ...pod, metadata: kept };
}

function asDocument(pod: JsonObject): string {
  return yamlText(pod);
}
