// What is remembered between looks at the sets of a cluster: parsed specs with what was rendered from them, and revisions. All of it
// follows from the objects, so that forgetting costs time and nothing else.
import { canonicalJson } from "../../core/canonical-json.ts";
import { countIn } from "../../core/object-identity.ts";
import type { Parsed } from "../../core/problem.ts";
import type { StoredObject } from "../../core/snapshot.ts";
import { objectAt } from "../json-parts.ts";
import { createHistoryReader, type History, type HistoryInput } from "./history.ts";
import { createNodeViews } from "./node-views.ts";
import { parseDaemonSet } from "./parse.ts";
import { createResolver, type ResolveOptions, type Resolver } from "./resolve.ts";
import type { Recording } from "./revision.ts";
import { templateIdentity } from "./revision-template.ts";
import type { AdvancedDaemonSet } from "./spec.ts";

export type ReadSet = Parsed<{
  readonly set: AdvancedDaemonSet;
  readonly resolver: Resolver;
  readonly views: ReturnType<typeof createNodeViews>;
}>;

export type SetMemory = {
  /** The set that an object says, with the resolver of its nodes; the same value as long as the spec says the same. */
  read(object: StoredObject): ReadSet;
  history(object: StoredObject, record: Pick<HistoryInput, "revisions" | "isNameTaken">): History;
  /** The identity of a recorded template without patches. */
  identityOf(recording: Recording | undefined): string | undefined;
};

/** Sets that are remembered; the one that was read longest ago is forgotten first. */
export const SETS_MAX = 2_000;

type Known = { readonly spec: unknown; readonly text: string; readonly read: ReadSet };

/** Returns an empty memory. */
export function createSetMemory(options: ResolveOptions): SetMemory {
  const sets = new Map<string, Known>();
  const reader = createHistoryReader();
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
      const recording = reader.recordingOf(object);
      if (recording === undefined) throw new Error(`${object.name} was parsed and has no template`);
      const count = countIn(objectAt(object.object, "status").collisionCount);
      return reader.read({ set: object, recording, ...record, collisionCount: count === 0 ? undefined : count });
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
  const read: ReadSet = parsed.ok
    ? {
        ok: true,
        value: { set: parsed.value, resolver: createResolver(parsed.value, options), views: createNodeViews() },
      }
    : parsed;
  return { spec: object.spec, text: canonicalJson(object.spec ?? null), read };
}
