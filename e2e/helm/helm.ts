// Runs the real helm, as one person on one machine: with a home of its own, and its answers as text.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isJsonObject, type JsonObject } from "../../src/core/json/json.ts";
import { CHART } from "../../tools/gen/deploy/helm/chart.ts";
import { repositoryRoot } from "../../tools/repository.ts";
import { describeWithProgram, type GoProgram } from "../go-program.ts";

export type Helm = {
  readonly program: string;
  readonly home: string;
  /** None for what asks no server. */
  readonly kubeconfig?: string;
};

export type Ran = { readonly code: number; readonly out: string; readonly err: string };

const helm: GoProgram = {
  name: "helm",
  folder: join(import.meta.dirname, "go"),
  module: "helm.sh/helm/v4",
  main: "cmd/helm",
};
/** No command takes this long on a busy machine. */
const COMMAND_MS = 60_000;
const OUTPUT_MAX = 16 * 1024 * 1024;

/** `describe` for tests with the real helm; `build` gives the path of the program, which takes minutes the first time. */
export function describeWithHelm(name: string, body: (build: () => Promise<string>) => void): void {
  describeWithProgram(helm, name, body);
}

/** Runs a command to its end in the repository, where the chart is named as in the documents. */
export function runHelm({ program, home, kubeconfig = "" }: Helm, args: readonly string[], input = ""): Promise<Ran> {
  const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig };
  const options = { cwd: repositoryRoot, env, timeout: COMMAND_MS, maxBuffer: OUTPUT_MAX };
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (_, out, err) => resolve({ code: child.exitCode ?? -1, out, err }));
    child.stdin?.end(input);
  });
}

/** The objects that `helm template` gives with these values, by kind and name. */
export async function templated(
  helm: Helm,
  values: object,
  namespace: string,
): Promise<ReadonlyMap<string, JsonObject>> {
  const args = ["template", "farrier", CHART, "--namespace", namespace, "--values", "-"];
  const { code, out, err } = await runHelm(helm, args, JSON.stringify(values));
  if (code !== 0) throw new Error(err);
  return byName(objectsIn(out));
}

/** The objects of a text with several documents. */
export function objectsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter(isJsonObject);
}

/** Objects by kind and name. */
export function byName(objects: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(objects.map((object) => [`${object.kind}/${Object(object.metadata).name}`, object]));
}
