// Kinds with few rules of their own: maps, secrets, namespaces, nodes, services, leases, events and definitions.
import { fnv1a32, utf8Bytes } from "../../../src/core/hash/fnv.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { listAt, metaOf, numberAt, objectAt, textAt, withMeta } from "../api-object.ts";
import {
  type FieldError,
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from "../faults/field-error.ts";
import { dns1035LabelFaults, dnsLabelFaults, labelKeyFaults, labelValueFaults } from "../faults/name-syntax.ts";
import { ownerlessFaults } from "../faults/object-meta.ts";
import { changeItems, setFields } from "../patch/change-json.ts";
import { isSameJson } from "../same-json.ts";
import { mapEntryFaults, secretEntryFaults } from "./entry-faults.ts";
import type { MoreRules } from "./workloads.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";
const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
/** The words of a secret or map that has been closed. */
const closed = "field is immutable when `immutable` is set";

export const configMapRules: MoreRules = {
  validate: mapEntryFaults,
  validateUpdate: (next, old) => [...closedFaults(next, old, ["data", "binaryData"]), ...mapEntryFaults(next)],
};

export const secretRules: MoreRules = {
  complete: (secret) => {
    const { stringData } = secret;
    if (!isJsonObject(stringData)) return secret;
    const encoded = Object.entries(stringData).map(([key, text]) => [
      key,
      Buffer.from(String(text)).toString("base64"),
    ]);
    return setFields(secret, {
      stringData: undefined,
      data: { ...objectAt(secret, "data"), ...Object.fromEntries(encoded) },
    });
  },
  validate: secretEntryFaults,
  validateUpdate: (next, old) => [
    ...(next.type === old.type ? [] : [invalidValue("type", next.type ?? "", "field is immutable")]),
    ...closedFaults(next, old, ["data"]),
    ...secretEntryFaults(next),
  ],
};

function closedFaults(next: JsonObject, old: JsonObject, fields: readonly string[]): readonly FieldError[] {
  if (old.immutable !== true) return [];
  const changed = fields.filter((field) => !isSameJson(next[field], old[field]));
  return [...(next.immutable === true ? [] : ["immutable"]), ...changed].map((field) => forbiddenValue(field, closed));
}

export const namespaceRules: MoreRules = {
  nameFaults: dnsLabelFaults,
  complete: withNameLabel,
  validate: holdFaults,
  validateUpdate: holdFaults,
  prepareCreate: (namespace) => {
    const held = listAt(objectAt(namespace, "spec"), "finalizers");
    const finalizers = held.includes("kubernetes") ? held : [...held, "kubernetes"];
    return setFields(withNameLabel(namespace), {
      ...{ spec: { finalizers }, status: { phase: "Active" } },
    });
  },
};

function holdFaults(namespace: JsonObject): readonly FieldError[] {
  return listAt(objectAt(namespace, "spec"), "finalizers").flatMap((value, index) => {
    const [name, field] = [String(value), `spec.finalizers[${index}]`];
    return [...labelKeyFaults(name).map((fault) => invalidValue(field, name, fault)), ...ownerlessFaults(name, field)];
  });
}

function withNameLabel(namespace: JsonObject): JsonObject {
  const name = textAt(metaOf(namespace), "name");
  const before = objectAt(metaOf(namespace), "labels");
  const labels = name === "" ? before : setFields(before, { [NAME_LABEL]: name });
  return labels === before ? namespace : withMeta(namespace, { labels });
}

export const nodeRules: MoreRules = {
  complete: (node) => {
    const [spec, status] = [objectAt(node, "spec"), objectAt(node, "status")];
    const { podCIDR, podCIDRs = podCIDR === undefined ? undefined : [podCIDR] } = spec;
    const { capacity, allocatable = capacity } = status;
    return setFields(node, {
      spec: setFields(spec, { podCIDRs }),
      status: setFields(status, { allocatable }),
    });
  },
  /** A new node takes no pods before somebody has seen that it is ready. */
  admit: (node) => {
    const spec = objectAt(node, "spec");
    const taints = listAt(spec, "taints");
    const isThere = taints.some(
      (each) => isJsonObject(each) && each.key === notReady.key && each.effect === notReady.effect,
    );
    return isThere ? node : setFields(node, { spec: setFields(spec, { taints: [...taints, notReady] }) });
  },
  validate: taintFaults,
  // The real server checks a changed node twice.
  validateUpdate: (node, old) => [...taintFaults(node), ...taintFaults(node), ...providerFaults(node, old)],
};

/** Who provides a node is said once. */
function providerFaults(next: JsonObject, old: JsonObject): readonly FieldError[] {
  const was = textAt(objectAt(old, "spec"), "providerID");
  if (was === "" || textAt(objectAt(next, "spec"), "providerID") === was) return [];
  const because = 'node updates may not change providerID except from "" to valid';
  return [forbiddenValue("spec.providerID", because)];
}

/** The real server looks for taints below metadata, or says so. */
function taintFaults(node: JsonObject): readonly FieldError[] {
  return listAt(objectAt(node, "spec"), "taints").flatMap((taint, index) => {
    if (!isJsonObject(taint)) return [];
    const at = `metadata.taints[${index}]`;
    const [key, value, effect] = [textAt(taint, "key"), textAt(taint, "value"), textAt(taint, "effect")];
    const values = labelValueFaults(value).join(";");
    return [
      ...labelKeyFaults(key).map((fault) => invalidValue(`${at}.key`, key, fault)),
      ...(values === "" ? [] : [invalidValue(`${at}.value`, value, values)]),
      ...(effect === "" ? [requiredValue(`${at}.effect`)] : []),
      ...(effect === "" || taintEffects.includes(effect)
        ? []
        : [unsupportedValue(`${at}.effect`, effect, taintEffects)]),
    ];
  });
}

export const serviceRules: MoreRules = {
  nameFaults: dns1035LabelFaults,
  complete: (service) => {
    const spec = objectAt(service, "spec");
    const ports = changeItems(listAt(spec, "ports"), (port) => {
      if (!isJsonObject(port)) return port;
      return port.targetPort === 0 || port.targetPort === "" ? setFields(port, { targetPort: port.port ?? 0 }) : port;
    });
    const { internalTrafficPolicy = spec.type === "ExternalName" ? undefined : "Cluster" } = spec;
    const filled = setFields(spec, { ports: ports.length === 0 ? undefined : ports, internalTrafficPolicy });
    return setFields(service, { spec: filled });
  },
  prepareCreate: (service) => {
    const spec = objectAt(service, "spec");
    if (spec.type === "ExternalName") return service;
    const clusterIP = textAt(spec, "clusterIP") || addressFor(textAt(metaOf(service), "uid"));
    const addresses = { clusterIP, clusterIPs: [clusterIP], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
    return setFields(service, { spec: setFields(spec, addresses) });
  },
};

/** An address in the cluster's range. The real server keeps account of them; here the identity decides, and none is reached. */
function addressFor(uid: string): string {
  const hash = fnv1a32(utf8Bytes(uid));
  return `10.0.${1 + ((hash >>> 8) % 254)}.${1 + (hash % 254)}`;
}

export const leaseRules: MoreRules = { validate: leaseFaults, validateUpdate: leaseFaults };

function leaseFaults(lease: JsonObject): readonly FieldError[] {
  const spec = objectAt(lease, "spec");
  const [duration = 1, transitions = 0] = [numberAt(spec, "leaseDurationSeconds"), numberAt(spec, "leaseTransitions")];
  return [
    ...(duration > 0 ? [] : [invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0")]),
    ...(transitions < 0
      ? [invalidValue("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]
      : []),
  ];
}

export const eventRules: MoreRules = { validate: eventFaults, validateUpdate: eventFaults, checksMetaLast: true };

/** An event lives beside what it is about; one about a cluster-wide object lives in the default namespace. */
function eventFaults(event: JsonObject): readonly FieldError[] {
  const about = textAt(objectAt(event, "involvedObject"), "namespace");
  const namespace = textAt(metaOf(event), "namespace");
  const isRight = about === "" ? namespace === "default" || namespace === "" : about === namespace;
  return isRight ? [] : [invalidValue("involvedObject.namespace", about, "does not match event.namespace")];
}

export const definitionRules: MoreRules = {
  complete: (definition) => {
    const spec = objectAt(definition, "spec");
    const names = objectAt(spec, "names");
    const kind = textAt(names, "kind");
    const singular = textAt(names, "singular") || kind.toLowerCase();
    const listKind = textAt(names, "listKind") || (kind === "" ? undefined : `${kind}List`);
    return setFields(definition, { spec: setFields(spec, { names: setFields(names, { singular, listKind }) }) });
  },
  prepareCreate: (definition) => {
    const versions = listAt(objectAt(definition, "spec"), "versions").filter(isJsonObject);
    const storedVersions = versions.filter(({ storage }) => storage === true).map((each) => textAt(each, "name"));
    return setFields(definition, { status: setFields(objectAt(definition, "status"), { storedVersions }) });
  },
};

export const bindingRules: MoreRules = {
  nameFaults: pathSegmentFaults,
  complete: (binding) => {
    const apiGroup = "rbac.authorization.k8s.io";
    const subjects = changeItems(listAt(binding, "subjects"), (subject) => {
      const isPerson = isJsonObject(subject) && (subject.kind === "User" || subject.kind === "Group");
      return isPerson && subject.apiGroup === undefined ? setFields(subject, { apiGroup }) : subject;
    });
    return setFields(binding, { subjects: subjects.length === 0 ? undefined : subjects });
  },
};

/** Names of roles are only kept from breaking paths. */
export function pathSegmentFaults(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((mark) => name.includes(mark)).map((mark) => `may not contain '${mark}'`);
}

export const webhookRules: MoreRules = { validate: webhookFaults, validateUpdate: webhookFaults };

/** What this server would not do is refused: a webhook that is asked too often, or too seldom, is worse than none. */
function webhookFaults(configuration: JsonObject): readonly FieldError[] {
  return listAt(configuration, "webhooks").flatMap((webhook, index) => {
    if (!isJsonObject(webhook)) return [];
    const at = `webhooks[${index}]`;
    return [
      ...(listAt(webhook, "matchConditions").length === 0
        ? []
        : [forbiddenValue(`${at}.matchConditions`, "this server judges none; use rules and selectors")]),
      ...(webhook.reinvocationPolicy === "IfNeeded"
        ? [forbiddenValue(`${at}.reinvocationPolicy`, "this server asks every webhook once; use Never")]
        : []),
    ];
  });
}
