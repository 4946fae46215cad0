#!/usr/bin/env node
// The program: reads what it is asked, and binds the ports to this machine and to a cluster.
import { randomUUID } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { runProgram } from "./assembly/assemble.ts";
import { PROGRAM, VERSION } from "./assembly/program-run.ts";
import type { CliPorts, Connecting } from "./cli/cli-ports.ts";
import { CommandError, EXIT, type Exit } from "./cli/command-error.ts";
import { problemLines } from "./cli/input/source.ts";
import { colourful, plain } from "./cli/output/print.ts";
import { runCommandLine } from "./cli/program.ts";
import { addRun, type RunFlags } from "./cli/run-command.ts";
import {
  collectSettings,
  isOfFile,
  type RunSettings,
  readSettings,
  type WrittenSettings,
} from "./cli/settings/run-settings.ts";
import { explainDeprecatedVariables } from "./cli/settings/setting-names.ts";
import { readSettingsFile } from "./cli/settings/settings-file.ts";
import { createKinds, KIND_NAMES } from "./kinds/all-kinds.ts";
import { createClient } from "./kube/client/create-client.ts";
import type { ClusterConfig } from "./kube/config/cluster-config.ts";
import { loadConfig } from "./kube/config/config.ts";
import { decideOnSignal } from "./runtime/lifecycle.ts";
import { createLog, type Logger } from "./runtime/log/log.ts";
import { readableLog } from "./runtime/log/readable-log.ts";
import { nodeClock } from "./runtime/node/node-clock.ts";
import { nodeFiles, nodePrograms } from "./runtime/node/node-files.ts";
import { streamDestination } from "./runtime/node/node-log-destination.ts";
import { chooseProxy } from "./runtime/node/node-proxy-choice.ts";
import { nodeRand } from "./runtime/node/node-rand.ts";
import { createNodeRegistry } from "./runtime/node/node-registry.ts";
import { createNodeTransport } from "./runtime/node/node-transport.ts";

/** Asked twice to end, nobody is waited for any more. */
const ENDED_BY_FORCE = 130;

const clock = nodeClock();
const rand = nodeRand();

async function main(): Promise<Exit> {
  const called = basename(process.argv[1] ?? "").startsWith("kubectl-") ? `kubectl ${PROGRAM}` : PROGRAM;
  const addCommands = (program: Command, done: (exit: Exit) => void) => addRun(program, { called, run, done });
  const options = { version: VERSION, called, kinds: createKinds(), addCommands };
  return runCommandLine(process.argv.slice(2), options, machine());
}

async function run(flags: RunFlags): Promise<Exit> {
  const settings = await settingsFor(flags);
  const log = logFor(settings);
  for (const note of explainDeprecatedVariables(process.env)) log.warn(note);
  const config = await configFor(flags);
  const { server, origin, credentials } = config;
  const transport = createNodeTransport({ server, credentials, clock, proxy: proxyOf(config) });
  const { networks: allowedNetworks, authorities } = settings.registry;
  const registry = createNodeRegistry({
    allowedNetworks,
    proxyFor: (url) => chooseProxy(url, process.env),
    ...(authorities === "" ? {} : { authorities }),
  });
  const identity = `${process.env.POD_NAME ?? hostname()}_${randomUUID()}`;
  log.info("starting", { version: VERSION, identity, server, from: origin, kinds: settings.kinds.join(",") });
  const ports = { identity, transport, registry, clock, rand, log };
  const { code } = await runProgram(ports, settings, stopSignal());
  transport.close();
  return code === 0 ? EXIT.nothing : EXIT.trouble;
}

async function settingsFor(flags: RunFlags): Promise<RunSettings> {
  const { config: file } = flags;
  const content = file === undefined ? undefined : readSettingsFile(file, await readFile(file, "utf8"));
  const sources = {
    flags,
    env: process.env,
    ...(file === undefined || content === undefined ? {} : { file: { name: file, content } }),
  };
  const parsed = readSettings(await withFiles(collectSettings(sources)), KIND_NAMES);
  if (!parsed.ok) throw new CommandError(problemLines(parsed.problems).join("\n"));
  return parsed.value;
}

/** The settings with what the files hold that some of them name. */
async function withFiles(written: WrittenSettings): Promise<WrittenSettings> {
  const whole = new Map(written);
  for (const [key, { text: path, place }] of written) {
    if (!isOfFile(key) || path === "") continue;
    try {
      whole.set(key, { text: await readFile(path, "utf8"), place: `${place} (${path})` });
    } catch (error) {
      throw new CommandError(
        `${place}: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return whole;
}

function logFor({ logLevel: level }: RunSettings): Logger {
  const destination = streamDestination(process.stdout);
  const isSeen = process.stdout.isTTY === true;
  return createLog(isSeen ? readableLog(destination, { colors: true }) : destination, clock, { level });
}

function configFor({ kubeconfig, context }: Connecting): Promise<ClusterConfig> {
  return loadConfig(
    { files: nodeFiles(), programs: nodePrograms(clock), clock, env: process.env },
    { kubeconfig, context },
  );
}

/** The proxy to the API server: that of the kubeconfig, or else that of the environment, as in kubectl. */
function proxyOf({ server, proxyUrl }: ClusterConfig): URL | undefined {
  return proxyUrl === undefined ? chooseProxy(new URL(server), process.env) : new URL(proxyUrl);
}

/** Aborted by the first signal to end; the second ends at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let count = 0;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      count += 1;
      if (decideOnSignal(count) === "stop") stop.abort(new Error(name));
      else process.exit(ENDED_BY_FORCE);
    });
  }
  return stop.signal;
}

/** The ports of the commands that ask and end. */
function machine(): CliPorts {
  const isColourful = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return {
    out: (text) => process.stdout.write(text),
    err: (line) => process.stderr.write(`${line}\n`),
    readFile: (path) => readFile(path, "utf8"),
    listFiles: async (path) => {
      if (!(await stat(path)).isDirectory()) return [path];
      const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name));
      return names.sort().map((name) => join(path, name));
    },
    readInput: async () => {
      const pieces: Buffer[] = [];
      for await (const piece of process.stdin) pieces.push(Buffer.from(piece));
      return Buffer.concat(pieces).toString("utf8");
    },
    askPerson: process.stdin.isTTY === true ? askPerson : undefined,
    connect: async (wishes) => {
      const config = await configFor(wishes);
      const { server, origin, namespace, credentials } = config;
      const transport = createNodeTransport({ server, credentials, clock, proxy: proxyOf(config) });
      const client = createClient({ transport, clock, rand, fieldManager: PROGRAM });
      return { client, origin, server, namespace, close: () => transport.close() };
    },
    wallMs: () => clock.wallMs(),
    paint: isColourful ? colourful : plain,
  };
}

async function askPerson(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

process.exitCode = await main();
