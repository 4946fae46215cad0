// `farrier plan`: what storing some manifests would do to the fleet, or what other nodes would do to what is stored. Nothing is written.

import { objectIdentity } from "../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { mergeObject } from "../core/strategic-merge/merge-patch.ts";
import type { Kind } from "../kinds/kind.ts";
import type { CliPorts } from "./cli-ports.ts";
import { CommandError, EXIT, type Exit } from "./command-error.ts";
import { appliedForm } from "./input/applied-form.ts";
import { UNASKED } from "./input/image-answers.ts";
import {
  inNamespace,
  kindOf,
  problemLines,
  readFiles,
  readSource,
  type SourceOptions,
  storedForm,
} from "./input/source.ts";
import { anotherKernel, imagine, otherLabels, type WhatIf } from "./input/what-if.ts";
import { type Format, formatted } from "./output/format.ts";
import { reportPlan } from "./output/plan-report.ts";
import { plural } from "./output/print.ts";
import { changesAnything, printPlan } from "./output/print-plan.ts";

export type PlanOptions = SourceOptions & {
  readonly files: readonly string[];
  readonly kernel?: string | undefined;
  readonly nodes?: string | undefined;
  readonly label?: readonly string[] | undefined;
  readonly output: Format;
};

/** Plans and prints. */
export async function plan(options: PlanOptions, kinds: readonly Kind[], ports: CliPorts): Promise<Exit> {
  const whatIf = whatIfOf(options);
  if (options.files.length === 0 && whatIf === undefined) {
    throw new CommandError("nothing to plan: give manifests with -f, or nodes that change with --kernel or --label");
  }
  const files = await readFiles(options.files, ports);
  const source = await readSource(options, kinds, ports);
  const world = whatIf === undefined ? { objects: source.objects, nodes: 0 } : imagine(source.objects, whatIf);
  if (whatIf !== undefined && world.nodes === 0)
    throw new CommandError("no node of the cluster is meant by this change");
  const wanted =
    files.length > 0 ? wantedOf(files, source.objects, source.namespace, kinds) : storedOf(source.objects, kinds);
  if (wanted.length === 0)
    throw new CommandError(`no object of ${kinds.map(({ kind }) => kind).join(", ")} is there to plan for`);
  const nowMs = ports.wallMs();
  const meant = meantNodes(source.objects, whatIf);
  const objects = [...world.objects, ...othersIn(files, source.namespace, kinds)];
  const reports = wanted.map(([kind, object]) =>
    reportPlan({ kind, objects, object, image: () => UNASKED, nowMs }, (node) => meant.has(node)),
  );
  for (const line of warningsOf(wanted, source.objects)) ports.err(line);
  const heading = headingOf(options, source.origin, world.objects, world.nodes);
  const text = { heading, reports, isAboutNodes: options.files.length === 0 };
  ports.out(formatted(options.output, { kind: "Plan", plans: reports }, () => printPlan(text, ports.paint)));
  return reports.some(changesAnything) ? EXIT.differences : EXIT.nothing;
}

function whatIfOf({ kernel, nodes, label }: PlanOptions): WhatIf | undefined {
  if (kernel !== undefined && label !== undefined)
    throw new CommandError("--kernel and --label are two questions: ask them one by one");
  if (kernel !== undefined) return anotherKernel(kernel, nodes ?? "");
  if (nodes !== undefined) throw new CommandError("--nodes says where --kernel would run; give --kernel too");
  const [node, ...changes] = label ?? [];
  return node === undefined ? undefined : otherLabels(node, changes);
}

/** The names of the nodes that change; all of them when it is the objects that do. */
function meantNodes(objects: readonly JsonObject[], whatIf: WhatIf | undefined): ReadonlySet<string> {
  const nodes = objects.filter((object) => object.kind === "Node" && (whatIf?.concerns(object) ?? true));
  return new Set(nodes.map((node) => objectIdentity(node).name));
}

type Wanted = readonly (readonly [Kind, JsonObject])[];

function wantedOf(
  files: readonly JsonObject[],
  stored: readonly JsonObject[],
  namespace: string,
  kinds: readonly Kind[],
): Wanted {
  return files.flatMap((file) => {
    const kind = kindOf(file, kinds);
    if (kind === undefined) return [];
    const inStoredForm = (each: JsonObject) => storedForm(kind, each, namespace);
    const manifest = inStoredForm(file);
    const before = sameAs(manifest, kind, stored, kinds);
    const object = before === undefined ? manifest : appliedForm(manifest, before, inStoredForm);
    const { problems } = kind.admit(object, before);
    const { name } = objectIdentity(object);
    if (problems.length > 0)
      throw new CommandError(`${kind.kind} "${name}" is invalid:\n${problemLines(problems).join("\n")}`);
    return [
      [kind, before === undefined ? mergeObject(object, { metadata: { uid: null } }) : identified(object, before)],
    ];
  });
}

/** What comes with our objects in the files, and may be read for them: a Dockerfile in a ConfigMap. */
function othersIn(files: readonly JsonObject[], namespace: string, kinds: readonly Kind[]): readonly JsonObject[] {
  const maps = files.filter((file) => file.kind === "ConfigMap" && kindOf(file, kinds) === undefined);
  return maps.map((map) => inNamespace(map, namespace));
}

function storedOf(objects: readonly JsonObject[], kinds: readonly Kind[]): Wanted {
  return objects.flatMap((object) => {
    const kind = kindOf(object, kinds);
    return kind === undefined ? [] : [[kind, object]];
  });
}

function sameAs(
  object: JsonObject,
  kind: Kind,
  stored: readonly JsonObject[],
  kinds: readonly Kind[],
): JsonObject | undefined {
  const { namespace, name } = objectIdentity(object);
  return stored.find((each) => {
    const identity = objectIdentity(each);
    return identity.name === name && identity.namespace === namespace && kindOf(each, kinds) === kind;
  });
}

/** What is stored keeps who it is and what was said of it; what is wanted of it is new. */
function identified(object: JsonObject, before: JsonObject): JsonObject {
  const { uid, generation } = objectIdentity(before);
  const kept = isJsonObject(before.status) ? { status: before.status } : {};
  return { ...mergeObject(object, { metadata: { uid, generation } }), ...kept };
}

function warningsOf(wanted: Wanted, stored: readonly JsonObject[]): readonly string[] {
  return wanted.flatMap(([kind, object]) => {
    const before = stored.find((each) => objectIdentity(each).uid === objectIdentity(object).uid);
    return kind.admit(object, before).warnings.map((warning) => `Warning: ${warning}`);
  });
}

function headingOf(
  { files, kernel, label }: PlanOptions,
  origin: string,
  objects: readonly JsonObject[],
  moved: number,
): string {
  const nodes = objects.filter(({ kind }) => kind === "Node").length;
  const what = [
    ...(files.length === 0 ? [] : [files.join(", ")]),
    ...(kernel === undefined ? [] : [`kernel ${kernel} on ${plural(moved, "node")}`]),
    ...(label === undefined ? [] : [`labels ${label.slice(1).join(" ")} on ${plural(moved, "node")}`]),
  ];
  return `${what.join(", ")} against ${origin} (${plural(nodes, "node")})`;
}
