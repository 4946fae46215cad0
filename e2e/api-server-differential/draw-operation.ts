// Draws the next operation. What it does may depend on which objects there are and how they are built, which is the same on both
// servers as long as they agree, and never on what only one of them knows.
import { metaOf, textAt } from "../../sim/api-server/api-object.ts";
import { mergePatch } from "../../sim/api-server/patch/merge-patch.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/json/json.ts";
import { type Chance, someTexts } from "../field-ownership/random-objects.ts";
import { drawRead, removeMany } from "./draw-read.ts";
import {
  type Call,
  collectionOf,
  type Key,
  NAMESPACE,
  nameIn,
  type Operation,
  pathIn,
  placed,
  type View,
} from "./operation.ts";
import { type Subject, withoutEmpty } from "./subject.ts";

type Draw = (chance: Chance, key: Key, view: View) => Operation;

const managers = ["one", "two", "three"] as const;
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const json = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

/** The next operation on one of the keys. */
export function drawOperation(chance: Chance, keys: readonly [Key, ...Key[]], view: View): Operation {
  return placed(drawAnywhere(chance, keys, { ...view, namespace: NAMESPACE }));
}

function drawAnywhere(chance: Chance, keys: readonly [Key, ...Key[]], view: View): Operation {
  const key = chance.one(keys);
  if (chance.is(0.08)) return drawRead(chance, key);
  if (chance.is(0.01)) return removeMany(chance, key.subject, keys);
  const isThere = view.live(key) !== undefined;
  if (!isThere && chance.is(0.8)) return chance.is(0.6) ? create(chance, key, view) : applied(chance, key, view);
  return chance.one(weighted)(chance, key, view);
}

/** The query of a write. */
function someQuery(chance: Chance, more: readonly string[] = []): string {
  const parts = [
    `fieldManager=${chance.one(managers)}`,
    ...(chance.is(0.08) ? ["dryRun=All"] : []),
    ...(chance.is(0.12) ? [`fieldValidation=${chance.one(["Strict", "Warn", "Ignore"])}`] : []),
    ...more,
  ];
  return `?${parts.join("&")}`;
}

/** The metadata that somebody writes. */
function someMeta(chance: Chance): JsonObject {
  return chance.fields(
    {
      labels: () => (chance.is(0.04) ? { "a b": "1" } : someTexts(chance)),
      annotations: () => someTexts(chance),
      finalizers: () => chance.some(["example.dev/a", "example.dev/b"]),
      ownerReferences: () =>
        chance.some(["u1", "u2"]).map((uid) => ({
          ...{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid },
          ...chance.fields({ controller: () => chance.is(0.5), blockOwnerDeletion: () => true }),
        })),
    },
    0.18,
  );
}

/** An object as somebody sends it; rarely with something that its kind does not know. */
function someObject(chance: Chance, key: Key, { namespace }: View, isWhole: boolean): JsonObject {
  const { subject } = key;
  const content = subject.content(chance, isWhole);
  return {
    ...{ apiVersion: subject.apiVersion, kind: subject.kind },
    // Of a custom resource, the real server stores empty lists and maps in metadata and shows none: a change nobody sees.
    metadata: {
      name: nameIn(key, namespace),
      ...(subject.isCustom ? withoutEmpty(someMeta(chance)) : someMeta(chance)),
    },
    ...content,
    ...(chance.is(0.05) ? { extra: 1 } : {}),
  };
}

const create: Draw = (chance, key, view) => {
  const body = someObject(chance, key, view, true);
  const odd = chance.is(0.05)
    ? chance.one<JsonObject>([key.subject.isCustom ? {} : { kind: "Odd" }, { apiVersion: "odd/v1" }, { metadata: {} }])
    : {};
  const path = `${collectionOf(key.subject, view.namespace)}${someQuery(chance)}`;
  return { says: "create", keys: [key], call: () => ({ method: "POST", path, body: { ...body, ...odd } }) };
};

