// What a person reads when the demo is up: what runs, who may do what, and three commands to try. Pure.
import { isAbsolute, relative } from "node:path";

export type DemoFacts = {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly manifestPath: string;
  readonly currentFolder: string;
  readonly controllers: readonly string[];
  readonly nodeNames: readonly string[];
  readonly tookMs: number;
  readonly hasKubectl: boolean;
};

/** How to set off a heading or a command; the identity where there is no colour. */
export type Style = { readonly strong: (text: string) => string };

const PLAIN: Style = { strong: (text) => text };
const COLOURED: Style = { strong: (text) => `\u001b[1m${text}\u001b[0m` };

/** Colour is for terminals whose owner has nothing against it. */
export function styleFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  const isUnwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return isTerminal && !isUnwanted ? COLOURED : PLAIN;
}

/** The whole text, ending with a line end. */
export function invitation(facts: DemoFacts, style: Style): string {
  const { url, controllers, nodeNames, tookMs } = facts;
  const groups = tally(nodeNames.map(groupOf));
  const nodes = `${nodeNames.length} ready in ${(tookMs / 1000).toFixed(1)} s${groups === "" ? "" : `: ${groups}`}`;
  const commands = facts.hasKubectl ? kubectlCommands(facts) : curlCommands(facts);
  return [
    style.strong("Farrier runs a control plane of its own, with simulated nodes."),
    "",
    `  API server   ${url} (this machine only; every token may do everything)`,
    `  controllers  ${controllers.join(", ")}`,
    `  nodes        ${nodes}`,
    `  kubeconfig   ${shortPath(facts.kubeconfigPath, facts.currentFolder)}`,
    "",
    ...(facts.hasKubectl ? [] : [NO_KUBECTL, ""]),
    `Try in another terminal${isHere(facts.kubeconfigPath, facts.currentFolder) ? ", in this folder" : ""}:`,
    "",
    ...commands.map((command) => `  ${style.strong(command)}`),
    "",
    "Ctrl-C stops everything; only the kubeconfig stays.",
    "",
  ].join("\n");
}

const NO_KUBECTL = "kubectl is not on the PATH; https://kubernetes.io/docs/tasks/tools/ says how to get it. With curl:";

function kubectlCommands({ kubeconfigPath, manifestPath, currentFolder }: DemoFacts): readonly string[] {
  const kubectl = `KUBECONFIG=${shellWord(shortPath(kubeconfigPath, currentFolder))} kubectl`;
  return [
    `${kubectl} get nodes -o wide`,
    `${kubectl} apply -f ${shellWord(shortPath(manifestPath, currentFolder))}`,
    `${kubectl} rollout status daemonset/node-agent`,
  ];
}

/** The certificate is made anew at each start and holds for loopback only, so nothing is lost by not checking it. */
function curlCommands({ url, manifestPath, currentFolder }: DemoFacts): readonly string[] {
  const daemonSet = `${url}/apis/apps/v1/namespaces/default/daemonsets/node-agent`;
  const manifest = shellWord(`@${shortPath(manifestPath, currentFolder)}`);
  const apply = "curl -sk -X PATCH -H 'content-type: application/apply-patch+yaml'";
  return [
    `curl -sk '${url}/api/v1/nodes?limit=3'`,
    `${apply} --data-binary ${manifest} '${daemonSet}?fieldManager=me'`,
    `curl -sk ${daemonSet}/status`,
  ];
}

/** "rack-007" is one of the rack. */
function groupOf(name: string): string {
  return name.replace(/-?[0-9]+$/, "");
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}

function isHere(path: string, folder: string): boolean {
  return shortPath(path, folder) !== path;
}

/** Relative below the folder, as it is elsewhere. */
function shortPath(path: string, folder: string): string {
  if (!isAbsolute(path)) return path;
  const short = relative(folder, path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}

/** A path as a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
