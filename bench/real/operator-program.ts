// The product beside a registry that has every image: what `farrier run` runs, for stories in which images are looked for. The registry
// answers within the process, so that no server of ours takes time from the contestants.
import { parseArgs } from "node:util";
import { runProgram } from "../../src/assembly/assemble.ts";
import { collectSettings, readSettings } from "../../src/cli/settings/run-settings.ts";
import { KIND_NAMES } from "../../src/kinds/all-kinds.ts";
import { loadConfig } from "../../src/kube/config/config.ts";
import type { RegistryTransport } from "../../src/runtime/http/registry-transport.ts";
import { createLog } from "../../src/runtime/log/log.ts";
import { nodeClock } from "../../src/runtime/node/node-clock.ts";
import { nodeFiles, nodePrograms } from "../../src/runtime/node/node-files.ts";
import { streamDestination } from "../../src/runtime/node/node-log-destination.ts";
import { nodeRand } from "../../src/runtime/node/node-rand.ts";
import { createNodeTransport } from "../../src/runtime/node/node-transport.ts";

const everyImage: RegistryTransport = {
  request: async () => ({
    ...{ status: 200, body: new Uint8Array() },
    headers: { "docker-content-digest": `sha256:${"0".repeat(64)}` },
  }),
};

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: { kubeconfig: { type: "string" }, "http-port": { type: "string" } },
});
const clock = nodeClock();
const settings = readSettings(collectSettings({ flags: { httpPort: values["http-port"] }, env: {} }), KIND_NAMES);
if (!settings.ok) throw new Error(JSON.stringify(settings.problems));
const { server, credentials } = await loadConfig(
  { files: nodeFiles(), programs: nodePrograms(clock), clock, env: {} },
  { kubeconfig: values.kubeconfig },
);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort(new Error("SIGTERM")));
const transport = createNodeTransport({ server, credentials, clock });
const log = createLog(streamDestination(process.stdout), clock, { level: settings.value.logLevel });
const ports = { identity: "bench", transport, registry: everyImage, clock, rand: nodeRand(), log };
await runProgram(ports, settings.value, stop.signal);
transport.close();