/** The live object with a few changes, or a new one under its version. */
const replace: Draw = (chance, key, view) => {
  const { metadata, ...content } = someObject(chance, key, view, true);
  const isWhole = chance.is(0.5);
  const { name: _name, ...meta } = Object(metadata);
  const version = chance.one(["current", "current", "current", "none", "old", "odd"]);
  const uid = chance.is(0.05) ? "00000000-0000-4000-8000-000000000000" : undefined;
  const subresource = someSubresource(chance, key.subject, ["status"]);
  const status = subresource === "status" ? { status: key.subject.status?.(chance) ?? {} } : {};
  const query = someQuery(chance);
  return {
    says: `replace ${subresource}`,
    keys: [key],
    call: ({ namespace, live, oldVersion }) => {
      const now = live(key) ?? { metadata: { name: nameIn(key, namespace) } };
      const { resourceVersion: current, ...rest } = metaOf(now);
      const versions: Readonly<Record<string, Json | undefined>> = {
        current,
        none: undefined,
        old: oldVersion(key),
        odd: "abc",
      };
      const sentVersion = versions[version] === undefined ? {} : { resourceVersion: versions[version] };
      const sentMeta = { ...mergePatch(rest, meta), ...sentVersion, ...(uid === undefined ? {} : { uid }) };
      const body = { ...(isWhole ? content : mergePatch(now, content)), ...status, metadata: sentMeta };
      return { method: "PUT", path: `${pathIn(key, namespace, subresource)}${query}`, body };
    },
  };
};

function someSubresource(chance: Chance, { subresources }: Subject, among: readonly string[]): string {
  const possible = among.filter((name) => subresources.some((each) => each === name));
  const [first] = possible;
  return first !== undefined && chance.is(0.35) ? first : "";
}

/** A patch that merges, plainly or by the kind's strategy. */
const merged: Draw = (chance, key, view) => {
  const { apiVersion: _version, kind: _kind, metadata, ...content } = someObject(chance, key, view, false);
  const { name: _name, ...meta } = Object(metadata);
  const subresource = someSubresource(chance, key.subject, ["status"]);
  const status = subresource === "status" ? { status: key.subject.status?.(chance) ?? {} } : {};
  const isStrategic = chance.is(0.5);
  const cleared = chance.is(0.25)
    ? chance.one<JsonObject>([{ labels: null }, { finalizers: null }, { annotations: { a: null } }])
    : {};
  const body = { ...(chance.is(0.6) ? content : {}), ...status, metadata: { ...meta, ...cleared } };
  const isVersioned = chance.is(0.1);
  const path = `${pathIn(key, view.namespace, subresource)}${someQuery(chance)}`;
  return {
    says: `${isStrategic ? "strategic" : "merge"} patch ${subresource}`,
    keys: [key],
    call: ({ oldVersion }) => {
      const versioned = isVersioned ? { metadata: { ...body.metadata, resourceVersion: oldVersion(key) } } : {};
      return { method: "PATCH", path, media: isStrategic ? strategic : merge, body: { ...body, ...versioned } };
    },
  };
};

/** Steps at places that the object has, or nearly has. */
const jsonPatch: Draw = (chance, key, view) => {
  // What a built-in kind makes of any value anywhere is more than this server promises; of a custom one it promises all.
  const isOpen = (place: string) => key.subject.isCustom || wellKnown.test(place);
  const places = pointersOf(view.live(key) ?? {}, "").filter((place) => !unstable.test(place) && isOpen(place));
  const place = () =>
    `${chance.one(["/metadata/labels/a", "/metadata/finalizers", ...places])}${chance.is(0.15) ? "/-" : ""}`;
  const plain: readonly [Json, ...Json[]] = ["1", "x", 2, true, null, ["a"], { a: "1" }];
  const value = () => chance.one<Json>(key.subject.isCustom ? plain : [...plain, {}, []]);
  const steps = Array.from({ length: 1 + chance.below(2) }, (): Json => {
    const op = chance.one(["add", "add", "replace", "remove", "test", "copy", "move"]);
    const from = op === "copy" || op === "move" ? { from: place() } : {};
    const path = place();
    const sent = op === "add" || op === "replace" || op === "test" ? { value: value() } : {};
    // What is copied from nowhere is null, and of a Secret the real server stores a null in other bytes than the empty value
    // that it shows: the next write counts as a change, even one that says nothing.
    const mayBeNull = op === "copy" || op === "move" || sent.value === null;
    const isBytes = key.subject.kind === "Secret" && path.startsWith("/data");
    return mayBeNull && isBytes ? { op: "add", path, value: "YQ==" } : { op, path, ...from, ...sent };
  });
  const path = `${pathIn(key, view.namespace)}${someQuery(chance)}`;
  return { says: "json patch", keys: [key], call: () => ({ method: "PATCH", path, media: json, body: steps }) };
};

/** What only one server knows must not be moved about: it would be compared with a text of its own. */
const unstable =
  /^\/(metadata\/(managedFields|uid|resourceVersion|creationTimestamp|generation|deletion|name)|apiVersion|kind)|uid|Time|deprecated|ownerReferences/;

const wellKnown = /^\/(metadata|data|spec\/(replicas|minReadySeconds|unschedulable|suspend|parallelism))(\/|$)/;

