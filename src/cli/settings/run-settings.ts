// The settings of `farrier run`: from flags, then the environment, then a file, then defaults. Each is read once, and a fault names
// the place where it was written.
//
// Beside this file:
//   build-settings.ts  builds and registries
//   settings-file.ts   the file form

import { noteProblem, type Parsed, type Problem } from "../../core/decision/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { quoted } from "../../core/values/shown.ts";
import { type Gates, parseGates } from "../../kinds/daemon-set/api/gates.ts";
import type { Binding } from "../../kinds/daemon-set/pods/pod-body.ts";
import { BUILD_SITE, type BuildSite } from "../../kinds/module/build/build-site.ts";
import {
  BUILD_SETTINGS,
  type RegistrySettings,
  readAuthorities,
  readBuilder,
  readBuildsMax,
  readImage,
  readNetworks,
  readTokenHosts,
} from "./build-settings.ts";
import { flagOf, variableIn } from "./setting-names.ts";

/** One setting: its key in a file; flag and variable follow from it. */
export type Setting = {
  readonly key: string;
  readonly value: string;
  readonly help: string;
  readonly fallback: string;
};

export const SETTINGS = [
  {
    key: "kinds",
    value: "list",
    fallback: "Module,VariantSet,DaemonSet",
    help: "the kinds to serve, separated by commas",
  },
  {
    key: "namespaces",
    value: "list",
    fallback: "",
    help: "serve only objects of these namespaces; another operator for others needs another --lease-name",
  },
  {
    key: "takeOver",
    value: "list",
    fallback: "",
    help: "kinds to work on although another operator for them is live",
  },
  { key: "featureGates", value: "gates", fallback: "", help: "gates as Name=true,Other=false" },
  {
    key: "bindPods",
    value: "by",
    fallback: "scheduler",
    help: "who binds pods of advanced DaemonSets: scheduler, or nodeName to name the node ourselves",
  },
  {
    key: "leaderElect",
    value: "bool",
    fallback: "true",
    help: "agree with other replicas on who works; false for one replica",
  },
  { key: "leaseName", value: "name", fallback: "farrier", help: "the Lease over which replicas agree" },
  { key: "namespace", value: "name", fallback: "farrier-system", help: "where Lease and certificates lie" },
  { key: "httpPort", value: "port", fallback: "8080", help: "port of probes and metrics" },
  {
    key: "webhook",
    value: "mode",
    fallback: "off",
    help: "serve webhooks: off, service, or the URL at which the API server reaches us",
  },
  { key: "webhookPort", value: "port", fallback: "9443", help: "port of the webhooks" },
  { key: "webhookService", value: "name", fallback: "farrier-webhook", help: "the Service before the webhooks" },
  {
    key: "certificateSecret",
    value: "name",
    fallback: "farrier-certificates",
    help: "the Secret that replicas share for webhooks",
  },
  ...BUILD_SETTINGS,
  { key: "logLevel", value: "level", fallback: "info", help: "debug, info, warn or error" },
] as const satisfies readonly Setting[];

export type Key = (typeof SETTINGS)[number]["key"];

/** What somebody has written, and where. */
export type Written = { readonly text: string; readonly place: string };
export type WrittenSettings = ReadonlyMap<string, Written>;

export type RunSettings = {
  readonly kinds: readonly string[];
  /** All namespaces where there are none. */
  readonly namespaces: readonly string[];
  /** Kinds that are not left to another operator. */
  readonly takeOver: readonly string[];
  readonly gates: Gates;
  /** What whoever set the gates should know. */
  readonly gateNotes: readonly string[];
  /** Who binds the pods of advanced DaemonSets to their nodes. */
  readonly bindPods: Binding;
  readonly leaderElect: boolean;
  readonly leaseName: string;
  readonly namespace: string;
  readonly httpPort: number;
  readonly webhook: Webhook;
  readonly webhookPort: number;
  readonly webhookService: string;
  readonly certificateSecret: string;
  readonly site: BuildSite;
  readonly registry: RegistrySettings;
  readonly logLevel: (typeof LEVELS)[number];
};

/** How the API server reaches our webhooks. */
export type Webhook =
  | { readonly by: "nobody" }
  | { readonly by: "service" }
  | { readonly by: "url"; readonly url: string };

export const BINDINGS: readonly Binding[] = ["scheduler", "nodeName"];
export const LEVELS = ["debug", "info", "warn", "error"] as const;
const PORT_MAX = 65_535;

/** Joins what was written in all places; a flag counts before the environment, and that before a file. */
export function collectSettings(sources: {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: { readonly name: string; readonly content: JsonObject };
}): WrittenSettings {
  const { flags, env, file } = sources;
  const written = new Map<string, Written>();
  for (const [key, value] of Object.entries(file?.content ?? {})) {
    written.set(key, { text: textOf(value), place: `${file?.name}: ${key}` });
  }
  for (const { key } of SETTINGS) {
    const variable = variableIn(env, key);
    const flag = flags[key];
    if (variable !== undefined) written.set(key, { text: env[variable] ?? "", place: variable });
    if (flag !== undefined) written.set(key, { text: flag, place: flagOf(key) });
  }
  return written;
}

