// What is remembered between looks at the sets of a cluster: parsed specs with what was rendered from them, and revisions. All of it
// follows from the objects, so that forgetting costs time and nothing else.

import { countIn } from "../../core/decision/object-identity.ts";
import type { Parsed } from "../../core/decision/problem.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { DaemonPod } from "../../core/pod/daemon-pod.ts";
import { objectAt, specOf } from "../schema/json-parts.ts";
import { parseDaemonSet } from "./api/parse.ts";
import type { AdvancedDaemonSet } from "./api/spec.ts";
import { createMatchesAll } from "./pods/claim.ts";
import { createResolver, type ResolveOptions, type Resolver } from "./resolve.ts";
import { createHistoryReader, type History, type HistoryInput } from "./revision/history.ts";
import { type Recording, recordingOf } from "./revision/revision.ts";
import { templateIdentity } from "./revision/revision-template.ts";
import { createNodeViews } from "./rollout/node-views.ts";

/** A set, with what is remembered of its nodes and pods. */
export type KnownSet = {
  readonly set: AdvancedDaemonSet;
  readonly resolver: Resolver;
  /** What it says of its pods. */
  readonly recording: Recording;
  readonly views: ReturnType<typeof createNodeViews>;
  readonly matchesAll: ReturnType<typeof createMatchesAll<DaemonPod>>;
};

export type ReadSet = Parsed<KnownSet>;

export type SetMemory = {
  /** The set that an object says, with the resolver of its nodes; the same value as long as the spec says the same. */
  read(object: StoredObject): ReadSet;
  history(object: StoredObject, record: Pick<HistoryInput, "recording" | "revisions" | "isNameTaken">): History;
  /** The identity of a recorded template without patches. */
  identityOf(recording: Recording | undefined): string | undefined;
};

/** Sets that are remembered; the one that was read longest ago is forgotten first. */
export const SETS_MAX = 2_000;

type Known = { readonly spec: unknown; readonly text: string; readonly read: ReadSet };

/** Returns an empty memory. */
export function createSetMemory(options: ResolveOptions): SetMemory {
  const sets = new Map<string, Known>();
  const readHistory = createHistoryReader();
  const identities = new WeakMap<Recording, string>();
  return {
    read(object) {
      const key = `${object.namespace}/${object.name}`;
      const known = stillKnown(sets.get(key), object) ?? readAnew(object, options);
      sets.delete(key);
      sets.set(key, known);
      const [oldest] = sets.keys();
      if (oldest !== undefined && sets.size > SETS_MAX) sets.delete(oldest);
      return known.read;
    },
    history(object, record) {
      const count = countIn(objectAt(object.object, "status").collisionCount);
      return readHistory({ set: object, ...record, collisionCount: count === 0 ? undefined : count });
    },
    identityOf(recording) {
      if (recording === undefined) return undefined;
      const identity = identities.get(recording) ?? templateIdentity(recording.template);
      identities.set(recording, identity);
      return identity;
    },
  };
}

/** A status is written far more often than a spec; the text is compared, since a supposed edit may keep the generation. */
function stillKnown(known: Known | undefined, { object }: StoredObject): Known | undefined {
  if (known === undefined || known.spec === object.spec) return known;
  const text = canonicalJson(object.spec ?? null);
  return text === known.text ? { ...known, spec: object.spec } : undefined;
}

function readAnew({ object }: StoredObject, options: ResolveOptions): Known {
  const parsed = parseDaemonSet(object);
  const read: ReadSet = parsed.ok ? { ok: true, value: knownSet(object, parsed.value, options) } : parsed;
  return { spec: object.spec, text: canonicalJson(object.spec ?? null), read };
}

function knownSet(object: JsonObject, set: AdvancedDaemonSet, options: ResolveOptions): KnownSet {
  const recording = recordingOf(specOf(object));
  if (recording === undefined) throw new Error("a set was parsed and has no template");
  const resolver = createResolver(set, options);
  const views = createNodeViews(resolver.place, set.minReadySeconds);
  return { set, resolver, recording, views, matchesAll: createMatchesAll(set.selector) };
}
