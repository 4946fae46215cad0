// `npm start`: the embedded control plane with a fleet of simulated nodes, until Ctrl-C.
import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { orphaned } from "../e2e/control-plane/orphaned.ts";
import { styleFor } from "../sim/demo/invitation.ts";
import { runDemo } from "../sim/demo/run-demo.ts";
import { expandFleet } from "../sim/fleets/expand-fleet.ts";
import { FLEET_NODES_MAX } from "../sim/fleets/fleet.ts";
import { fleetNames, readFleet } from "../sim/fleets/read-fleet.ts";
import { KIND_NAMES } from "../src/kinds/all-kinds.ts";
import { createLog } from "../src/runtime/log/log.ts";
import { nodeClock } from "../src/runtime/node/node-clock.ts";
import { streamDestination } from "../src/runtime/node/node-log-destination.ts";
import { nodeRand } from "../src/runtime/node/node-rand.ts";
import { repositoryRoot } from "./repository.ts";
import { startOperator } from "./start-operator.ts";
import { startStory } from "./start-story.ts";
import { countedTransport } from "./story/counted-transport.ts";

const PORT_MAX = 65_535;
/** Asked twice to end, the demo does not wait for anybody any more. */
const ENDED_BY_FORCE = 130;

type StartOptions = {
  readonly nodes?: number;
  readonly fleet: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly step?: boolean;
  readonly quiet?: boolean;
};

/** The fleet that the story is about. */
const STORY_FLEET = "mixed-200";
/** With fewer nodes there are not enough of each kind for every act. */
const STORY_NODES_MIN = 100;

const examples = `
Examples:
  npm start
  npm start -- --step
  npm start -- --quiet --nodes 1000
  npm start -- --fleet small-5 --port 6443 --kubeconfig ~/.kube/farrier`;

const program = new Command("npm start --")
  .description("A Kubernetes API on this machine with simulated nodes: no cluster, no containers, nothing to install.")
  .option("--nodes <count>", "how many nodes, in the proportions of the fleet", wholeNumber(0, FLEET_NODES_MAX))
  .option("--fleet <name or file>", `which nodes: ${fleetNames().join(", ")}, or a YAML file`, STORY_FLEET)
  .option("--port <port>", "port of the API server on 127.0.0.1; 0 takes a free one", wholeNumber(0, PORT_MAX), 0)
  .option("--kubeconfig <file>", "where to write the kubeconfig (default: farrier.kubeconfig in this folder)")
  .option("--step", "wait for Enter before each act of the story")
  .option("--quiet", "only serve: tell no story")
  .addHelpText("after", examples)
  .showHelpAfterError("(add --help for the options)")
  .action(start);

async function start({ nodes, fleet, port, kubeconfig, step = false, quiet = false }: StartOptions): Promise<void> {
  const machines = expandFleet(readFleet(fleet), nodes === undefined ? {} : { count: nodes });
  const hasStory = !quiet && fleet === STORY_FLEET && machines.length >= STORY_NODES_MIN;
  if (step && !hasStory)
    throw new Error(`--step needs the story: fleet ${STORY_FLEET}, ${STORY_NODES_MIN} nodes or more, no --quiet`);
  const end = endSignal();
  const clock = nodeClock();
  const rand = nodeRand();
  const log = createLog(streamDestination(process.stderr), clock, { level: "error" });
  const style = styleFor(process.stdout.isTTY === true, process.env);
  const requests = { reads: 0, writes: 0, watches: 0 };
  const wish = { clock, rand, style, requests, end, isStepwise: step, isColourful: style.strong("") !== "" };
  await runDemo({
    fleet: machines,
    port,
    place: {
      wish: kubeconfig === undefined ? undefined : resolve(kubeconfig),
      currentFolder: process.cwd(),
      otherFolder: join(process.env.XDG_RUNTIME_DIR || tmpdir(), `farrier-${process.getuid?.() ?? "demo"}`),
    },
    ...{ clock, rand, log },
    show: (text) => process.stdout.write(text),
    tell: (line) => console.error(line),
    style,
    hasKubectl: isOnPath("kubectl"),
    ...{ manifestPath: join(repositoryRoot, "examples", "variant-set.yaml"), kinds: KIND_NAMES },
    tenant: (transport) => startOperator(countedTransport(transport, requests), { clock, rand, log }, end),
    ...(hasStory ? { story: (cluster, path) => startStory(cluster, path, wish) } : {}),
    end,
  });
}

/** Aborted by the first signal; the second ends the process. A reader or an npm that went away wants an end, too. */
function endSignal(): AbortSignal {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => (end.signal.aborted ? process.exit(ENDED_BY_FORCE) : end.abort()));
  }
  process.stdout.on("error", () => end.abort());
  void orphaned().then(() => end.abort());
  return end.signal;
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`give a whole number from ${min} to ${max}.`);
  };
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(`npm start: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
