// The settings of `farrier run` that are values of the chart, under the same names, and the flags that they become. A value that is the
// default of the program becomes no flag.
import { BUILDERS, BUILDS_MAX } from "../../../../src/cli/settings/build-settings.ts";
import { BINDINGS, type Key, LEVELS, NAMESPACE_NAME, SETTINGS } from "../../../../src/cli/settings/run-settings.ts";
import { flagOf } from "../../../../src/cli/settings/setting-names.ts";
import type { Json, JsonObject } from "../../../../src/core/json/json.ts";
import { KIND_NAMES } from "../../../../src/kinds/all-kinds.ts";
import { DEFAULT_GATES, knownGates } from "../../../../src/kinds/daemon-set/api/gates.ts";
import { type ChartValue, listOf, textSchema } from "./chart-value.ts";

/** A setting as a value, or why it is none. */
type Offer =
  | { readonly schema: JsonObject; readonly help?: string; readonly file?: string }
  | { readonly noValue: string };

const INSTALLED = "other objects of the installation name it";
const kind = { enum: KIND_NAMES };
const gateDefaults = Object.entries(DEFAULT_GATES).map(([name, isOn]) => `${name} is ${isOn ? "on" : "off"}`);
const gateSchemas = Object.fromEntries(knownGates().map((name) => [name, { type: "boolean" }]));
/** Where the files lie that flags name. */
export const FILES_FOLDER = "/etc/farrier";
export const TEMPLATE_FILE = "builder-template.yaml";
export const AUTHORITIES_FILE = "registry-authorities.pem";

export const offers: Readonly<Record<Key, Offer>> = {
  kinds: {
    schema: { ...listOf(kind), minItems: 1 },
    help: "The kinds to serve. Definition and webhooks of a kind that is not listed are not installed.",
  },
  namespaces: {
    schema: listOf({ type: "string", pattern: NAMESPACE_NAME.source }),
    help: "Serve only objects of these namespaces; all where there are none.",
  },
  takeOver: { schema: listOf(kind) },
  featureGates: {
    // Not as propertyNames: Helm names the wrong path where one of them is refused.
    schema: { type: "object", additionalProperties: false, properties: gateSchemas },
    help: `Feature gates, each true or false. By default ${gateDefaults.join(", ")}.`,
  },
  bindPods: { schema: { enum: BINDINGS } },
  leaderElect: { noValue: "while a Deployment replaces a pod there are two, however many replicas it has" },
  leaseName: { noValue: INSTALLED },
  namespace: { noValue: "it is that of the release" },
  httpPort: { noValue: INSTALLED },
  webhook: { noValue: INSTALLED },
  webhookPort: { noValue: INSTALLED },
  webhookService: { noValue: INSTALLED },
  certificateSecret: { noValue: INSTALLED },
  builder: { schema: { enum: BUILDERS } },
  builderImage: { schema: { type: "string", pattern: "^\\S*$" } },
  builderTemplate: {
    ...{ schema: { type: "object" }, file: TEMPLATE_FILE },
    help: "The pod template of a builder of your own (metadata and spec), for builder: template.",
  },
  signerImage: { schema: { type: "string", pattern: "^\\S+$" } },
  buildsMax: { schema: { type: "integer", minimum: 1, maximum: BUILDS_MAX } },
  registryProbe: { schema: { type: "boolean" } },
  registryNetworks: { schema: listOf({ type: "string", pattern: "^[0-9A-Fa-f:.]+/[0-9]{1,3}$" }) },
  registryTokenHosts: { schema: listOf({ type: "string", pattern: "^[^=,\\s]+=[^=,\\s]+$" }) },
  registryAuthorities: {
    ...{ schema: { ...textSchema, pattern: "^$|-----BEGIN CERTIFICATE-----" }, file: AUTHORITIES_FILE },
    help: "PEM certificates that registries may be signed by, as text.",
  },
  logLevel: { schema: { enum: LEVELS }, help: "How much is logged: debug, info, warn or error." },
};

/** What the program refuses to start with is refused before: a template and an image are of different builders. */
export const settingRules: readonly JsonObject[] = [
  {
    if: { properties: { builder: { const: "template" } } },
    // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON schema.
    then: { properties: { builderTemplate: { minProperties: 1 }, builderImage: { maxLength: 0 } } },
    else: { properties: { builderTemplate: { maxProperties: 0 } } },
  },
];

/** The values, in the order of `farrier run --help`. */
export const settingValues: readonly ChartValue[] = SETTINGS.flatMap(({ key, value, help, fallback }) => {
  const offer = offers[key];
  if ("noValue" in offer) return [];
  const said = offer.help ?? `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
  return [{ key, help: said, fallback: fallbackOf(key, value, fallback), schema: offer.schema }];
});

function fallbackOf(key: Key, is: string, text: string): Json {
  if (is === "list") return text.split(",").filter((each) => each !== "");
  if (is === "gates" || key === "builderTemplate") return {};
  if (is === "bool") return text === "true";
  return is === "count" ? Number(text) : text;
}

/** The flags, as items of the list of arguments. */
export const flagLines: readonly string[] = SETTINGS.flatMap(({ key, value, fallback }) => {
  const offer = offers[key];
  if ("noValue" in offer) return [];
  const text = textOf(key, value, offer.file);
  const isOther = offer.file === undefined ? `ne ${text} ${JSON.stringify(fallback)}` : `.Values.${key}`;
  return [`{{- if ${isOther} }}`, `- {{ printf "${flagOf(key)}=%s" ${text} | quote }}`, "{{- end }}"];
});

/** The value as the flag has it, as an expression. */
function textOf(key: Key, is: string, file: string | undefined): string {
  if (file !== undefined) return `"${FILES_FOLDER}/${file}"`;
  if (is === "gates") return '(include "farrier.gates" .)';
  return is === "list" ? `(join "," .Values.${key})` : `(toString .Values.${key})`;
}
