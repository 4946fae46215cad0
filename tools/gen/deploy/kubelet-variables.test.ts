import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { addRun } from "../../../src/cli/run-command.ts";
import { collectSettings, type RunSettings, readSettings, SETTINGS } from "../../../src/cli/settings/run-settings.ts";
import { canServiceMake, variableOf } from "../../../src/cli/settings/setting-names.ts";
import type { Parsed } from "../../../src/core/decision/problem.ts";
import { KIND_NAMES } from "../../../src/kinds/all-kinds.ts";
import { repositoryRoot } from "../../repository.ts";
import { kubeletVariables, type LinkedService } from "./kubelet-variables.ts";

type Variables = Readonly<Record<string, string>>;

const manifest = readFileSync(join(repositoryRoot, "deploy", "farrier.yaml"), "utf8");
const objects = parseAllDocuments(manifest).map((document) => Object(document.toJS()));
const podSpec = objects.find(({ kind }) => kind === "Deployment").spec.template.spec;
/** What the manifest itself sets; the pod's namespace is known only in a cluster. */
const ownVariables: Variables = { FARRIER_NAMESPACE: "farrier-system" };
const clusterIP = "10.0.140.1";

const installed: readonly LinkedService[] = objects
  .filter(({ kind }) => kind === "Service")
  .map(({ metadata, spec }) => ({ name: metadata.name, clusterIP, ports: spec.ports }));

const adversarial: readonly LinkedService[] = ["farrier", "farrier-http", "farrier-webhook", "farrier-metrics"].flatMap(
  (name) => [
    { name, clusterIP, ports: [{ port: 443 }] },
    {
      name,
      clusterIP: "fd00::1",
      ports: [
        { name: "http", port: 80 },
        { name: "port", port: 9443, protocol: "UDP" },
      ],
    },
    { name, clusterIP, ports: [{ name: "number", port: 5000, protocol: "SCTP" }] },
  ],
);

/** Services named like the first words of each setting's variable, with ports named like the remaining words. */
const nearest: readonly LinkedService[] = SETTINGS.flatMap(({ key }) => {
  const words = variableOf(key).toLowerCase().split("_");
  return words.map((_, at) => {
    const names = words.map((__, from) => words.slice(from).join("-"));
    const ports = names.map((name, index) => ({ name, port: 8000 + index }));
    return { name: words.slice(0, at + 1).join("-"), clusterIP, ports };
  });
});

/** The settings of `farrier run` with the arguments of the installation. */
async function settingsWith(env: Variables): Promise<Parsed<RunSettings> | undefined> {
  let parsed: Parsed<RunSettings> | undefined;
  const program = new Command();
  const run = async (flags: Readonly<Record<string, string | undefined>>) => {
    parsed = readSettings(collectSettings({ flags, env }), KIND_NAMES);
    return 0 as const;
  };
  addRun(program, { called: "farrier", run, done: () => undefined });
  await program.parseAsync(podSpec.containers[0].args, { from: "user" });
  return parsed;
}

test("the kubelet adds the variable that stopped the operator on a real cluster", () => {
  const names = installed.map(({ name }) => name);
  expect(names).toEqual(["farrier-webhook"]);
  expect(Object.assign({}, ...installed.map(kubeletVariables))).toEqual({
    FARRIER_WEBHOOK_SERVICE_HOST: "10.0.140.1",
    FARRIER_WEBHOOK_SERVICE_PORT: "443",
    FARRIER_WEBHOOK_SERVICE_PORT_WEBHOOK: "443",
    FARRIER_WEBHOOK_PORT: "tcp://10.0.140.1:443",
    FARRIER_WEBHOOK_PORT_443_TCP: "tcp://10.0.140.1:443",
    FARRIER_WEBHOOK_PORT_443_TCP_PROTO: "tcp",
    FARRIER_WEBHOOK_PORT_443_TCP_PORT: "443",
    FARRIER_WEBHOOK_PORT_443_TCP_ADDR: "10.0.140.1",
  });
});

test.each<readonly [string, readonly LinkedService[]]>([
  ["of the installation", installed],
  ["with names of our own", adversarial],
  ["named like our variables", nearest],
])("Services %s change no setting of the operator", async (_, services) => {
  const without = await settingsWith(ownVariables);
  expect(without).toMatchObject({ ok: true });
  expect(services.length).toBeGreaterThan(0);
  for (const linked of services) {
    expect(await settingsWith({ ...kubeletVariables(linked), ...ownVariables })).toEqual(without);
  }
});

test("the installation asks kubelets for no variables of Services", () => {
  expect(podSpec.enableServiceLinks).toBe(false);
});

test("canServiceMake() knows every name that the kubelet makes", () => {
  const names = [...installed, ...adversarial, ...nearest].flatMap((linked) => Object.keys(kubeletVariables(linked)));
  expect(names.filter((name) => !canServiceMake(name))).toEqual([]);
});
