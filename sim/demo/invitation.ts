// What a person reads when the demo is up: what runs, who may do what, and three commands to try. Pure.
import { isAbsolute, relative } from "node:path";

export type DemoFacts = {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly manifestPath: string;
  readonly currentFolder: string;
  readonly controllers: readonly string[];
  /** What the operator serves. */
  readonly kinds: readonly string[];
  readonly nodeNames: readonly string[];
  readonly tookMs: number;
  readonly hasKubectl: boolean;
  /** Whether a story follows, which has its own commands to try. */
  readonly hasStory: boolean;
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
  return [
    style.strong("Farrier runs on a control plane of its own, with simulated nodes."),
    "",
    `  API server   ${url} (this machine only; every token may do everything)`,
    `  controllers  ${controllers.join(", ")}`,
    `  operator     ${facts.kinds.join(", ")}`,
    `  nodes        ${nodes}`,
    `  kubeconfig   ${shortPath(facts.kubeconfigPath, facts.currentFolder)}`,
    "",
    ...(facts.hasStory ? [] : thingsToTry(facts, style)),
    "Ctrl-C stops everything; only the kubeconfig stays.",
    "",
  ].join("\n");
}

function thingsToTry(facts: DemoFacts, style: Style): readonly string[] {
  const commands = facts.hasKubectl ? kubectlCommands(facts) : curlCommands(facts);
  return [
    ...(facts.hasKubectl ? [] : [NO_KUBECTL, ""]),
    `Try in another terminal${isHere(facts.kubeconfigPath, facts.currentFolder) ? ", in this folder" : ""}:`,
    "",
    ...commands.map((command) => `  ${style.strong(command)}`),
    "",
  ];
}

const NO_KUBECTL = "kubectl is not on the PATH; https://kubernetes.io/docs/tasks/tools/ says how to get it. With curl:";

function kubectlCommands({ kubeconfigPath, manifestPath, currentFolder, nodeNames }: DemoFacts): readonly string[] {
  const kubeconfig = `KUBECONFIG=${pathInShell(kubeconfigPath, currentFolder)}`;
  return [
    `${kubeconfig} kubectl apply -f ${pathInShell(manifestPath, currentFolder)}`,
    `${kubeconfig} kubectl get variantsets,daemonsets`,
    `${kubeconfig} npm run -s farrier -- explain node ${nodeNames[0] ?? "NAME"}`,
  ];
}

/** The certificate is made anew at each start and holds for loopback only, so nothing is lost by not checking it. */
function curlCommands(facts: DemoFacts): readonly string[] {
  const { url, manifestPath, kubeconfigPath, currentFolder, nodeNames } = facts;
  const set = `${url}/apis/farrier.dev/v1alpha1/namespaces/default/variantsets/csi-baremetal-node`;
  const manifest = shellWord(`@${shortPath(manifestPath, currentFolder)}`);
  const apply = "curl -sk -X PATCH -H 'content-type: application/apply-patch+yaml'";
  const kubeconfig = pathInShell(kubeconfigPath, currentFolder);
  return [
    `${apply} --data-binary ${manifest} '${set}?fieldManager=me'`,
    `curl -sk ${set}/status`,
    `npm run -s farrier -- explain node ${nodeNames[0] ?? "NAME"} --kubeconfig ${kubeconfig}`,
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

/** A path as a person in the folder types it. */
export function pathInShell(path: string, folder: string): string {
  return shellWord(shortPath(path, folder));
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
