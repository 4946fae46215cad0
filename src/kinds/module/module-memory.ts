// What is worked out once per version of a Module and kept while it is stored: its parsed form, what each class of nodes gets, and
// the DaemonSets that follow. A decision about an unchanged Module then looks things up.

import type { Parsed } from "../../core/decision/problem.ts";
import type { StoredObject } from "../../core/decision/snapshot.ts";
import type { ObjectBody } from "../../core/decision/step.ts";
import { canonicalJson } from "../../core/json/canonical-json.ts";
import type { Json } from "../../core/json/json.ts";
import { createPodIndex, type PodIndex } from "../../core/pod/pods-by-node.ts";
import { type WantedWorkload, wantedWorkload } from "../../core/rollout/bring-workload.ts";
import { createFleetRoll, type FollowFleet } from "../../core/rollout/fleet-roll.ts";
import { createNodeRoll, type NodeRoll } from "../../core/rollout/node-roll.ts";
import { createRevisionReader, type RevisionReader } from "../../core/rollout/workload-revision.ts";
import { parseModule } from "./api/parse.ts";
import type { Module } from "./api/spec.ts";
import { validateModule } from "./api/validate.ts";
import { bindingLabel } from "./module-labels.ts";
import type { Outcome } from "./resolve.ts";
import { createResolver, labelsRead, type Resolve } from "./resolver.ts";
import type { Rest } from "./survey.ts";

/** Modules that are remembered; beyond this all are forgotten and worked out anew. */
export const MODULES_MAX = 1_000;
/** DaemonSets that are remembered per Module. */
const RENDERED_MAX = 1_000;

export type KnownModule = {
  readonly module: Module;
  readonly resolve: Resolve;
  /** The labels of nodes that decide what a node gets, and the one that binds it. What else we write there changes no wish. */
  readonly labelKeys: readonly string[];
  /** The hashes of a DaemonSet, worked out when its `id` is asked for the first time. */
  readonly wanted: (id: string, render: () => ObjectBody) => WantedWorkload;
  /** The fleet as the last decision found it. */
  readonly fleet: {
    /** What nodes want, whether or not they have it. */
    readonly wants: NodeRoll<Outcome["gets"]>;
    readonly nodes: FollowFleet<Rest>;
    readonly pluginPods: PodIndex;
  };
};

/** What one kind value remembers. */
export type ModuleMemory = {
  readonly recall: (stored: StoredObject) => Parsed<KnownModule>;
  readonly revisions: RevisionReader;
};

type Entry = { readonly spec: Json | undefined; readonly text: string; readonly parsed: Parsed<KnownModule> };

/** Makes a memory; it holds a bounded number of Modules. */
export function createModuleMemory(): ModuleMemory {
  const entries = new Map<string, Entry>();
  const recall = (stored: StoredObject): Parsed<KnownModule> => {
    const { spec } = stored.object;
    const known = entries.get(stored.uid);
    if (known !== undefined && known.spec === spec) return known.parsed;
    const text = canonicalJson(spec ?? null);
    const parsed = known !== undefined && known.text === text ? known.parsed : knownModule(stored);
    if (entries.size >= MODULES_MAX) entries.clear();
    entries.set(stored.uid, { spec, text, parsed });
    return parsed;
  };
  return { recall, revisions: createRevisionReader() };
}

function knownModule({ object }: StoredObject): Parsed<KnownModule> {
  const parsed = parseModule(object);
  if (!parsed.ok) return parsed;
  // It may have been stored while no webhook was asked.
  const { problems } = validateModule(object, undefined);
  if (problems.length > 0) return { ok: false, problems };
  const rendered = new Map<string, WantedWorkload>();
  const wanted = (id: string, render: () => ObjectBody): WantedWorkload => {
    const known = rendered.get(id);
    if (known !== undefined) return known;
    const made = wantedWorkload(render());
    if (rendered.size >= RENDERED_MAX) rendered.clear();
    rendered.set(id, made);
    return made;
  };
  const fleet = {
    wants: createNodeRoll<Outcome["gets"]>(),
    nodes: createFleetRoll<Rest>(),
    pluginPods: createPodIndex(),
  };
  const { value: module } = parsed;
  const labelKeys = [...labelsRead(module), bindingLabel(module)];
  return { ok: true, value: { module, resolve: createResolver(module), labelKeys, wanted, fleet } };
}
