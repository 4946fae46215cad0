// Commands that pages show and no test of the pages types: who tries each of them instead, or why nobody can.

export type KnownCommand = {
  readonly command: string;
  /** The file that tries it, and what stands there. */
  readonly tried?: { readonly by: string; readonly says: string };
  /** Why nobody does. */
  readonly untried?: string;
  /** Whether it stands for all that begin with it: searches and measurements, each with other options. */
  readonly isFamily?: boolean;
};

const tried = (command: string, by: string, says: string): KnownCommand => ({ command, tried: { by, says } });

const SESSION = "e2e/kubectl/session.ts";
const CREATE = "e2e/kubectl/create.test.ts";
const NPM = "e2e/docs/npm-start.test.ts";
const CLUSTER = "e2e/control-plane/cli.test.ts";
const RELEASE = "e2e/helm/release.test.ts";
const MEASURES =
  "measures for minutes, and its figures are for quiet machines; bench/runner.test.ts tries the command with others";
const GATE = "is what runs this test";

export const knownCommands: readonly KnownCommand[] = [
  tried("npm start", NPM, '["--step"]'),
  tried("npm start -- --step", NPM, '["--step"]'),
  tried("npm start -- --help", NPM, "npm start -- --help"),
  tried("npm start -- --quiet", "e2e/docs/docs.test.ts", '"--quiet"'),
  tried("npm run -s farrier -- run", "e2e/program/operator-process.ts", '"run", "--kubeconfig"'),
  tried("npm run cluster -- up --nodes 20", CLUSTER, '["up", "--nodes", "2"]'),
  tried("npm run cluster -- build", "e2e/control-plane/binaries.test.ts", "build"),
  { ...tried("npm run sim", "sim/simulator/search/command-line.test.ts", "--seeds"), isFamily: true },
  tried("npm run bundle", "e2e/deploy/plug-in.test.ts", "await bundle("),
  tried("npm run gen", "tools/test/groups.ts", "staleFiles()"),
  tried("npm ci", "tools/setup.mjs", '"ci"'),
  { command: "npm install", untried: "is how a developer changes the lock file" },
  { command: "npm run fix", untried: "changes the files of whoever runs it" },
  ...[
    "npm test",
    "npm run ok",
    ...["simulation", "unit", "tidy", "e2e"].map((group) => `npm test -- --only ${group}`),
  ].map((command) => ({ command, untried: GATE })),
  { command: "npm run bench", untried: MEASURES, isFamily: true },
  tried("kubectl farrier COMMAND", "e2e/deploy/plug-in.test.ts", "kubectl farrier"),
  tried(
    "helm upgrade --install farrier deploy/helm/farrier --namespace farrier-system --create-namespace",
    ...[RELEASE, "upgrade --install farrier"],
  ),
  tried("helm uninstall farrier --namespace farrier-system", RELEASE, "uninstall farrier --namespace"),
  tried("helm template", "e2e/helm/helm.ts", '"template", "farrier"'),
  tried("kubectl diff", "e2e/deploy/install.test.ts", "diff --server-side"),
  tried("kubectl get nodes -o wide", SESSION, "get nodes -o wide"),
  tried("kubectl get nodes --show-labels", SESSION, "--show-labels"),
  tried("kubectl create namespace", CREATE, "create namespace"),
  tried("kubectl create deployment", CREATE, "create deployment"),
  { command: "kubectl patch --local", untried: "is an alternative that was not taken" },
  {
    command: "kubectl kruise",
    untried: "is another project's plug-in; e2e/kinds/daemon-set/typed-client.ts sends what it sends",
  },
];
