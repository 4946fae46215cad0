// What revisions and the pods of them promise: what bears one name says one thing, and a pod is what its revision and its patches say.

import { isJsonObject, type JsonObject } from "../../../src/core/json/json.ts";
import { APPLIED_PATCHES, RENDERED_HASH, REVISION_HASH } from "../../../src/kinds/daemon-set/pods/pod-keys.ts";
import { listAt, metaOf, objectAt, textAt } from "../../api-server/api-object.ts";
import type { Invariant, State } from "../../simulator/commit.ts";
import { controllerOf } from "../../simulator/invariants/at-most-one.ts";

const REVISIONS = "controllerrevisions.apps";

/** S15: two revisions of a set with one hash say the same, and none is taken away while a pod bears its hash. */
export const revisionsAreTrue: Invariant = {
  name: "S15 Revision",
  check({ table, before, after, by }, state) {
    if (table !== REVISIONS) return undefined;
    if (after !== undefined) return sameHash(after, [...state.objects(table)]);
    if (before === undefined || !by.includes("operator")) return undefined;
    const user = [...state.objects("pods")].find((pod) => isAlive(pod) && ownedHash(pod) === ownedHash(before));
    return user && `${textAt(metaOf(before), "name")} was taken away, and ${textAt(metaOf(user), "name")} is of it`;
  },
};

/** S11: pods of one rendering are the same, and each that we make is its revision's template with the patches it names. */
export function renderingIsPure(roles: readonly string[]): Invariant {
  return {
    name: "S11 PureRender",
    check({ table, before, after, by }, state) {
      if (table !== "pods" || after === undefined) return undefined;
      const rendering = objectAt(metaOf(after), "labels")[RENDERED_HASH];
      const twin = [...state.objects("pods")].find(
        (pod) => objectAt(metaOf(pod), "labels")[RENDERED_HASH] === rendering && textOf(pod) !== textOf(after),
      );
      if (rendering !== undefined && twin !== undefined)
        return `${textAt(metaOf(after), "name")} and ${textAt(metaOf(twin), "name")} differ and bear one hash: ${textOf(after)} ${textOf(twin)}`;
      const isMade = before === undefined && roles.some((role) => by.startsWith(`${role}.`));
      return isMade ? wronglyRendered(after, state) : undefined;
    },
  };
}

/** The scenario's patches change one variable of one container, so what they come to can be told without merging. */
function wronglyRendered(pod: JsonObject, state: State): string | undefined {
  const revision = [...state.objects(REVISIONS)].find((one) => ownedHash(one) === ownedHash(pod));
  // What was on its way when its set was deleted lands after the set and its revisions have been collected, and is collected in turn.
  if (revision === undefined && !isOwned(pod, state)) return undefined;
  if (revision === undefined) return `${textAt(metaOf(pod), "name")} is of a revision that is not there`;
  const spec = objectAt(objectAt(revision, "data"), "spec");
  const [template] = containersIn(objectAt(objectAt(spec, "template"), "spec"));
  const places = textAt(objectAt(metaOf(pod), "annotations"), APPLIED_PATCHES);
  const [patch] = places === "" ? [] : listAt(spec, "patches").filter(isJsonObject);
  const [patched = template] = patch === undefined ? [] : containersIn(objectAt(objectAt(patch, "patch"), "spec"));
  const wanted = JSON.stringify([template?.image, listAt(patched ?? {}, "env")]);
  const [is] = containersIn(objectAt(pod, "spec"));
  const made = JSON.stringify([is?.image, listAt(is ?? {}, "env")]);
  return made === wanted ? undefined : `${textAt(metaOf(pod), "name")} is ${made}, and its revision says ${wanted}`;
}

function sameHash(revision: JsonObject, all: readonly JsonObject[]): string | undefined {
  const twin = all.find(
    (one) => ownedHash(one) === ownedHash(revision) && JSON.stringify(one.data) !== JSON.stringify(revision.data),
  );
  return twin && `two revisions with hash ${ownedHash(revision)} say different things`;
}

function isOwned(pod: JsonObject, state: State): boolean {
  const owner = controllerOf(metaOf(pod));
  return [...state.objects("daemonsets.apps.kruise.io")].some((set) => textAt(metaOf(set), "uid") === owner);
}

/** A hash names something only among the objects of one set. */
function ownedHash(object: JsonObject): string {
  return `${controllerOf(metaOf(object))} ${String(objectAt(metaOf(object), "labels")[REVISION_HASH])}`;
}

/** What a rendering decides about a pod and nobody else changes. */
function textOf(pod: JsonObject): string {
  return JSON.stringify(
    containersIn(objectAt(pod, "spec")).map(({ name, image, env }) => ({ name, image, env: env ?? null })),
  );
}

function containersIn(podSpec: JsonObject): readonly JsonObject[] {
  return listAt(podSpec, "containers").filter(isJsonObject);
}

function isAlive(pod: JsonObject): boolean {
  return metaOf(pod).deletionTimestamp === undefined;
}
