// Objects of all built-in kinds, and changes of them, with what a real API server v1.35.4 made of them or said about them;
// and how it presents the kinds.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { metaOf, nameOf, objectAt, withMeta } from "../api-object.ts";
import { type FieldError, invalidValue } from "../faults/field-error.ts";
import type { ResourceType } from "../resource-type.ts";
import { builtInKinds } from "./built-in-kinds.ts";

type Recorded = {
  readonly sent: JsonObject;
  readonly stored?: JsonObject;
  readonly causes?: readonly FieldError[];
  readonly message?: string;
};

const read = (name: string) => JSON.parse(readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), "utf8"));
const recorded: readonly Recorded[] = read("objects");
const changes: readonly (Recorded & { readonly old: JsonObject })[] = read("changes");
const kinds = builtInKinds();

function typeOf({ kind }: JsonObject): ResourceType {
  const type = kinds.find((each) => each.kind === kind);
  if (type === undefined) throw new Error(`no kind ${kind}`);
  return type;
}

/** An object on its way to the store. */
function prepared({ rules, namespaced }: ResourceType, decoded: JsonObject): JsonObject {
  const identified = withMeta(decoded, { uid: "UID", ...(namespaced ? { namespace: "default" } : {}) });
  const admitted = rules.admit?.(identified) ?? identified;
  return rules.prepareCreate?.(admitted) ?? admitted;
}

function outcomeOf(sent: JsonObject): object {
  const type = typeOf(sent);
  const decoded = type.rules.decode(sent);
  if (!decoded.ok)
    return { message: `${type.kind} in version "v1" cannot be handled as a ${type.kind}: ${decoded.because}` };
  const object = prepared(type, decoded.value);
  const names = (type.rules.nameFaults?.(nameOf(sent)) ?? []).map((fault) =>
    invalidValue("metadata.name", nameOf(sent), fault),
  );
  const faults = [...names, ...(type.rules.validate?.(object) ?? [])];
  if (faults.length > 0) return { causes: sorted(faults) };
  const { name = "", labels, annotations } = metaOf(object);
  return { stored: { ...object, metadata: JSON.parse(JSON.stringify({ name, labels, annotations })) } };
}

const sorted = (faults: readonly FieldError[]) =>
  faults.map(({ reason, message, field }) => `${field}: ${reason}: ${message}`).sort();

const shown = ({ sent, stored, message }: Recorded) =>
  `${sent.kind} ${JSON.stringify(sent.spec ?? sent).slice(0, 110)} is ${stored ? "stored" : message ? "not read" : "refused"}`;

test.each(recorded.map((each) => [shown(each), each] as const))("%s", (_shown, { sent, stored, causes, message }) => {
  const expected = stored ? { stored } : causes ? { causes: sorted(causes) } : { message };
  expect(outcomeOf(sent)).toEqual(expected);
});

test.each(recorded.filter(({ stored }) => stored).map((each) => [shown(each), each] as const))(
  "what was stored is read again as it is: %s",
  (_shown, { sent, stored = {} }) => {
    const decoded = typeOf(sent).rules.decode(stored);
    expect(decoded).toEqual({ ok: true, value: stored, unknown: [] });
    // Not even copied: most writes change little of an object.
    expect(decoded.ok && decoded.value).toBe(stored);
  },
);

test.each(changes.map((each) => [shown(each), each] as const))(
  "a change: %s",
  (_shown, { old, sent, stored, causes }) => {
    const { rules, subresources } = typeOf(sent);
    const decoded = rules.decode(sent);
    if (!decoded.ok) throw new Error(decoded.because);
    const isolated = subresources.includes("status") ? { ...decoded.value, status: old.status ?? {} } : decoded.value;
    const next = rules.prepareUpdate?.(isolated, old) ?? isolated;
    expect(sorted(rules.validateUpdate?.(next, old) ?? [])).toEqual(sorted(causes ?? []));
    if (stored !== undefined) expect(next).toEqual(stored);
  },
);

type Discovered = Pick<ResourceType, "kind" | "plural" | "singular" | "namespaced" | "subresources"> & {
  readonly apiVersion: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
};

test.each(kinds.map((type) => [type.kind, type] as const))("%s is presented as the real server does", (kind, type) => {
  const discovered: readonly Discovered[] = read("discovery");
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  const real = discovered.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  const { plural, singular, namespaced, shortNames = [], categories = [], subresources } = type;
  expect(real).toMatchObject({ plural, singular, namespaced, shortNames, categories });
  // Some subresources are not served here; none is invented.
  expect(real?.subresources).toEqual(expect.arrayContaining([...subresources]));
  expect(subresources.includes("status")).toBe(real?.subresources.includes("status"));
});

const kindsWhere = (holds: (type: ResourceType) => boolean) => kinds.filter(holds).map(({ kind }) => kind);

test("generations, versions and answers to deletion are as the strategies of the real server say", () => {
  const hooks = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "CustomResourceDefinition"];
  const workloads = ["Pod", "DaemonSet", "Deployment", "ReplicaSet", "Job", "PodDisruptionBudget"];
  expect(kindsWhere(({ countsGenerations }) => countsGenerations)).toEqual([...workloads, ...hooks]);
  expect(kindsWhere((type) => !type.allowsUnconditionalUpdate)).toEqual(["Lease", "PodDisruptionBudget", ...hooks]);
  const returned = ["Pod", "Namespace", "ServiceAccount", "Service", "ResourceQuota"];
  expect(kindsWhere(({ returnsDeleted }) => returnsDeleted)).toEqual(returned);
  expect(kindsWhere(({ scale }) => scale !== undefined)).toEqual(["Deployment", "ReplicaSet"]);
});

test("a deadline that moves away is refused alone, whatever else changes", () => {
  const { old } = changes.find(({ sent }) => JSON.stringify(sent).includes('"activeDeadlineSeconds":6')) ?? {};
  if (old === undefined) throw new Error("no such change");
  const next = { ...old, spec: { ...objectAt(old, "spec"), activeDeadlineSeconds: 7, hostname: "other" } };
  const faults = typeOf(old).rules.validateUpdate?.(next, old) ?? [];
  expect(faults.map(({ field }) => field)).toEqual(["spec.activeDeadlineSeconds"]);
});

test.each([
  [".", "may not be '.'"],
  ["..", "may not be '..'"],
  ["a/b", "may not contain '/'"],
  ["a%b", "may not contain '%'"],
])("a role cannot be called %s", (name, fault) => {
  expect(typeOf({ kind: "Role" }).rules.nameFaults?.(name)).toEqual([fault]);
  expect(typeOf({ kind: "ClusterRoleBinding" }).rules.nameFaults?.(name)).toEqual([fault]);
});
