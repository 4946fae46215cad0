// The revisions of an object, as far as it keeps any: ControllerRevisions that it controls.

import { objectIdentity } from "../../core/decision/object-identity.ts";
import { isJsonObject, type JsonObject } from "../../core/json/json.ts";
import { parseRevision, type Revision } from "../../kinds/daemon-set/revision/revision.ts";
import { CommandError } from "../command-error.ts";
import { objectText } from "../input/named-object.ts";
import { plural, table } from "../output/print.ts";
import type { RolloutTarget } from "./rollout-object.ts";

export type HistoryEntry = {
  readonly number: number;
  readonly hash: string;
  readonly changeCause: string;
  readonly createdMs: number | undefined;
  readonly revision: Revision;
};

const CHANGE_CAUSE = "kubernetes.io/change-cause";
const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** The revisions, the oldest first. */
export function historyEntries({ objects, stored }: RolloutTarget): readonly HistoryEntry[] {
  return objects
    .filter((object) => object.kind === "ControllerRevision" && objectIdentity(object).controllerUid === stored.uid)
    .map(entryOf)
    .toSorted((a, b) => a.number - b.number);
}

function entryOf(object: JsonObject): HistoryEntry {
  const identity = objectIdentity(object);
  const revision = parseRevision({ ...identity, object });
  const { [CHANGE_CAUSE]: changeCause = "" } = identity.annotations;
  return { number: revision.number, hash: revision.hash, changeCause, createdMs: identity.createdMs, revision };
}

/** The text of a history. */
export function printHistory(target: RolloutTarget, entries: readonly HistoryEntry[], nowMs: number): string {
  const heading = `${objectText(target)}   ${plural(entries.length, "revision")}`;
  const rows = entries.map(({ number, hash, changeCause, createdMs }) => [
    ...[`${number}`, hash, createdMs === undefined ? "–" : age(nowMs - createdMs), changeCause || "–"],
  ]);
  return `${[heading, ...table([["REVISION", "HASH", "AGE", "CHANGE-CAUSE"], ...rows])].join("\n")}\n`;
}

/** The revision to go back to: the one with the number, or the one before the newest. */
export function revisionToRestore(
  target: RolloutTarget,
  entries: readonly HistoryEntry[],
  wanted: number | undefined,
): Revision {
  const entry = wanted === undefined ? entries.at(-2) : entries.find(({ number }) => number === wanted);
  const there = entries.map(({ number }) => number).join(", ") || "none";
  if (entry === undefined) {
    const missing = wanted === undefined ? "no revision before its newest" : `no revision ${wanted}`;
    throw new CommandError(`${objectText(target)} has ${missing}; there is ${there}`);
  }
  if (entry.revision.recording === undefined)
    throw new CommandError(
      `revision ${entry.number} of ${objectText(target)} holds no template; choose one of ${there}`,
    );
  return entry.revision;
}

/** The spec as it would be after going back. */
export function restoredObject({ stored }: RolloutTarget, { recording }: Revision): JsonObject {
  if (recording === undefined) return stored.object;
  const { patches: _, ...spec } = isJsonObject(stored.object.spec) ? stored.object.spec : {};
  const patches = recording.patches.length === 0 ? {} : { patches: recording.patches };
  return { ...stored.object, spec: { ...spec, template: recording.template, ...patches } };
}

/** As kubectl writes ages, in one unit. */
function age(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}
