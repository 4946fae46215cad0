// `npm run cluster`: a real control plane with simulated nodes for a person to play with, until Ctrl-C.
import { once } from "node:events";
import { Command, InvalidArgumentError } from "commander";
import { mixedFleet } from "../../sim/fleets/mixed-fleet.ts";
import { startClusterWithNodes } from "../kubelets/cluster-with-nodes.ts";
import { type Binaries, ensureControlPlane } from "./binaries.ts";
import { orphaned } from "./orphaned.ts";
import { pinnedVersions } from "./programs.ts";

const NODES_MAX = 5_000;
const PORT_MAX = 65_535;

const examples = `
Examples:
  npm run cluster -- up --nodes 20
  npm run cluster -- up --nodes 6 --kernels 5.14.0-427.el9,6.8.0-45-generic --port 6443
  npm run cluster -- build`;

const program = new Command("npm run cluster --")
  .description("A real control plane on this machine (etcd, API server, controllers, scheduler) with simulated nodes.")
  .addHelpText("after", examples)
  .showHelpAfterError("(add --help for the options)");

program
  .command("up")
  .description("start a cluster and keep it until Ctrl-C; nothing stays behind")
  .option("--nodes <count>", "how many nodes", wholeNumber(0, NODES_MAX), 20)
  .option("--kernels <list>", "kernel versions to hand out in turn, separated by commas", listOfWords, [])
  .option("--port <port>", "port of the API server on 127.0.0.1 (default: a free one)", wholeNumber(1, PORT_MAX))
  .action(up);

program
  .command("build")
  .description("build the programs now, so that tests and `up` find them")
  .action(async () => {
    const binaries = await findOrBuild();
    for (const [name, path] of binaries) console.log(`${name}: ${path}`);
  });

type UpOptions = { readonly nodes: number; readonly kernels: readonly string[]; readonly port?: number };

async function up({ nodes, kernels, port }: UpOptions): Promise<void> {
  const binaries = await findOrBuild();
  // Only now: before, a signal ends us at once, and a build with us.
  const stopped = stopRequested();
  console.error(`starting Kubernetes ${pinnedVersions().kubernetes} with ${nodes} nodes …`);
  const world = await startClusterWithNodes({
    binaries,
    machines: mixedFleet({ count: nodes, kernels }),
    ...(port === undefined ? {} : { port }),
  });
  try {
    console.log(invitation(world.cluster.address.url, world.cluster.kubeconfigFile(), binaries, nodes));
    const end = await Promise.race([stopped, world.cluster.partEnded()]);
    if (end !== "asked") throw new Error(end);
    console.error("stopping …");
  } finally {
    await world.stop();
  }
}

/** What a person reads when the cluster is there: where it is, and three commands to try. */
function invitation(url: string, kubeconfig: string, binaries: Binaries, nodes: number): string {
  const kubectl = binaries.get("kubectl") ?? "kubectl";
  return `
Ready: ${nodes} nodes at ${url}. In another terminal:

  export KUBECONFIG=${kubeconfig}
  alias kubectl=${kubectl}

  kubectl get nodes -o wide
  kubectl create deployment hello --image=example.org/hello:v1 --replicas=5
  kubectl get pods -o wide --watch

Ctrl-C stops the cluster and removes everything.`;
}

async function findOrBuild(): Promise<Binaries> {
  const answer = await ensureControlPlane((line) => console.error(`  ${line}`));
  if (!answer.available) throw new Error(`${answer.reason}; ${answer.remedy}`);
  return answer.binaries;
}

async function stopRequested(): Promise<"asked"> {
  await Promise.race([...["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)), orphaned()]);
  return "asked";
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`give a whole number from ${min} to ${max}.`);
  };
}

function listOfWords(text: string): readonly string[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.every((word) => word !== "")) return words;
  throw new InvalidArgumentError("give kernel versions separated by commas.");
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(`npm run cluster: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
