// The history of a set: its revisions, which of them pods should run, and what must be written so that it is recorded.
//
// Guarantees: what a set says is recorded once, under a hash that no other revision has. Going back to what was said
// before takes up the old revision with its hash, so that pods which still run it are up to date. A revision that a pod bears is
// never deleted, nor is the one that pods should run.
//
// Beside this file:
//   revision.ts                                       one ControllerRevision, in Kruise's form
//   revision-template.ts, revision-written-fields.ts  the bytes that Kruise would write
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import type { CreateStep, DeleteStep, ObjectRef, PatchStep } from "../../../core/decision/step.ts";
import { objectAt } from "../../schema/json-parts.ts";
import { setRef } from "../pods/claim.ts";
import { ALONE_MS } from "../pods/other-wishes.ts";
import { REVISION_HASH } from "../pods/pod-keys.ts";
import {
  isSameRecording,
  parseRevision,
  type Recording,
  type Revision,
  revisionBody,
  revisionIdentity,
} from "./revision.ts";

/** So often a hash may be taken by accident before we give up; two are already unheard of. */
const COLLISIONS_MAX = 100;

export type History = {
  /** What pods should run; it may be about to be made. */
  readonly update: Revision;
  readonly recording: Recording;
  /** All others, the oldest first. Some may hold what `update` holds: their pods only bear an older hash. */
  readonly older: readonly Revision[];
  /** What makes the record right: at most one create, and patches of numbers and labels. */
  readonly steps: readonly (CreateStep | PatchStep)[];
  /** To be kept in status.collisionCount; undefined when there never was a collision. */
  readonly collisionCount: number | undefined;
};

export type HistoryInput = {
  readonly set: StoredObject;
  readonly recording: Recording;
  /** The ControllerRevisions that the set controls, and those that it is adopting. */
  readonly revisions: readonly StoredObject[];
  /** From status.collisionCount. */
  readonly collisionCount: number | undefined;
  /** Whether a revision that is not among these has the name: of a predecessor that is being collected, say. */
  readonly isNameTaken: (name: string) => boolean;
};

/** Returns a reader of histories, which remembers the revisions that it has read as long as they are the very same. */
export function createHistoryReader(): (input: HistoryInput) => History {
  const revisions = new WeakMap<StoredObject, Revision>();
  return (input) => {
    const parsed = input.revisions.map((stored) => {
      const known = revisions.get(stored) ?? parseRevision(stored);
      revisions.set(stored, known);
      return known;
    });
    return historyOf(input, parsed);
  };
}

/** The revision that pods with this hash were made at; undefined when it is gone. */
export function revisionWithHash({ update, older }: History, hash: string): Revision | undefined {
  return update.hash === hash ? update : older.findLast((revision) => revision.hash === hash);
}

/** What most of the fleet comes from: the newest other revision that a pod still bears, or the one they should run. */
export function currentRevision({ update, older }: History, inUse: ReadonlySet<string>): Revision {
  return older.findLast(({ hash }) => hash !== update.hash && inUse.has(hash)) ?? update;
}

export type CleaningRule = {
  readonly set: StoredObject;
  readonly kept: number;
  /** The hashes that any pod of the set bears. */
  readonly inUse: () => ReadonlySet<string>;
  /** Since when, in wall ms, nobody else can make a pod of an older revision. */
  readonly aloneSinceMs: number;
  readonly nowMs: number;
};

export type Cleaning = {
  readonly steps: readonly DeleteStep[];
  /** When more may go; undefined when nothing waits. */
  readonly lookAgainAtMs: number | undefined;
};

/** Servers write whole seconds: what was made in second 5 may have been made at the end of it. */
const CUT_MS = 1_000;

/**
 * Deletes old revisions beyond the limit, the oldest first. Another replica may just have made one, for what the set says by now, or be
 * about to make a pod of one, for what it said before: both are known a moment later.
 */
