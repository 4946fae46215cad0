// A set with its revisions, for tests of its history: what it says is recorded at once, as the API server would.

import { objectIdentity } from "../../../core/decision/object-identity.ts";
import type { StoredObject } from "../../../core/decision/snapshot.ts";
import { type Step, targetOf } from "../../../core/decision/step.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../core/json/json.ts";
import { mergeObject } from "../../../core/strategic-merge/merge-patch.ts";
import { cleanHistory, createHistoryReader, type History } from "../revision/history.ts";
import { type Recording, recordingOf } from "../revision/revision.ts";

export class HistoryBook {
  spec: JsonObject = { template: templateOf("a:1") };
  collisionCount: number | undefined;
  readonly revisions = new Map<string, JsonObject>();
  /** Names of revisions that belong to others. */
  readonly foreign = new Set<string>();
  readonly #read = createHistoryReader();
  #births = 0;

  get set(): StoredObject {
    return stored({ metadata: { name: "agent", namespace: "infra", uid: "set-uid" }, spec: this.spec });
  }

  read(): History {
    const recording = this.recording;
    const isNameTaken = (name: string) => this.foreign.has(name);
    const revisions = [...this.revisions.values()].map(stored);
    return this.#read({ set: this.set, recording, revisions, collisionCount: this.collisionCount, isNameTaken });
  }

  get recording(): Recording {
    const recording = recordingOf(this.spec);
    if (recording === undefined) throw new Error("the test has no template");
    return recording;
  }

  /** Says something, and brings the record in line with it. */
  says(spec: JsonObject): History {
    this.spec = spec;
    const history = this.read();
    for (const step of history.steps) this.perform(step);
    this.collisionCount = history.collisionCount;
    return this.read();
  }

  /** Cleans up, and tells how. */
  clean(kept: number, inUse: readonly string[] = []): readonly Step[] {
    const rule = { set: this.set, kept, inUse: () => new Set(inUse), aloneSinceMs: 0, nowMs: Date.UTC(2026, 2, 1) };
    const { steps } = cleanHistory(this.read(), rule);
    for (const step of steps) this.perform(step);
    return steps;
  }

  perform(step: Step): void {
    const { name } = targetOf(step);
    const before = this.revisions.get(name);
    if (step.do === "create" && before === undefined) {
      this.put(mergeObject(step.object, { metadata: { uid: `r${++this.#births}` } }));
    } else if (step.do === "patch" && before !== undefined && isJsonObject(step.patch)) {
      this.put(mergeObject(before, step.patch));
    } else if (step.do === "delete" && before !== undefined && objectIdentity(before).uid === step.uid) {
      this.revisions.delete(name);
    }
  }

  put(object: JsonObject): void {
    this.revisions.set(objectIdentity(object).name, object);
  }

  get numbers(): readonly (Json | undefined)[] {
    return [...this.revisions.values()].map(({ revision }) => revision);
  }
}

/** An object as snapshots give it. */
function stored(object: JsonObject): StoredObject {
  return { ...objectIdentity(object), object };
}

/** A template of one container. */
export function templateOf(image: string): JsonObject {
  return { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "main", image }] } };
}