function pointersOf(value: Json, path: string): readonly string[] {
  const entries = isJsonList(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : [];
  const below = entries.flatMap(([key, item]) => {
    const step = String(key).replaceAll("~", "~0").replaceAll("/", "~1");
    return pointersOf(item, `${path}/${step}`);
  });
  return path === "" ? below : [path, ...below];
}

const applied: Draw = (chance, key, view) => {
  const subresource = view.live(key) === undefined ? "" : someSubresource(chance, key.subject, ["status"]);
  const whole = someObject(chance, key, view, chance.is(0.5));
  const status = subresource === "status" ? { status: key.subject.status?.(chance) ?? {} } : {};
  const query = someQuery(chance, [`force=${chance.is(0.4)}`]);
  const path = `${pathIn(key, view.namespace, subresource)}${query}`;
  return {
    says: `apply ${subresource}`,
    keys: [key],
    call: () => ({ method: "PATCH", path, media: apply, body: { ...whole, ...status } }),
  };
};

const remove: Draw = (chance, key) => {
  const condition = chance.one(["", "", "", "uid", "version", "wrong uid", "old version"]);
  const policy = () => chance.one(["Foreground", "Background", "Orphan", "Odd"]);
  // A policy that takes the last finalizer away is odd on the real server: a rehearsal of it is answered with an empty object,
  // and one under the condition of a version conflicts with itself.
  const isRehearsal = chance.is(0.1);
  const mayHavePolicy = !isRehearsal && condition !== "version";
  const options = {
    ...chance.fields(
      { gracePeriodSeconds: () => chance.one([0, 1, 10]), propagationPolicy: policy },
      mayHavePolicy ? 0.2 : 0,
    ),
    ...(isRehearsal ? { dryRun: ["All"] } : {}),
  };
  return {
    says: `delete ${condition}`,
    keys: [key],
    call: ({ namespace, live, oldVersion }) => {
      const meta = metaOf(live(key) ?? {});
      const conditions: Readonly<Record<string, JsonObject>> = {
        uid: { uid: textAt(meta, "uid") },
        version: { resourceVersion: textAt(meta, "resourceVersion") },
        "wrong uid": { uid: "00000000-0000-4000-8000-000000000000" },
        "old version": { resourceVersion: oldVersion(key) },
      };
      const preconditions = conditions[condition];
      const body = { apiVersion: "v1", kind: "DeleteOptions", ...options, ...(preconditions && { preconditions }) };
      return { method: "DELETE", path: pathIn(key, namespace), body };
    },
  };
};

/** Releases whatever holds the object. */
const release: Draw = (chance, key, view) => {
  const nothing = key.subject.isCustom ? null : [];
  const body = { metadata: { finalizers: chance.one<Json>([null, nothing, ["example.dev/a"]]) } };
  const path = `${pathIn(key, view.namespace)}${someQuery(chance)}`;
  return { says: "release", keys: [key], call: () => ({ method: "PATCH", path, media: merge, body }) };
};

const scale: Draw = (chance, key, view) => {
  if (!key.subject.subresources.includes("scale")) return release(chance, key, view);
  const path = `${pathIn(key, view.namespace, "scale")}${someQuery(chance)}`;
  const replicas = chance.one([0, 1, 2, 7, -1]);
  const isPatch = chance.is(0.5);
  const metadata = { name: nameIn(key, view.namespace), namespace: view.namespace };
  const whole = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas } };
  const call: Call = isPatch
    ? { method: "PATCH", path, media: merge, body: { spec: { replicas } } }
    : { method: "PUT", path, body: whole };
  return { says: "scale", keys: [key], call: () => call };
};

/** Binding and eviction for pods; a read of a part for others. */
const podPart: Draw = (chance, key, view) => {
  if (key.subject.kind !== "Pod") return jsonPatch(chance, key, view);
  const name = nameIn(key, view.namespace);
  const binding = {
    ...{ apiVersion: "v1", kind: "Binding", metadata: { name } },
    target: { apiVersion: "v1", kind: "Node", name: chance.one(["n1", "n2"]) },
  };
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: view.namespace } };
  const [part, body] = chance.is(0.6) ? (["binding", binding] as const) : (["eviction", eviction] as const);
  return { says: part, keys: [key], call: () => ({ method: "POST", path: pathIn(key, view.namespace, part), body }) };
};

const weighted: readonly [Draw, ...Draw[]] = [
  ...([create, replace, replace, replace, merged, merged, merged, jsonPatch, jsonPatch] as const),
  ...([applied, applied, applied, applied, remove, remove, release, scale, podPart] as const),
];