export function cleanHistory(history: History, rule: CleaningRule): Cleaning {
  const surplus = surplusIn(history, rule);
  const dueMs = ({ createdMs = 0 }: Revision) => Math.max(createdMs + CUT_MS, rule.aloneSinceMs) + ALONE_MS;
  const waits = surplus.map(({ old }) => dueMs(old)).filter((atMs) => atMs > rule.nowMs);
  return {
    steps: surplus.filter(({ old }) => dueMs(old) <= rule.nowMs).map(({ old, why }) => deleteStep(rule.set, old, why)),
    lookAgainAtMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

type Surplus = { readonly old: Revision; readonly why: string };

function surplusIn(history: History, { kept, inUse }: CleaningRule): readonly Surplus[] {
  const { update, older, recording } = history;
  // Until the new revision stands, nothing that it follows is taken away.
  if (update.uid === "") return [];
  const there = older.filter(({ isLeaving, uid }) => !isLeaving && uid !== "");
  const isTwin = (old: Revision) => old.recording !== undefined && isSameRecording(old.recording, recording);
  // Nearly always nothing is too much, and nobody has to know what pods bear.
  if (there.length <= kept && !there.some(isTwin)) return [];
  const used = inUse();
  const isFree = ({ hash }: Revision) => !used.has(hash) && hash !== update.hash;
  const twins = there.filter((old) => isTwin(old) && isFree(old));
  const others = there.filter((old) => !twins.includes(old));
  const excess = Math.max(0, others.length - kept);
  const surplus = others.filter(isFree).slice(0, excess);
  return [
    ...twins.map((old) => ({ old, why: `it holds what ${update.name} holds` })),
    ...surplus.map((old) => ({ old, why: `${kept} old revisions are kept` })),
  ];
}

/** Sets a set back to what it said in a revision: template and patches, whole. */
export function rollbackStep(set: StoredObject, { name, recording }: Revision): PatchStep | undefined {
  if (recording === undefined) return undefined;
  const { template, patches } = recording;
  const hasPatches = Object.hasOwn(specOf(set), "patches");
  const restored = { op: "add", path: "/spec/patches", value: patches };
  const removed = hasPatches ? [{ op: "remove", path: "/spec/patches" }] : [];
  return {
    ...{ do: "patch", target: setRef(set), patchType: "json", why: `back to revision ${name}` },
    patch: [
      { op: "test", path: "/metadata/uid", value: set.uid },
      { op: "replace", path: "/spec/template", value: template },
      ...(patches.length === 0 ? removed : [restored]),
    ],
  };
}

function historyOf(input: HistoryInput, revisions: readonly Revision[]): History {
  const { recording, set } = input;
  const sorted = revisions.toSorted((a, b) => a.number - b.number || compareText(a.name, b.name));
  const found = sorted.findLast((one) => holds(one, recording) && !one.isLeaving);
  const older = sorted.filter((one) => one !== found);
  const number = nextNumber(older);
  const labels = revisions.filter(({ isLabelled, uid }) => !isLabelled && uid !== "").map((one) => labelStep(set, one));
  // One of which no answer has come may not be there: it is made again, which changes nothing if it is, and its pods wait for it.
  if (found === undefined || found.uid === "") {
    const made = newRevision(input, sorted, number);
    return { ...made, recording, older, steps: [...made.steps, ...labels] };
  }
  const isNewest = found.number >= number;
  const update = isNewest ? found : { ...found, number };
  const steps = isNewest ? labels : [...withoutTarget(labels, found), numberStep(set, update)];
  return { update, recording, older, steps, collisionCount: input.collisionCount };
}

/** Names a new revision, with a count when another one has its name. */
function newRevision(input: HistoryInput, known: readonly Revision[], number: number) {
  const { set, recording, collisionCount } = input;
  // Once patches have been recorded, silence would leave them in place on the way back.
  const namesPatches = recording.patches.length > 0 || known.some((revision) => revision.namesPatches);
  const isTaken = (name: string) => {
    const own = known.find((one) => one.name === name);
    return own === undefined ? input.isNameTaken(name) : !holds(own, recording);
  };
  let count = collisionCount;
  for (let tries = 0; tries < COLLISIONS_MAX; tries++) {
    const { hash, name } = revisionIdentity({ set, recording, namesPatches, collisionCount: count });
    if (!isTaken(name)) {
      const object = revisionBody({ set, recording, namesPatches, number, collisionCount: count });
      const update: Revision = {
        ...{ name, hash, number, recording, namesPatches },
        ...{ uid: "", isLabelled: true, isLeaving: false, createdMs: undefined },
      };
      const step: CreateStep = { do: "create", object, why: `${set.name} says something new` };
      return { update, steps: [step], collisionCount: count };
    }
    count = (count ?? 0) + 1;
  }
  throw new Error(`${set.namespace}/${set.name}: ${COLLISIONS_MAX} hashes of one revision are taken`);
}

function holds({ recording }: Revision, wanted: Recording): boolean {
  return recording !== undefined && isSameRecording(recording, wanted);
}

function nextNumber(older: readonly Revision[]): number {
  return older.reduce((max, { number }) => Math.max(max, number), 0) + 1;
}

/** Kruise finds revisions by this label, and takes the name where there is none. */
function labelStep(set: StoredObject, revision: Revision): PatchStep {
  const metadata = { uid: revision.uid, labels: { [REVISION_HASH]: revision.hash } };
  return patchStep(set, revision, { metadata }, "it lacks the label of its hash");
}

function numberStep(set: StoredObject, { isLabelled, ...revision }: Revision): PatchStep {
  const labels = isLabelled ? {} : { labels: { [REVISION_HASH]: revision.hash } };
  const patch = { metadata: { uid: revision.uid, ...labels }, revision: revision.number };
  // Two of which one has not heard of an edit would else outbid each other without end.
  return { ...patchStep(set, revision, patch, `${set.name} says again what it said then`), premises: [] };
}

function withoutTarget(steps: readonly PatchStep[], { name }: Revision): readonly PatchStep[] {
  return steps.filter(({ target }) => target.name !== name);
}

function patchStep(
  set: StoredObject,
  revision: Pick<Revision, "name">,
  patch: PatchStep["patch"],
  why: string,
): PatchStep {
  return { do: "patch", target: revisionRef(set, revision.name), patchType: "merge", patch, why };
}

/** That it is not needed follows from what the set wishes: a set may be going back to it, and not everybody knows yet. */
function deleteStep(set: StoredObject, { name, uid }: Revision, why: string): DeleteStep {
  return { do: "delete", target: revisionRef(set, name), uid, propagation: "Background", premises: [], why };
}

function revisionRef({ namespace }: StoredObject, name: string): ObjectRef {
  return { apiVersion: "apps/v1", kind: "ControllerRevision", namespace, name };
}

function specOf({ object }: StoredObject) {
  return objectAt(object, "spec");
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