/** Reads all settings; every fault is listed. */
export function readSettings(written: WrittenSettings, kindNames: readonly string[]): Parsed<RunSettings> {
  const problems: Problem[] = [];
  const known = new Set<string>(SETTINGS.map(({ key }) => key));
  for (const [key, { place }] of written) {
    if (!known.has(key)) noteProblem(problems, place, `is no setting; there are ${[...known].join(", ")}`);
  }
  const read = <T>(key: Key, parse: (text: string) => T | string): T | undefined => {
    const { text, place } = written.get(key) ?? { text: fallbackOf(key), place: flagOf(key) };
    const value = parse(text);
    if (typeof value !== "string") return value;
    noteProblem(problems, place, value);
    return undefined;
  };
  const name = (key: Key) =>
    read(key, (text) => (DNS_NAME.test(text) ? { text } : `${quoted(text)} is no name of an object`));
  const gates = read("featureGates", (text) => {
    const { problems: faults, ...known } = parseGates(text);
    return faults.length === 0 ? known : faults.join("; ");
  });
  const settings = {
    kinds: read("kinds", (text) => listOf(text, kindNames)),
    namespaces: read("namespaces", namespacesOf),
    takeOver: read("takeOver", (text) => (text === "" ? [] : listOf(text, kindNames))),
    gates: gates?.gates,
    gateNotes: gates?.notes,
    bindPods: read("bindPods", (text) => {
      const by = BINDINGS.find((each) => each === text);
      return by === undefined ? `${quoted(text)} is none of ${BINDINGS.join(", ")}` : { by };
    })?.by,
    leaderElect: read("leaderElect", boolOf),
    leaseName: name("leaseName")?.text,
    namespace: name("namespace")?.text,
    httpPort: read("httpPort", portOf),
    webhook: read("webhook", webhookOf),
    webhookPort: read("webhookPort", portOf),
    webhookService: name("webhookService")?.text,
    certificateSecret: name("certificateSecret")?.text,
    ...readBuilds(written, read, problems),
    logLevel: read("logLevel", (text) => {
      const level = LEVELS.find((each) => each === text);
      return level === undefined ? `${quoted(text)} is none of ${LEVELS.join(", ")}` : { level };
    })?.level,
  };
  return isWhole(settings) && problems.length === 0 ? { ok: true, value: settings } : { ok: false, problems };
}

type Read = <T>(key: Key, parse: (text: string) => T | string) => T | undefined;

/** The settings of builds and registries. */
function readBuilds(written: WrittenSettings, read: Read, problems: Problem[]) {
  const textAt = (key: Key) => written.get(key)?.text ?? fallbackOf(key);
  const builder = readBuilder({
    ...{ name: textAt("builder"), image: textAt("builderImage"), template: textAt("builderTemplate") },
  });
  if ("key" in builder) noteProblem(problems, written.get(builder.key)?.place ?? flagOf(builder.key), builder.message);
  const signer = read("signerImage", readImage);
  const runningMax = read("buildsMax", readBuildsMax);
  const isProbing = read("registryProbe", boolOf);
  const networks = read("registryNetworks", readNetworks);
  const tokenHosts = read("registryTokenHosts", readTokenHosts);
  const authorities = read("registryAuthorities", readAuthorities);
  const isSite = !("key" in builder) && signer !== undefined && runningMax !== undefined;
  const { resources } = BUILD_SITE;
  const registry: BuildSite["registry"] = isProbing === false ? "unasked" : "asked";
  const isReach = networks !== undefined && tokenHosts !== undefined && authorities !== undefined;
  return {
    site: isSite ? { builder, signerImage: signer.image, runningMax, resources, registry } : undefined,
    registry: isReach ? { networks, tokenHosts, authorities: authorities.pem } : undefined,
  };
}

function boolOf(text: string): boolean | string {
  return /^(true|false)$/.test(text) ? text === "true" : `${quoted(text)} is neither true nor false`;
}

/** Whether the text of a setting is the name of a file: what counts is what the file holds. */
export function isOfFile(key: string): boolean {
  return SETTINGS.some((setting) => setting.key === key && setting.value === "file");
}

export const NAMESPACE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

type Unread = { readonly [K in keyof RunSettings]: RunSettings[K] | undefined };

function isWhole(settings: Unread): settings is RunSettings {
  return Object.values(settings).every((value) => value !== undefined);
}

function fallbackOf(key: Key): string {
  return SETTINGS.find((setting) => setting.key === key)?.fallback ?? "";
}

function listOf(text: string, known: readonly string[]): readonly string[] | string {
  const names = text.split(",").filter((each) => each !== "");
  const found = names.map((each) => known.find((one) => one.toLowerCase() === each.toLowerCase()));
  const wrong = names.find((_, at) => found[at] === undefined);
  if (names.length === 0) return `names no kind; there are ${known.join(", ")}`;
  return wrong === undefined
    ? found.filter((each) => each !== undefined)
    : `${quoted(wrong)} is no kind; there are ${known.join(", ")}`;
}

function namespacesOf(text: string): readonly string[] | string {
  const names = text.split(",").filter((each) => each !== "");
  const wrong = names.find((each) => !NAMESPACE_NAME.test(each));
  return wrong === undefined ? names : `${quoted(wrong)} is no name of a namespace`;
}

function portOf(text: string): number | string {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port <= PORT_MAX ? port : `${quoted(text)} is no port; give 0 to ${PORT_MAX}`;
}

function webhookOf(text: string): Webhook | string {
  if (text === "off") return { by: "nobody" };
  if (text === "service") return { by: "service" };
  const url = URL.parse(text);
  if (url?.protocol === "https:") return { by: "url", url: text.replace(/\/$/, "") };
  return `${quoted(text)} is neither off, nor service, nor a URL with https`;
}

/** A file may write lists and maps where a flag has one text. */
function textOf(value: Json): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([key, each]) => `${key}=${textOf(each)}`)
      .join(",");
  return value === null ? "" : String(value);
}
