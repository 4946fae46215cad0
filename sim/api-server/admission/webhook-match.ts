// Which webhooks a write is for: the rules, selectors and match policy of a configuration.
import { isJsonObject, type Json, type JsonObject } from "../../../src/core/json/json.ts";
import { compileLabelSelector, type LabelSelector, matchLabels } from "../../../src/core/labels/label-selector.ts";
import { listAt, numberAt, objectAt, textAt } from "../api-object.ts";
import { labelsOf } from "../request/selectors.ts";
import type { Endpoint, ResourceTable } from "../resource-table.ts";
import type { AdmissionRequest } from "../server-parts.ts";
import type { Store } from "../store/store.ts";

const TIMEOUT_SECONDS = 10;

export type Webhook = {
  readonly name: string;
  readonly clientConfig: JsonObject;
  readonly rules: readonly JsonObject[];
  readonly mayFail: boolean;
  readonly hasNoSideEffects: boolean;
  /** A rule for one version of a resource holds for all of them. */
  readonly meansAllVersions: boolean;
  readonly timeoutMs: number;
  readonly namespaces: LabelSelector | undefined;
  readonly objects: LabelSelector | undefined;
};

/** Reads one webhook of a configuration. */
export function parseWebhook(webhook: JsonObject): Webhook {
  return {
    name: textAt(webhook, "name"),
    clientConfig: objectAt(webhook, "clientConfig"),
    rules: listAt(webhook, "rules").filter(isJsonObject),
    mayFail: webhook.failurePolicy === "Ignore",
    hasNoSideEffects: webhook.sideEffects === "None" || webhook.sideEffects === "NoneOnDryRun",
    meansAllVersions: webhook.matchPolicy !== "Exact",
    timeoutMs: (numberAt(webhook, "timeoutSeconds") ?? TIMEOUT_SECONDS) * 1000,
    namespaces: selectorAt(webhook, "namespaceSelector"),
    objects: selectorAt(webhook, "objectSelector"),
  };
}

/** Nothing selects everything. */
function selectorAt(webhook: JsonObject, key: string): LabelSelector | undefined {
  const compiled = compileLabelSelector(objectAt(webhook, key));
  return compiled.ok ? compiled.value : undefined;
}

/** The version in which the webhook wants to see a request; undefined when it is not for this webhook. */
export function selectsRequest(
  webhook: Webhook,
  request: AdmissionRequest,
  { store, resources }: { readonly store: Store; readonly resources: ResourceTable },
): Endpoint | undefined {
  const { endpoint } = request.target;
  // Who could forbid the removal of a webhook could lock everybody out.
  if (endpoint.type.group === "admissionregistration.k8s.io") return undefined;
  const versions = webhook.meansAllVersions ? resources.versionsOf(endpoint.table) : [];
  const asked = [endpoint, ...versions].find((each) => webhook.rules.some((rule) => ruleMatches(rule, request, each)));
  if (asked === undefined || !matchesNamespace(webhook, request, store)) return undefined;
  const { object, oldObject } = request;
  const isSelected = [object, oldObject].some((each) => each !== undefined && matches(webhook.objects, labelsOf(each)));
  return isSelected ? asked : undefined;
}

function matches(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  return selector === undefined || matchLabels(selector, labels);
}

function matchesNamespace(
  { namespaces }: Webhook,
  { target, object, oldObject }: AdmissionRequest,
  store: Store,
): boolean {
  const { endpoint, namespace } = target;
  if (endpoint.table === "namespaces") return matches(namespaces, labelsOf(object ?? oldObject ?? {}));
  if (namespace === "") return true;
  return matches(namespaces, labelsOf(store.get("namespaces", namespace)?.object ?? {}));
}

function ruleMatches(rule: JsonObject, { target, operation }: AdmissionRequest, { type }: Endpoint): boolean {
  const scope = textAt(rule, "scope") || "*";
  return (
    includes(listAt(rule, "operations"), operation) &&
    includes(listAt(rule, "apiGroups"), type.group) &&
    includes(listAt(rule, "apiVersions"), type.version) &&
    (scope === "*" || (scope === "Namespaced") === type.namespaced) &&
    listAt(rule, "resources").some((resource) => resourceMatches(String(resource), type.plural, target.subresource))
  );
}

function includes(list: readonly Json[], word: string): boolean {
  return list.includes("*") || list.includes(word);
}

/** `pods`, `pods/status`, `pods/*`, `*`, every resource with its parts. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [wanted, part = ""] = pattern.split("/");
  if (pattern === "*/*") return true;
  const isWanted = wanted === "*" || wanted === plural;
  return isWanted && (part === "*" || part === subresource);
}
