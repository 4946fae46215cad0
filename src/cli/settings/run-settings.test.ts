import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json/json.ts";
import { DEFAULT_GATES } from "../../kinds/daemon-set/api/gates.ts";
import { BUILD_SITE } from "../../kinds/module/build/build-site.ts";
import { collectSettings, readSettings, SETTINGS } from "./run-settings.ts";

const KINDS = ["Module", "VariantSet", "DaemonSet"];
type Texts = Readonly<Record<string, string | undefined>>;
function settingsOf(flags: Texts = {}, env: Texts = {}, content?: JsonObject) {
  const file = content === undefined ? {} : { file: { name: "farrier.yaml", content } };
  return readSettings(collectSettings({ flags, env, ...file }), KINDS);
}
const value = (...args: Parameters<typeof settingsOf>) => {
  const parsed = settingsOf(...args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
};

test("without a word from anybody everything has its default", () => {
  expect(value()).toEqual({
    ...{
      kinds: KINDS,
      namespaces: [],
      takeOver: [],
      gates: DEFAULT_GATES,
      gateNotes: [],
      bindPods: "scheduler",
      leaderElect: true,
      leaseName: "farrier",
    },
    namespace: "farrier-system",
    ...{ httpPort: 8080, webhook: { by: "nobody" }, webhookPort: 9443, webhookService: "farrier-webhook" },
    ...{ certificateSecret: "farrier-certificates", logLevel: "info" },
    ...{ site: BUILD_SITE, registry: { networks: [], tokenHosts: new Map(), authorities: "" } },
  });
});

test("a flag counts before the environment, and that before a file", () => {
  const file = { httpPort: 1, webhookPort: 1, logLevel: "error" };
  const env = { FARRIER_HTTP_PORT_NUMBER: "2", FARRIER_WEBHOOK_PORT_NUMBER: "2" };
  expect(value({ httpPort: "3" }, env, file)).toMatchObject({ httpPort: 3, webhookPort: 2, logLevel: "error" });
});

test("lists and maps of a file are those of a flag", () => {
  const featureGates = { AdvancedDaemonSetNodeLabelPatches: false, KruiseDaemon: true };
  expect(value({}, {}, { kinds: ["module", "DaemonSet"], featureGates, leaderElect: false })).toMatchObject({
    ...{ kinds: ["Module", "DaemonSet"], leaderElect: false },
    gates: { AdvancedDaemonSetNodeLabelPatches: false },
    gateNotes: [expect.stringContaining("KruiseDaemon has no effect")],
  });
});

test("namespaces to serve are named, and a fault names the place", () => {
  expect(value({ namespaces: "storage,gpu" }).namespaces).toEqual(["storage", "gpu"]);
  expect(settingsOf({ namespaces: "Storage" })).toMatchObject({
    problems: [{ path: "--namespaces", message: expect.stringContaining('"Storage" is no name of a namespace') }],
  });
});

test("kinds to take over are named as kinds are", () => {
  expect(value({ takeOver: "daemonset" }).takeOver).toEqual(["DaemonSet"]);
});

test.each<readonly [string, unknown]>([
  ["off", { by: "nobody" }],
  ["service", { by: "service" }],
  ["https://127.0.0.1:9443/", { by: "url", url: "https://127.0.0.1:9443" }],
])("webhooks by %s", (text, webhook) => {
  expect(value({ webhook: text }).webhook).toEqual(webhook);
});

describe("a fault names its place, the value and the remedy", () => {
  test.each<readonly [string, Parameters<typeof settingsOf>, string]>([
    ["a port", [{ httpPort: "x" }], '--http-port: "x" is no port; give 0 to 65535'],
    ["a port that is too large", [{}, { FARRIER_WEBHOOK_PORT: "65536" }], 'FARRIER_WEBHOOK_PORT: "65536" is no port'],
    ["a kind", [{}, {}, { kinds: ["Nodule"] }], 'farrier.yaml: kinds: "Nodule" is no kind; there are Module,'],
    ["a kind to take over", [{ takeOver: "Kruise" }], '--take-over: "Kruise" is no kind; there are Module,'],
    ["no kind at all", [{ kinds: "" }], "--kinds: names no kind"],
    ["a gate", [{ featureGates: "A=yes" }], '--feature-gates: feature gate "A=yes": write name=true or name=false'],
    ["a binding", [{ bindPods: "us" }], '--bind-pods: "us" is none of scheduler, nodeName'],
    ["a bool", [{ leaderElect: "yes" }], '--leader-elect: "yes" is neither true nor false'],
    ["a level", [{ logLevel: "loud" }], '--log-level: "loud" is none of debug, info, warn, error'],
    ["a name", [{ namespace: "A_b" }], '--namespace: "A_b" is no name of an object'],
    ["a URL", [{ webhook: "http://x" }], '--webhook: "http://x" is neither off, nor service, nor a URL with https'],
    ["an unknown setting", [{}, {}, { httpprot: 1 }], "farrier.yaml: httpprot: is no setting; there are kinds,"],
  ])("%s", (_, sources, message) => {
    const parsed = settingsOf(...sources);
    expect(parsed.ok ? [] : parsed.problems.map(({ path, message: text }) => `${path}: ${text}`)).toEqual([
      expect.stringContaining(message),
    ]);
  });

  test("all of them are told at once", () => {
    const parsed = settingsOf({ httpPort: "x", logLevel: "y" });
    expect(parsed.ok ? 0 : parsed.problems.length).toBe(2);
  });
});

test("every default is valid, and every setting has help", () => {
  expect(settingsOf().ok).toBe(true);
  for (const { help } of SETTINGS) expect(help.length).toBeGreaterThan(5);
});
