// Where a command reads the cluster: from a snapshot, if it is given one, otherwise from the API server.
//
// This folder is what commands read. Beside this file:
//   cluster-objects.ts, object-condition.ts, told-refusals.ts: the cluster, and what statuses say
//   named-object.ts: objects as a person names them
//   read-manifests.ts, kubectl-yaml.ts, applied-form.ts: files, read and applied as kubectl does
//   what-if.ts, image-answers.ts: imagined nodes and images

import { objectIdentity } from "../../core/decision/object-identity.ts";
import type { Problem } from "../../core/decision/problem.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { CliPorts } from "../cli-ports.ts";
import { CommandError } from "../command-error.ts";
import { readCluster } from "./cluster-objects.ts";
import { type Manifests, readManifests } from "./read-manifests.ts";

export type SourceOptions = {
  readonly from?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
};

export type Source = {
  readonly objects: readonly JsonObject[];
  /** How the cluster is called in headings. */
  readonly origin: string;
  readonly namespace: string;
};

/** Reads the cluster. */
export async function readSource(options: SourceOptions, kinds: readonly Kind[], ports: CliPorts): Promise<Source> {
  const { from } = options;
  if (from !== undefined) {
    const objects = await readFiles([from], ports);
    return { objects: objects.map((object) => inStoredVersion(object, kinds)), origin: from, namespace: "default" };
  }
  const { client, server, namespace, close } = await ports.connect(options);
  try {
    return { objects: await readCluster(client, kinds), origin: server, namespace };
  } finally {
    close();
  }
}

/** The objects of files and folders; `-` is standard input. What cannot be read stops the command, with every place. */
export async function readFiles(paths: readonly string[], ports: CliPorts): Promise<readonly JsonObject[]> {
  const read: Manifests[] = [];
  for (const path of paths) {
    if (path === "-") read.push(readManifests("standard input", await ports.readInput()));
    else for (const file of await ports.listFiles(path)) read.push(readManifests(file, await ports.readFile(file)));
  }
  const problems = read.flatMap((each) => each.problems);
  if (problems.length > 0) throw new CommandError(problemLines(problems).join("\n"));
  return read.flatMap(({ objects }) => objects);
}

export function problemLines(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

/** The kind whose objects these are, in any of its versions; undefined for what is none of ours. */
export function kindOf({ apiVersion, kind }: JsonObject, kinds: readonly Kind[]): Kind | undefined {
  const [group] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  return kinds.find((each) => each.kind === kind && each.group === group);
}

/** The object in the version that is stored, and in a namespace. */
export function storedForm(kind: Kind, object: JsonObject, namespace: string): JsonObject {
  return inNamespace(inStoredVersion(object, [kind]), namespace);
}

/** A cluster answers in the version that is asked for; files have the one that somebody wrote. */
function inStoredVersion(object: JsonObject, kinds: readonly Kind[]): JsonObject {
  const kind = kindOf(object, kinds);
  return kind?.conversion?.convert(object, kind.version) ?? object;
}

/** The object in this namespace, unless it says another one. */
export function inNamespace(object: JsonObject, namespace: string): JsonObject {
  const metadata = typeof object.metadata === "object" && object.metadata !== null ? object.metadata : {};
  const given = objectIdentity(object).namespace;
  return { ...object, metadata: { ...metadata, namespace: given === "" ? namespace : given } };
}
